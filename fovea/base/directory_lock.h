// A directory that one process at a time may write to.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// Held while it lives; the system lets go of it when the process ends, however it ends. Nothing is written, and a directory that
// it had to make and that stayed empty is removed.
class DirectoryLock {
 public:
  // Makes the directory where there is none. Throws when another process (or another lock of this one) has it.
  explicit DirectoryLock(const std::string& path, std::string_view who = "directory");
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock();

 private:
  std::string path_;
  bool made_ = false;
  int fd_;
};

}  // namespace fovea
