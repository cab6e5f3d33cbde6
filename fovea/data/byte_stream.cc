#include "fovea/data/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

constexpr size_t kBlock = 1 << 16;
constexpr std::string_view kGzipMagic = "\x1F\x8B";

}  // namespace

void ByteStream::EndInflate::operator()(z_stream_s* stream) const {
  inflateEnd(stream);
  delete stream;
}

ByteStream::ByteStream(const std::string& path, std::string_view who)
    : name_(path == "-" ? "standard input" : path), who_(who), packed_(kBlock) {
  fd_ = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd_ < 0) fail(who_, "{}: {}", name_, std::strerror(errno));
  struct stat status {};
  may_be_endless_ = fstat(fd_, &status) != 0 || !S_ISREG(status.st_mode);
}

ByteStream::~ByteStream() {
  if (fd_ > STDIN_FILENO) close(fd_);
}

// What one read() gives; 0 at the end.
size_t ByteStream::fill(std::span<char> buffer) {
  while (true) {
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) fail(who_, "{}: {}", name_, std::strerror(errno));
  }
}

// Reads until it is known whether this is gzip: one byte is enough for text, so that lines typed at a terminal come
// at once.
void ByteStream::begin() {
  begun_ = true;
  size_t held = 0;
  do {
    const size_t got = fill(std::span(packed_).subspan(held));
    held += got;
    if (got == 0) break;
  } while (held < kGzipMagic.size() && packed_[0] == kGzipMagic[0]);
  pending_ = {packed_.data(), held};
  if (!pending_.starts_with(kGzipMagic)) return;
  unpacked_.resize(kBlock);
  gzip_.reset(new z_stream_s{});
  constexpr int kGzipOnly = 16;
  if (inflateInit2(gzip_.get(), kGzipOnly + MAX_WBITS) != Z_OK)
    fail(who_, "{}: no memory to unpack it", name_);
  member_open_ = true;
}

std::string_view ByteStream::read() {
  if (!begun_) begin();
  if (gzip_) return inflated();
  if (!pending_.empty()) return std::exchange(pending_, {});
  return {packed_.data(), fill(packed_)};
}

bool ByteStream::ready() const {
  pollfd waiting{fd_, POLLIN, 0};
  return !pending_.empty() || poll(&waiting, 1, 0) != 0;
}

std::string_view ByteStream::inflated() {
  z_stream_s& stream = *gzip_;
  while (true) {
    if (pending_.empty()) {
      pending_ = {packed_.data(), fill(packed_)};
      if (pending_.empty()) {
        check(!member_open_, who_, "{}: the gzip data ends too early: the file is not complete", name_);
        return {};
      }
    }
    if (!member_open_) {  // another file may follow, or zeros that fill a block of a tape
      pending_.remove_prefix(std::min(pending_.find_first_not_of('\0'), pending_.size()));
      if (pending_.empty()) continue;
      inflateReset(&stream);
      member_open_ = true;
    }
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(pending_.data()));
    stream.avail_in = static_cast<uInt>(pending_.size());
    stream.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    stream.avail_out = static_cast<uInt>(unpacked_.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    check(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR, who_,
          "{}: damaged gzip data ({})", name_, stream.msg != nullptr ? stream.msg : zError(result));
    pending_.remove_prefix(pending_.size() - stream.avail_in);
    if (result == Z_STREAM_END) member_open_ = false;
    const size_t made = unpacked_.size() - stream.avail_out;
    if (made > 0) return {unpacked_.data(), made};
  }
}

}  // namespace fovea::data
