#include "fovea/train/keep.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/staged_directory.h"

namespace fovea::train {
namespace {

namespace fs = std::filesystem;

// All that there are, oldest first; complete or not.
std::vector<Snapshot> all_snapshots(const std::string& out) {
  std::vector<Snapshot> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(out + "/keep", ignored)) {
    const std::string name = entry.path().filename().string();
    int64_t update = 0;
    const char* end = name.data() + name.size();
    if (!name.starts_with('u')) continue;
    const auto [rest, error] = std::from_chars(name.data() + 1, end, update);
    if (error == std::errc() && rest == end) found.push_back({update, entry.path().string()});
  }
  std::sort(found.begin(), found.end(),
            [](const Snapshot& a, const Snapshot& b) { return a.update < b.update; });
  return found;
}

}  // namespace

void keep_snapshot(const std::string& out, int64_t update, int64_t count, const Checkpoint& checkpoint) {
  save_checkpoint(fmt::format("{}/keep/u{:08}", out, update), checkpoint);
  const std::vector<Snapshot> kept = kept_snapshots(out);
  const size_t first = kept.size() - std::min(kept.size(), static_cast<size_t>(count));
  // Also what a kill left of one that was being removed.
  for (const Snapshot& snapshot : all_snapshots(out))
    if (snapshot.update < kept[first].update) remove_directory(snapshot.path);
}

std::vector<Snapshot> kept_snapshots(const std::string& out) {
  std::vector<Snapshot> found = all_snapshots(out);
  std::erase_if(found, [](const Snapshot& snapshot) { return !is_committed(snapshot.path); });
  return found;
}

void drop_snapshots_after(const std::string& out, int64_t update) {
  std::error_code ignored;
  std::vector<std::string> unfinished;  // what a kill left
  for (const auto& entry : fs::directory_iterator(out + "/keep", ignored))
    if (entry.path().extension() == ".new") unfinished.push_back(entry.path().string());
  for (const std::string& path : unfinished) remove_directory(path);
  for (const Snapshot& snapshot : all_snapshots(out))
    if (snapshot.update > update) remove_directory(snapshot.path);
}

}  // namespace fovea::train
