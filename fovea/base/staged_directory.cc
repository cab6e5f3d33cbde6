#include "fovea/base/staged_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "manifest.json";
constexpr int kVersion = 1;

// The names in the directory are on the disk.
void sync_directory(const std::string& path, std::string_view who) {
  OpenFile(path, O_RDONLY | O_DIRECTORY, who).sync();
}

std::string parent_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

void rename_or_fail(const std::string& from, const std::string& to, std::string_view who) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail_on(who, to, errno);
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

StagedDirectory::StagedDirectory(const std::string& path, std::string_view who)
    : path_(without_slash(path)), staging_(path_ + ".new"), who_(who) {
  std::error_code error;
  if (fs::exists(path_, error)) {
    if (!fs::is_directory(path_, error)) fail_on(who_, path_, ENOTDIR);
    check(is_committed(path_) || fs::is_empty(path_, error), who_,
          "{}: it holds other files, which would be lost: choose another name, or remove it", path_);
  }
  fs::create_directories(parent_of(path_), error);
  if (error) fail_on(who_, parent_of(path_), error.value());
  fs::remove_all(staging_, error);
  if (error) fail_on(who_, staging_, error.value());
  if (!fs::create_directory(staging_, error)) fail_on(who_, staging_, error ? error.value() : EEXIST);
  staged_ = true;
}

StagedDirectory::~StagedDirectory() {
  if (staged_) remove_directory(staging_);
}

void StagedDirectory::add(const std::string& name, std::string_view bytes) {
  add(name, [&](const ByteSink& sink) { sink(std::as_bytes(std::span(bytes.data(), bytes.size()))); });
}

void StagedDirectory::add(const std::string& name, const std::function<void(const ByteSink&)>& write) {
  check(staged_, who_, "{}: {} comes after the directory was committed", path_, quote(name));
  check(!name.empty() && name.find('/') == std::string::npos && name != kManifest && name != "." &&
            name != "..",
        who_, "{}: {} cannot be the name of a file in it", path_, quote(name));
  check(!entries_.contains(name), who_, "{}: two files are named {}", path_, quote(name));
  OpenFile file(staging_ + "/" + name, O_WRONLY | O_CREAT | O_EXCL, who_);
  Entry entry;
  write([&](std::span<const std::byte> bytes) {
    file.write(bytes);
    entry.bytes += bytes.size();
    entry.crc = crc32c(bytes, entry.crc);
  });
  file.sync();
  file.close();
  entries_[name] = entry;
}

void StagedDirectory::commit() {
  check(staged_, who_, "{}: committed twice", path_);
  nlohmann::json manifest = {{"version", kVersion}, {"files", nlohmann::json::object()}};
  for (const auto& [name, entry] : entries_)
    manifest["files"][name] = {{"bytes", entry.bytes}, {"crc32c", fmt::format("{:08x}", entry.crc)}};
  const std::string text = manifest.dump(1) + "\n";
  const std::string manifest_path = staging_ + "/" + kManifest;
  OpenFile file(manifest_path + ".new", O_WRONLY | O_CREAT | O_EXCL, who_);
  file.write(text);
  file.sync();
  file.close();
  rename_or_fail(manifest_path + ".new", manifest_path, who_);  // where it is, it is whole
  sync_directory(staging_, who_);

  std::error_code ignored;
  if (!fs::exists(path_, ignored)) {
    rename_or_fail(staging_, path_, who_);
    staged_ = false;
    sync_directory(parent_of(path_), who_);
    return;
  }
  if (::renameat2(AT_FDCWD, staging_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) {
    staged_ = false;
    sync_directory(parent_of(path_), who_);  // before the old files go
    remove_directory(staging_);
    return;
  }
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) fail_on(who_, path_, errno);
  const std::string old = path_ + ".old";
  remove_directory(old);
  rename_or_fail(path_, old, who_);
  if (std::rename(staging_.c_str(), path_.c_str()) != 0) {
    const int error = errno;
    rename_or_fail(old, path_, who_);
    fail_on(who_, path_, error);
  }
  staged_ = false;
  sync_directory(parent_of(path_), who_);
  remove_directory(old);
}

void remove_directory(const std::string& path) {
  std::error_code ignored;
  fs::remove(fs::path(path) / kManifest, ignored);
  fs::remove_all(path, ignored);
}

bool is_committed(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path(path) / kManifest, ignored);
}

void verify_directory(const std::string& path, std::string_view who) {
  const std::string manifest_path = path + "/" + kManifest;
  check(is_committed(path), who, "{}: there is no {}, so it was never completely written", path, kManifest);
  constexpr size_t kMost = 1 << 20;
  const nlohmann::json manifest = parse_json(read_file(manifest_path, kMost, who), who, manifest_path);
  const auto bad = [&]() { fail(who, "{}: not a manifest of this program", manifest_path); };
  if (!manifest.is_object() || !manifest.contains("files") || !manifest["files"].is_object() ||
      manifest.value("version", nlohmann::json()) != kVersion)
    bad();
  for (const auto& [name, entry] : manifest["files"].items()) {
    if (!entry.is_object() || !entry.contains("bytes") || !entry["bytes"].is_number_unsigned() ||
        !entry.contains("crc32c") || !entry["crc32c"].is_string() || name.find('/') != std::string::npos)
      bad();
    const std::string file_path = path + "/" + name;
    const MappedFile file(file_path, who);
    check(file.bytes().size() == entry["bytes"].get<size_t>(), who,
          "{}: {} bytes, and {} were saved: the file was cut or changed", file_path, file.bytes().size(),
          entry["bytes"].get<size_t>());
    const std::string crc = fmt::format("{:08x}", crc32c(file.bytes()));
    check(crc == entry["crc32c"].get<std::string>(), who,
          "{}: its checksum is {}, and {} was saved: the file was changed or damaged", file_path, crc,
          entry["crc32c"].get<std::string>());
  }
}

void recover_directory(const std::string& path_given, std::string_view who) {
  const std::string path = without_slash(path_given), staging = path + ".new", old = path + ".old";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    // PATH.new has a manifest only when each of its files is on the disk, so it is the newer of the two.
    if (is_committed(staging))
      rename_or_fail(staging, path, who);
    else if (is_committed(old))
      rename_or_fail(old, path, who);
  }
  remove_directory(staging);
  remove_directory(old);
}

}  // namespace fovea
