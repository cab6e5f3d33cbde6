#include "fovea/cli/corpus_pictures.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/base/terminal_columns.h"
#include "fovea/cli/output.h"
#include "fovea/data/pictures/read.h"
#include "fovea/data/pictures/sheet.h"
#include "fovea/look/width.h"

namespace fovea::cli {
namespace {

using data::Part;

constexpr int64_t kMostOnASheet = 1000, kColumns = 10, kScale = 2;

// One line on the terminal, renewed a few times a second and gone at the end.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() {
    if (drawn_) fmt::print(stderr, "\r\x1b[K");
  }

  void show(int64_t done, int64_t all) {
    constexpr auto kPause = std::chrono::milliseconds(200);
    const auto now = std::chrono::steady_clock::now();
    if (!visible_ || now - shown_ < kPause) return;
    shown_ = now;
    drawn_ = true;
    const std::string line = fmt::format("[corpus] {} of {} pictures", grouped(done), grouped(all));
    fmt::print(stderr, "\r{}\x1b[K", look::elide(line, terminal_columns(STDERR_FILENO, 80) - 1));
    std::fflush(stderr);
  }

 private:
  bool visible_ = isatty(STDERR_FILENO) != 0, drawn_ = false;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

// The samples of all parts that the options ask for.
void each_sample(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                 const std::function<void(const data::PictureSample&)>& use) {
  const std::pair<Part, int64_t> parts[] = {
      {Part::kTrain, options.train}, {Part::kValid, options.valid}, {Part::kTest, options.test}};
  for (const auto& [part, count] : parts)
    for (int64_t i = 0; i < count; ++i) use(data::draw_sample(kind, options, part, i));
}

}  // namespace

void show_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options) {
  each_sample(kind, options, [](const data::PictureSample& sample) { print("{}\n", sample.text); });
}

void write_sheet(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                 const std::string& path) {
  check(options.train + options.valid + options.test <= kMostOnASheet, "corpus",
        "{} pictures on one sheet: at most {} can be asked for", options.train + options.valid + options.test,
        kMostOnASheet);
  std::vector<data::Picture> pictures;
  each_sample(kind, options, [&](const data::PictureSample& sample) { pictures.push_back(sample.picture); });
  write_atomically(path, data::to_png(data::contact_sheet(pictures, kColumns, kScale)), "corpus");
}

void write_pictures(const data::PictureCorpusKind& kind, const data::PictureCorpusOptions& options,
                    const std::string& directory) {
  std::vector<data::PicturePart> parts;
  {
    Progress progress;
    parts = data::write_picture_corpus(kind, options, directory,
                                       [&](int64_t done, int64_t all) { progress.show(done, all); });
  }
  print("{:<6} {:>10} {:>10}  {}\n", "part", "pictures", "KiB", "directory");
  for (const data::PicturePart& part : parts)
    print("{:<6} {:>10} {:>10}  {}\n", name_of(part.part), part.pictures, (part.bytes + 1023) / 1024,
          part.directory);
}

}  // namespace fovea::cli
