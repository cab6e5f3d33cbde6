#include "fovea/train/run_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/data/corpora.h"
#include "fovea/data/held_out.h"
#include "fovea/data/parallel_text.h"
#include "fovea/data/text_file.h"

namespace fovea::train {
namespace {

constexpr std::string_view kInTsv = "tsv";  // --guided-alignment: the third column

data::ParallelFiles files_of(const Words& sets) { return {sets.front(), sets.size() > 1 ? sets[1] : "", ""}; }

void drop_links(std::vector<data::Pair>& pairs) {
  for (data::Pair& pair : pairs) pair.links = {};
}

RunData load_corpus(const Settings& settings) {
  data::CorpusOptions options{.seed = static_cast<uint64_t>(settings.corpus_seed), .language = settings.lang};
  if (settings.corpus_size > 0) options.train = settings.corpus_size;
  options.test = 0;
  data::Corpus corpus = data::make_corpus(settings.corpus, options);
  return {std::move(corpus.train), std::move(corpus.valid)};
}

RunData load_files(const Settings& settings) {
  RunData loaded;
  data::ParallelFiles files = files_of(settings.train_sets);
  if (settings.guided_alignment != kInTsv) files.alignment = settings.guided_alignment;
  loaded.train = data::read_pairs(files, "train");
  if (!settings.valid_sets.empty()) {
    loaded.valid = data::read_pairs(files_of(settings.valid_sets), "train");
    check(!loaded.valid.empty(), "train", "{}: there are no lines to validate with",
          settings.valid_sets.front());
  }
  return loaded;
}

}  // namespace

uint32_t RunData::valid_checksum() const {
  uint32_t crc = 0;
  for (const data::Pair& pair : valid)
    for (const std::string* line : {&pair.source, &pair.target}) crc = crc32c("\n", crc32c(*line, crc));
  return crc;
}

RunData load_data(const Settings& settings) {
  RunData loaded = settings.corpus.empty() ? load_files(settings) : load_corpus(settings);
  drop_links(loaded.valid);
  if (settings.guided_alignment.empty()) {
    drop_links(loaded.train);
  } else {
    bool any = false;
    for (const data::Pair& pair : loaded.train) any = any || !pair.links.empty();
    check(any, "train", "--guided-alignment {}: there is not one link between words",
          settings.guided_alignment);
  }
  return loaded;
}

bool hold_out(RunData& data, const Settings& settings) {
  if (settings.valid_split == 0 || !data.valid.empty() || !settings.corpus.empty()) return false;
  const auto stays = [&](const data::Pair& pair) {
    return data::place_of(pair.source) >= settings.valid_split;
  };
  const auto split = std::stable_partition(data.train.begin(), data.train.end(), stays);
  data.valid.assign(std::move_iterator(split), std::move_iterator(data.train.end()));
  data.train.erase(split, data.train.end());
  drop_links(data.valid);
  return !data.valid.empty();
}

std::string held_out_of(const Settings& settings) {
  return fmt::format(", held out of the training data (--valid-split {:.2g})", settings.valid_split);
}

DataSize size_of_texts(const Words& paths) {
  DataMeter meter;
  for (const std::string& path : paths) {
    data::TextFile file(path, "train");
    for (std::string line; file.next_piece(line);) meter.add(line);
  }
  return meter.size();
}

void check_files(const Settings& settings) {
  Words paths = settings.train_sets;
  paths.insert(paths.end(), settings.valid_sets.begin(), settings.valid_sets.end());
  if (settings.corpus.empty() && !settings.guided_alignment.empty() && settings.guided_alignment != kInTsv)
    paths.push_back(settings.guided_alignment);
  for (const std::string* path : {&settings.labels, &settings.captions, &settings.images,
                                  &settings.valid_labels, &settings.valid_captions, &settings.valid_images})
    if (!path->empty()) paths.push_back(*path);
  for (const std::string& path : paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || ::access(path.c_str(), R_OK) != 0)
      fail("train", "{}: {}", path, std::strerror(errno));
    check(!S_ISDIR(info.st_mode), "train", "{}: {}", path, std::strerror(EISDIR));
  }
  if (settings.pictures.empty()) return;
  struct stat info {};
  if (::stat(settings.pictures.c_str(), &info) != 0)
    fail("train", "{}: {}", settings.pictures, std::strerror(errno));
  check(S_ISDIR(info.st_mode), "train", "--pictures {}: expected a directory", settings.pictures);
}

Tokenizers learn_tokenizers(const std::vector<data::Pair>& pairs, const Settings& settings) {
  const data::TokenizerOptions options{.kind = tokenizer_of(settings),
                                       .vocab_size = settings.vocab_size,
                                       .seed = static_cast<uint64_t>(settings.seed)};
  std::vector<std::string> source, target;
  for (const data::Pair& pair : pairs) {
    source.push_back(pair.source);
    (settings.joint_vocab ? source : target).push_back(pair.target);
  }
  Tokenizers learned;
  learned.source = data::train_tokenizer(source, options);
  learned.target = settings.joint_vocab ? learned.source : data::train_tokenizer(target, options);
  return learned;
}

std::shared_ptr<const data::Tokenizer> learn_tokenizer(const Words& texts, const Settings& settings,
                                                       bool line_ends) {
  constexpr size_t kMostBytes = size_t{1} << 28;
  std::vector<std::string> lines;
  size_t bytes = 0;
  for (const std::string& path : texts) {
    data::TextFile file(path, "train");
    const auto next = [&](std::string& line) { return line_ends ? file.next_piece(line) : file.next(line); };
    for (std::string line; bytes < kMostBytes && next(line);) {
      if (!line_ends && settings.task != "words")  // the last column has labels
        line.resize(std::min(line.rfind('\t'), line.size()));
      if (line_ends && file.ended()) line += '\n';
      bytes += line.size();
      lines.push_back(line);
    }
  }
  check(!lines.empty(), "train", "{}: there are no lines to learn from", texts.front());
  return data::train_tokenizer(lines, {.kind = tokenizer_of(settings),
                                       .vocab_size = settings.vocab_size,
                                       .seed = static_cast<uint64_t>(settings.seed)});
}

}  // namespace fovea::train
