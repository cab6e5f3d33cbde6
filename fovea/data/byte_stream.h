// The bytes of a file, a block at a time. A file that begins with the bytes 1F 8B is gzip, whatever its name, and
// is unpacked on the way; several gzip files put together are one, as gzip has it. Memory does not depend on the file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace fovea::data {

class ByteStream {
 public:
  // "-" is standard input. Failures are [who] PATH: reason.
  ByteStream(const std::string& path, std::string_view who);
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;
  ~ByteStream();

  // The next bytes, as soon as there are some; nothing at the end. Valid until the next call.
  std::string_view read();
  // read() would not wait: there are bytes, or the end.
  bool ready() const;

  // The path, or "standard input".
  const std::string& name() const { return name_; }
  // A pipe or a device, which may have no end.
  bool may_be_endless() const { return may_be_endless_; }

 private:
  size_t fill(std::span<char> buffer);
  void begin();
  std::string_view inflated();

  std::string name_, who_;
  int fd_ = -1;
  bool may_be_endless_ = false, begun_ = false, member_open_ = false;
  std::vector<char> packed_, unpacked_;
  struct EndInflate {
    void operator()(z_stream_s* stream) const;
  };
  std::unique_ptr<z_stream_s, EndInflate> gzip_;  // null: plain
  std::string_view pending_;                      // of packed_, read and not used yet
};

}  // namespace fovea::data
