#include "fuzz/reader.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/temporary_directory.h"

namespace fovea::fuzz {

void put(const std::string& path, const std::string& bytes) {
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string file_of(const std::function<void(const std::string&)>& write) {
  TemporaryDirectory dir;
  write(dir / "file");
  std::ifstream in(dir / "file", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Reader directory_file(const std::string& name, const std::string& changed, const Files& files,
                      std::function<void(const std::string&)> open) {
  std::string seed;
  for (const auto& [file, bytes] : files)
    if (file == changed) seed = bytes;
  return {name, {seed}, [=](const std::string& text) {
            TemporaryDirectory dir;
            for (const auto& [file, bytes] : files) put(dir / file, file == changed ? text : bytes);
            open(dir.path());
          }};
}

}  // namespace fovea::fuzz
