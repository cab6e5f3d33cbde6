// A directory of files that appears as a whole, and can be checked.
//
// The files gather in PATH.new; manifest.json comes last and names each with its size and checksum:
//   {"files": {"config.json": {"bytes": 812, "crc32c": "e3069283"}, ...}, "version": 1}
// When all of them are on the disk, PATH.new and PATH change places in one step, and the old files go. A reader of PATH, at
// any moment and after a kill or a power cut at any moment, finds all of the old files or all of the new ones. On a file system that cannot
// let directories change places, PATH is away for the instant between two renames (as PATH.old); recover_directory() brings it back
// should a kill hit that instant.
//
// One process writes PATH at a time: see directory_lock.h.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "fovea/base/file.h"

namespace fovea {

class StagedDirectory {
 public:
  // What an earlier process left in PATH.new is removed. The directory above is made where there is none. Throws where PATH holds
  // something that was not committed by this class: it would be lost.
  explicit StagedDirectory(const std::string& path, std::string_view who = "directory");
  StagedDirectory(const StagedDirectory&) = delete;
  StagedDirectory& operator=(const StagedDirectory&) = delete;
  // Without commit() nothing is left of it, and PATH is as it was.
  ~StagedDirectory();

  // A file of it; `name` has no directories.
  void add(const std::string& name, std::string_view bytes);
  // The same, in pieces: write(sink) calls sink(bytes) as often as it likes.
  void add(const std::string& name, const std::function<void(const ByteSink&)>& write);
  void commit();

 private:
  struct Entry {
    size_t bytes = 0;
    uint32_t crc = 0;
  };

  std::string path_, staging_, who_;
  std::map<std::string, Entry> entries_;
  bool staged_ = false;  // staging_ holds something of ours
};

// Whether PATH is a directory that was committed.
bool is_committed(const std::string& path);

// Throws where a file of PATH is missing, or is not what was committed. Files that the manifest does not name are ignored.
void verify_directory(const std::string& path, std::string_view who = "directory");

// Removes it with all that is in it, as far as that is possible; the manifest goes first, so that what a kill leaves is not taken for
// a whole one.
void remove_directory(const std::string& path);

// Removes what a process that was killed in commit() left beside PATH; where PATH itself is missing, the newest complete one takes its
// place.
void recover_directory(const std::string& path, std::string_view who = "directory");

}  // namespace fovea
