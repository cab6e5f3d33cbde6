#include "fovea/base/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "fovea/base/error.h"

namespace fovea {

DirectoryLock::DirectoryLock(const std::string& path, std::string_view who) : path_(path) {
  std::error_code error;
  made_ = std::filesystem::create_directories(path, error);
  if (error) fail(who, "{}: {}", path, std::strerror(error.value()));
  fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) fail(who, "{}: {}", path, std::strerror(errno));
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  ::close(fd_);
  if (reason == EWOULDBLOCK)
    fail(who, "{}: another process is writing to it: wait for it, stop it, or choose another directory",
         path);
  // A file system without locks: better unlocked than not at all.
  fd_ = -1;
}

DirectoryLock::~DirectoryLock() {
  if (made_) ::rmdir(path_.c_str());  // refuses where there is something in it
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace fovea
