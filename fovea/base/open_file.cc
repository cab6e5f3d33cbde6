#include "fovea/base/open_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fovea/base/error.h"

namespace fovea {

void fail_on(std::string_view who, std::string_view path, int error) {
  fail(who, "{}: {}", path.empty() ? "''" : path, std::strerror(error));
}

OpenFile::OpenFile(std::string path, int flags, std::string_view who)
    : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)), path_(std::move(path)), who_(who) {
  if (fd_ < 0) fail_on(who_, path_, errno);
}

OpenFile::OpenFile(int fd, std::string path, std::string_view who)
    : fd_(fd), path_(std::move(path)), who_(who) {}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)), who_(std::move(other.who_)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  std::swap(who_, other.who_);
  return *this;
}

OpenFile::~OpenFile() {
  if (fd_ >= 0) ::close(fd_);
}

void OpenFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_on(who_, path_, errno);
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
}

void OpenFile::sync() {
  if (::fsync(fd_) != 0) fail_on(who_, path_, errno);
}

void OpenFile::close() {
  if (::close(std::exchange(fd_, -1)) != 0) fail_on(who_, path_, errno);
}

}  // namespace fovea
