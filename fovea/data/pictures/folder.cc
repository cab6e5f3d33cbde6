#include "fovea/data/pictures/folder.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/text_file.h"

namespace fovea::data {
namespace {

namespace fs = std::filesystem;

// A folder above, or a place of its own: a table from elsewhere must not say which files of this computer are read.
bool leads_out(const std::string& file) {
  const fs::path path(file);
  return path.is_absolute() ||
         std::any_of(path.begin(), path.end(), [](const fs::path& p) { return p == ".."; });
}

bool is_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

}  // namespace

PictureFolder::PictureFolder(std::string directory, const std::string& table, std::string_view who)
    : directory_(std::move(directory)), who_(who) {
  std::error_code error;
  check(fs::is_directory(directory_, error), who, "{}: not a directory: expected one with pictures",
        directory_);
  TextFile lines(table, who);
  std::unordered_set<std::string> seen;
  std::string line;
  while (lines.next(line)) {
    const auto expect = [&](bool ok, std::string_view what) {
      check(ok, who, "{}: line {} {}", lines.name(), lines.lines(), what);
    };
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1)
      fail(who, "{}: line {} has {} columns: expected two, a file and its text, with one tab between them",
           lines.name(), lines.lines(), tabs + 1);
    const size_t tab = line.find('\t');
    Row row{line.substr(0, tab), line.substr(tab + 1)};
    expect(!row.file.empty(), "names no file before its tab");
    expect(row.text.find_first_not_of(' ') != std::string::npos, "has no text after its tab");
    if (leads_out(row.file))
      fail(who, "{}: line {} names {}: expected a file within {}", lines.name(), lines.lines(),
           quote(row.file), directory_);
    if (seen.insert(row.file).second && !fs::is_regular_file(fs::path(directory_) / row.file, error))
      fail(who, "{}: line {} names {}, and {} has no such file", lines.name(), lines.lines(), quote(row.file),
           directory_);
    rows_.push_back(std::move(row));
  }
  check(!rows_.empty(), who, "{}: no lines: expected a file and its text, with a tab between them, in each",
        lines.name());
}

Picture PictureFolder::picture(int64_t i, Alpha alpha) const {
  return read_picture((fs::path(directory_) / row(i).file).string(), alpha, who_);
}

std::vector<std::string> PictureFolder::labels() const {
  std::set<std::string> names;
  for (const Row& row : rows_) names.insert(row.text);
  return {names.begin(), names.end()};
}

std::vector<std::string> pictures_without_rows(const std::string& directory,
                                               std::span<const PictureFolder* const> tables,
                                               std::string_view who) {
  std::unordered_set<std::string> named;
  for (const PictureFolder* table : tables)
    for (const PictureFolder::Row& row : table->rows())
      named.insert(fs::path(row.file).lexically_normal().generic_string());
  std::vector<std::string> left;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (!is_picture_name(at->path())) continue;
    std::string file = at->path().lexically_relative(directory).generic_string();
    if (!named.contains(file)) left.push_back(std::move(file));
  }
  check(!error, who, "{}: {}", directory, error.message());
  std::sort(left.begin(), left.end());
  return left;
}

}  // namespace fovea::data
