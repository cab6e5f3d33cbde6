// Makes system calls that change files fail, or ends the process in their place, one by one. It takes the place of the C library's
// functions in the whole test program, so one file of a program includes it.
//
//   for (int64_t n = 0;; ++n)
//     if (!faults().hit([&] { save(); }, {.at = n, .error = ENOSPC})) break;     // save() makes n such calls
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace fovea::testing {

struct Fault {
  int64_t at = -1;  // which call, from 0
  int error = EIO;  // what it fails with; 0: the process ends instead, without any clean-up, as by SIGKILL
};

class Faults {
 public:
  // Runs f with the fault armed. Whether it was met.
  template <typename F>
  bool hit(F&& f, const Fault& fault) {
    fault_ = fault;
    calls_ = 0;
    armed_ = true;
    try {
      f();
    } catch (...) {
      armed_ = false;
      throw;
    }
    armed_ = false;
    return calls_ > fault.at;
  }

  // Called before each call; true where it has to fail (errno is set).
  bool strikes() {
    if (!armed_ || calls_++ != fault_.at) return false;
    if (fault_.error == 0) ::syscall(SYS_exit_group, 99);
    errno = fault_.error;
    return true;
  }

  bool was_hit() const { return calls_ > fault_.at; }
  bool exchange_supported = true;  // false: as on a file system where directories cannot change places

 private:
  bool armed_ = false;
  int64_t calls_ = 0;
  Fault fault_;
};

inline Faults& faults() {
  static Faults all;
  return all;
}

}  // namespace fovea::testing

extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if ((flags & O_CREAT) && fovea::testing::faults().strikes()) return -1;
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

ssize_t write(int fd, const void* bytes, size_t n) {
  if (fd > STDERR_FILENO && fovea::testing::faults().strikes()) return -1;
  return ::syscall(SYS_write, fd, bytes, n);
}

int fsync(int fd) {
  if (fovea::testing::faults().strikes()) return -1;
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (fovea::testing::faults().strikes()) return -1;
  return static_cast<int>(::syscall(SYS_mkdir, path, mode));
}

int rename(const char* from, const char* to) noexcept {
  if (fovea::testing::faults().strikes()) return -1;
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

int renameat2(int from_dir, const char* from, int to_dir, const char* to, unsigned flags) noexcept {
  if (fovea::testing::faults().strikes()) return -1;
  if ((flags & RENAME_EXCHANGE) && !fovea::testing::faults().exchange_supported) {
    errno = EINVAL;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_renameat2, from_dir, from, to_dir, to, flags));
}

int unlinkat(int dir, const char* path, int flags) noexcept {
  if (fovea::testing::faults().strikes()) return -1;
  return static_cast<int>(::syscall(SYS_unlinkat, dir, path, flags));
}

}  // extern "C"
