// A file descriptor and the name of its file: bytes are written whole, reach the disk, and every failure is one line, [who] PATH: reason.
// One thread at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fovea {

// Throws what errno said: [who] PATH: No such file or directory.
[[noreturn]] void fail_on(std::string_view who, std::string_view path, int error);

class OpenFile {
 public:
  OpenFile() = default;
  // Opens it with the flags of open(2), closed in programs that this one starts. Throws where that fails.
  OpenFile(std::string path, int flags, std::string_view who);
  // Takes a descriptor that is open already.
  OpenFile(int fd, std::string path, std::string_view who);
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) noexcept;
  ~OpenFile();

  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  // What was written is on the disk; of a directory, the names in it.
  void sync();
  void close();

 private:
  int fd_ = -1;
  std::string path_, who_;
};

}  // namespace fovea
