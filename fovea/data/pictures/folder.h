// A directory of pictures and a table of what they are: tab-separated lines, `file<TAB>caption` or `file<TAB>label`. Files are named from
// the directory on, with / between folders; a picture may have several lines (several captions).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/pictures/read.h"

namespace fovea::data {

class PictureFolder {
 public:
  struct Row {
    std::string file, text;  // text: the caption or the label
  };

  // Reads the table and looks for its files; pictures are read when they are asked for. Throws [who] TABLE: line N ... for a line without
  // exactly one tab, an empty file name or text, a file that is not there, and a path that leads out of the directory; and for a table
  // without lines.
  PictureFolder(std::string directory, const std::string& table, std::string_view who = "pictures");

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  const std::vector<Row>& rows() const { return rows_; }
  const Row& row(int64_t i) const { return rows_[static_cast<size_t>(i)]; }
  // The picture of a row. Any number of threads may call it.
  Picture picture(int64_t i, Alpha alpha = Alpha::kDropped) const;
  // The texts, each once, sorted: the classes, where texts are labels.
  std::vector<std::string> labels() const;
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_, who_;
  std::vector<Row> rows_;
};

// Files of the directory and its folders that end in .png, .jpg or .jpeg, in any case, and that none of the tables names; sorted.
// A table of training and one of validation may share a directory: what both leave out has no caption.
std::vector<std::string> pictures_without_rows(const std::string& directory,
                                               std::span<const PictureFolder* const> tables,
                                               std::string_view who = "pictures");

}  // namespace fovea::data
