// A corpus as files.
#include <algorithm>
#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"
#include "fovea/data/corpora.h"

namespace fovea::data {
namespace {

// Lines on their way to a file, a MiB at a time.
class Lines {
 public:
  explicit Lines(StagedFile& file) : file_(file) {}
  void add(std::string_view line) {
    held_.append(line) += '\n';
    if (held_.size() >= (size_t{1} << 20)) send();
  }
  void send() {
    file_.write(held_);
    held_.clear();
  }

 private:
  StagedFile& file_;
  std::string held_;
};

void stage(const std::vector<Pair>& pairs, PartFiles& part, PendingFiles& files, std::string_view who) {
  Lines source(files.add(part.source, who)), target(files.add(part.target, who));
  for (const Pair& pair : pairs) {
    source.add(pair.source);
    target.add(pair.target);
    part.source_words += count_words(pair.source);
    part.target_words += count_words(pair.target);
  }
  source.send();
  target.send();
  if (part.align.empty()) return;
  Lines links(files.add(part.align, who));
  for (const Pair& pair : pairs) links.add(format_links(pair.links));
  links.send();
}

}  // namespace

std::vector<PartFiles> write_corpus(const Corpus& corpus, const std::string& dir, std::string_view who) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  check(!error, who, "cannot make the directory {}: {}", dir, error.message());
  PendingFiles files;
  std::vector<PartFiles> parts;
  const std::pair<const char*, const std::vector<Pair>*> all[] = {
      {"train", &corpus.train}, {"valid", &corpus.valid}, {"test", &corpus.test}};
  for (const auto& [name, pairs] : all) {
    if (pairs->empty()) continue;
    const std::string path = (std::filesystem::path(dir) / name).string() + ".";
    const bool aligned =
        std::any_of(pairs->begin(), pairs->end(), [](const Pair& pair) { return !pair.links.empty(); });
    PartFiles& part = parts.emplace_back();
    part.name = name;
    part.source = path + corpus.source;
    part.target = path + corpus.target;
    if (aligned) part.align = path + "align";
    part.pairs = static_cast<int64_t>(pairs->size());
    stage(*pairs, part, files, who);
  }
  files.commit();
  return parts;
}

}  // namespace fovea::data
