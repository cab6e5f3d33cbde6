// A directory of its own for a test, removed afterwards. In memory where the system has such a place: many small saves, each brought to the
// disk, would take their time.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace fovea {

class TemporaryDirectory {
 public:
  enum class On { kMemory, kDisk };

  explicit TemporaryDirectory(On on = On::kMemory) {
    const bool memory = on == On::kMemory && std::filesystem::is_directory("/dev/shm");
    path_ = ((memory ? "/dev/shm" : std::filesystem::temp_directory_path()) / "fovea-XXXXXX").string();
    if (!mkdtemp(path_.data())) throw std::runtime_error("no temporary directory");
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace fovea
