// Files: read whole, and written so that a reader sees the old contents or the new ones, never half.
// Every failure is one line: [who] PATH: reason.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/open_file.h"

namespace fovea {

// Takes the bytes of something that is written in pieces.
using ByteSink = std::function<void(std::span<const std::byte>)>;

// The bytes of a file, to read. A regular file is mapped, so that opening a large one costs nothing; a pipe
// or a device is read to its end, up to kMaxStream bytes. A file that another program cuts short while it is
// mapped is beyond what can be caught.
class MappedFile {
 public:
  static constexpr size_t kMaxStream = size_t{4} << 30;

  explicit MappedFile(const std::string& path, std::string_view who = "file");
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  // This part of bytes() is not read soon: its whole pages leave this process's memory until they are read again. What is no part
  // of it is left alone.
  void release(std::span<const std::byte> part) const;

 private:
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  bool mapped_ = false;
  std::vector<std::byte> read_;  // of what cannot be mapped
};

// The whole file as text. Throws when it is larger than `limit` bytes.
std::string read_file(const std::string& path, size_t limit = size_t{1} << 30, std::string_view who = "file");

// A file that appears when it is committed. Until then the bytes lie beside the target under another name;
// without commit() they are removed and the old file stays as it was. A link is followed; the old file's
// permissions are kept. A target that is no regular file (a pipe, a terminal, /dev/null) gets its bytes, held
// in memory until then, at commit().
class StagedFile {
 public:
  explicit StagedFile(const std::string& path, std::string_view who = "file");
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;
  // Removes what has a name and was not committed.
  ~StagedFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  // All bytes are on the disk. After this, commit() can hardly fail.
  void finish();
  void commit();

  // Where the file will be, links followed.
  const std::string& target() const { return target_; }

 private:
  [[noreturn]] void fail_with(int error) const;

  // temporary_ = the first name that is free and that made() succeeds with.
  template <typename F>
  void take_name(F&& made);

  std::string path_, who_, target_;
  std::string temporary_;  // the name of the staged file, while it has one
  bool staged_ = false;    // false: the target is written directly
  OpenFile file_;
  bool finished_ = false;
  std::string held_;
};

void write_atomically(const std::string& path, std::span<const std::byte> bytes,
                      std::string_view who = "file");
void write_atomically(const std::string& path, std::string_view text, std::string_view who = "file");

// Several outputs: all are staged before the first one appears, so a failure while writing leaves every old
// file as it was.
class PendingFiles {
 public:
  // The reference stays good while this object lives. Throws when another output already has the same target.
  StagedFile& add(const std::string& path, std::string_view who = "file");
  void commit();

 private:
  std::vector<std::unique_ptr<StagedFile>> files_;
};

}  // namespace fovea
