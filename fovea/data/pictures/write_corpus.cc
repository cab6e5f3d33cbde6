// A corpus of pictures as files.
#include <fcntl.h>

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/open_file.h"
#include "fovea/base/parallel.h"
#include "fovea/data/picture_corpora.h"
#include "fovea/data/pictures/read.h"

namespace fovea::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostPictures = 1'000'000;  // six digits name them
constexpr int64_t kTogether = 64;             // pictures drawn at once, on all threads

// Parts of a corpus gather in DIRECTORY/PART.new; what was not committed is removed.
class StagedParts {
 public:
  explicit StagedParts(std::string_view who) : who_(who) {}
  StagedParts(const StagedParts&) = delete;
  StagedParts& operator=(const StagedParts&) = delete;
  ~StagedParts() {
    std::error_code ignored;
    for (const std::string& target : targets_) fs::remove_all(target + ".new", ignored);
  }

  // The directory to write to.
  std::string add(const std::string& target) {
    std::error_code error;
    if (fs::exists(target, error))
      check(fs::is_directory(target, error) && fs::is_empty(target, error), who_,
            "{} is there already: give another directory, or remove it", target);
    fs::remove_all(target + ".new", error);
    fs::create_directories(target + ".new", error);
    check(!error, who_, "cannot make the directory {}: {}", target + ".new", error.message());
    targets_.push_back(target);
    return target + ".new";
  }
  void commit() {
    while (!targets_.empty()) {
      std::error_code error;
      fs::rename(targets_.back() + ".new", targets_.back(), error);
      check(!error, who_, "cannot make the directory {}: {}", targets_.back(), error.message());
      targets_.pop_back();
    }
  }

 private:
  std::string who_;
  std::vector<std::string> targets_;
};

int64_t write_file(const fs::path& path, std::string_view bytes, std::string_view who) {
  OpenFile file(path.string(), O_WRONLY | O_CREAT | O_TRUNC, who);
  file.write(bytes);
  file.close();
  return static_cast<int64_t>(bytes.size());
}

// The lines of a part's tables.
struct Tables {
  std::string texts, words, centres;

  void add(const std::string& file, const PictureSample& sample, bool centre) {
    texts += fmt::format("{}\t{}\n", file, sample.text);
    if (!sample.object_of_word.empty()) {
      words += file;
      for (size_t i = 0; i < sample.object_of_word.size(); ++i)
        words += fmt::format("{}{}", i == 0 ? '\t' : ' ', sample.object_of_word[i] + 1);
      words += '\n';
    }
    if (centre) centres += fmt::format("{}\t{:.1f}\t{:.1f}\n", file, sample.centre.x, sample.centre.y);
  }
};

struct Encoded {
  PictureSample sample;
  std::string picture, mask;
};

}  // namespace

std::vector<PicturePart> write_picture_corpus(const PictureCorpusKind& kind,
                                              const PictureCorpusOptions& options,
                                              const std::string& directory,
                                              const std::function<void(int64_t, int64_t)>& wrote,
                                              std::string_view who) {
  const auto count = [&](int64_t asked, int64_t by_default) {
    check(asked <= kMostPictures, who, "{} pictures: at most {} can be asked for in a part", asked,
          kMostPictures);
    return asked < 0 ? by_default : asked;
  };
  const std::pair<Part, int64_t> wanted[] = {{Part::kTrain, count(options.train, kind.train)},
                                             {Part::kValid, count(options.valid, kind.valid)},
                                             {Part::kTest, count(options.test, kind.test)}};
  int64_t all = 0, done = 0;
  for (const auto& [part, pictures] : wanted) all += pictures;

  StagedParts staged(who);
  std::vector<PicturePart> parts;
  for (const auto& [part, pictures] : wanted) {
    if (pictures == 0) continue;
    PicturePart& out = parts.emplace_back();
    out = {part, (fs::path(directory) / name_of(part)).string(), pictures, 0};
    const fs::path to = staged.add(out.directory);
    Tables tables;
    for (int64_t first = 0; first < pictures; first += kTogether) {
      std::vector<Encoded> drawn(static_cast<size_t>(std::min(kTogether, pictures - first)));
      parallel_for(static_cast<int64_t>(drawn.size()), [&](int64_t i) {
        Encoded& one = drawn[static_cast<size_t>(i)];
        one.sample = draw_sample(kind, options, part, first + i);
        one.picture = to_png(one.sample.picture);
        if (!one.sample.mask.pixels.empty()) one.mask = to_png(one.sample.mask);
      });
      for (size_t i = 0; i < drawn.size(); ++i) {
        const std::string file = fmt::format("{:06}.png", first + static_cast<int64_t>(i));
        const Encoded& one = drawn[i];
        out.bytes += write_file(to / file, one.picture, who);
        if (!one.mask.empty()) {
          if (first + static_cast<int64_t>(i) == 0) fs::create_directory(to / "masks");
          out.bytes += write_file(to / "masks" / file, one.mask, who);
        }
        tables.add(file, one.sample, !kind.captions && !one.mask.empty());
      }
      done += static_cast<int64_t>(drawn.size());
      if (wrote) wrote(done, all);
    }
    out.bytes += write_file(to / (kind.captions ? "captions.tsv" : "labels.tsv"), tables.texts, who);
    if (!tables.words.empty()) out.bytes += write_file(to / "words.tsv", tables.words, who);
    if (!tables.centres.empty()) out.bytes += write_file(to / "centres.tsv", tables.centres, who);
  }
  staged.commit();
  return parts;
}

}  // namespace fovea::data
