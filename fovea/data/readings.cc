#include "fovea/data/readings.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"
#include "fovea/base/random.h"
#include "fovea/data/blanks.h"
#include "fovea/data/held_out.h"
#include "fovea/data/text_file.h"

namespace fovea::data {
namespace {

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (size_t begin = 0;;) {
    const size_t end = std::min(line.find('\t', begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return columns;
    begin = end + 1;
  }
}

// A line whose labels are not numbers yet.
struct Raw {
  Reading reading;
  std::vector<std::string> labels;  // one, or one for each word
  std::vector<int32_t> words;       // of each id that is text
};

Raw raw_of(std::string_view line, const std::string& path, int64_t number, const Tokenizer& tokenizer,
           const ReadingOptions& o) {
  Raw raw;
  if (o.wanted == Wanted::kWords) {
    raw.reading = marked(tokenizer, line, {}, false, o.max_length);
    return raw;
  }
  const std::vector<std::string_view> columns = columns_of(line);
  const bool pair = columns.size() == 3;
  if (columns.size() < 2 || columns.size() > 3 || (pair && o.wanted == Wanted::kTokenLabels))
    fail("data", "{}: line {} has {} columns: expected {}", path, grouped(number), columns.size(),
         o.wanted == Wanted::kLabel ? "SENTENCE <tab> LABEL, or two sentences and a label"
                                    : "WORDS <tab> LABELS");
  raw.reading = marked(tokenizer, columns[0], pair ? columns[1] : std::string_view(), pair, o.max_length);
  if (o.wanted == Wanted::kLabel) {
    check(!columns.back().empty(), "data", "{}: line {} has an empty label", path, grouped(number));
    raw.labels.emplace_back(columns.back());
    return raw;
  }
  for_each_word(columns[1], [&](std::string_view label) { raw.labels.emplace_back(label); });
  if (static_cast<int32_t>(raw.labels.size()) != count_words(columns[0]))
    fail("data", "{}: line {} has {} words and {} labels", path, grouped(number), count_words(columns[0]),
         raw.labels.size());
  raw.words = tokenizer.words_of(columns[0]);
  return raw;
}

}  // namespace

Reading marked(const Tokenizer& tokenizer, std::string_view first, std::string_view second, bool pair,
               int64_t most) {
  const size_t around = (pair ? tokenizer.with_specials({}, {}) : tokenizer.with_specials({})).size();
  const bool has_template = around >= 2;  // something before the line, and something behind it
  std::vector<int32_t> one = tokenizer.encode(first), two;
  if (pair) two = tokenizer.encode(second);
  const int64_t room = std::max<int64_t>(0, most - (has_template ? static_cast<int64_t>(around)
                                                    : pair       ? 3
                                                                 : 2));
  while (static_cast<int64_t>(one.size() + two.size()) > room)
    (one.size() >= two.size() ? one : two).pop_back();
  Reading made;
  if (has_template) {
    made.ids = pair ? tokenizer.with_specials(one, two) : tokenizer.with_specials(one);
    made.segments =
        pair ? tokenizer.segments(one.size(), two.size()) : std::vector<int32_t>(made.ids.size(), 0);
    return made;
  }
  const SpecialIds special = tokenizer.special_ids();
  const int32_t begin = special.cls >= 0 ? special.cls : special.sos,
                end = special.sep >= 0 ? special.sep : special.eos;
  made.ids.push_back(begin);
  made.ids.insert(made.ids.end(), one.begin(), one.end());
  made.ids.push_back(end);
  made.segments.assign(made.ids.size(), 0);
  if (pair) {
    made.ids.insert(made.ids.end(), two.begin(), two.end());
    made.ids.push_back(end);
    made.segments.resize(made.ids.size(), 1);
  }
  return made;
}

Readings read_readings(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
                       const ReadingOptions& options, const std::vector<std::string>& labels) {
  Readings all;
  std::vector<Raw> raws;
  std::set<std::string> names;
  for (const std::string& path : paths) {
    TextFile file(path);
    for (std::string line; file.next(line);) {
      if (count_words(line) == 0) {
        ++all.empty;
        continue;
      }
      Raw raw = raw_of(line, path, file.lines(), tokenizer, options);
      if (raw.reading.ids.size() <= 2) {  // nothing that the tokenizer reads
        ++all.empty;
        continue;
      }
      raws.push_back(std::move(raw));
      all.cut += static_cast<int64_t>(raws.back().reading.ids.size()) == options.max_length;
      for (const std::string& label : raws.back().labels) {
        names.insert(label);
        check(labels.empty() || std::find(labels.begin(), labels.end(), label) != labels.end(), "data",
              "{}: line {} has the label {}, which the model does not know", path, grouped(file.lines()),
              quote(label));
      }
    }
  }
  check(!raws.empty(), "data", "{}: there are no lines to learn from", paths.empty() ? "" : paths.front());
  all.labels = labels.empty() ? std::vector<std::string>(names.begin(), names.end()) : labels;
  std::map<std::string, int32_t> numbers;
  for (const std::string& label : all.labels) numbers.emplace(label, static_cast<int32_t>(numbers.size()));
  for (Raw& raw : raws) {
    if (options.wanted == Wanted::kLabel) raw.reading.wanted = {numbers[raw.labels[0]]};
    if (options.wanted == Wanted::kTokenLabels) {  // of a word, its first piece
      raw.reading.wanted.assign(raw.reading.ids.size(), kIgnore);
      for (size_t i = 0; i < raw.words.size() && i + 2 < raw.reading.ids.size(); ++i)
        if (raw.words[i] >= 0 && (i == 0 || raw.words[i] != raw.words[i - 1]))
          raw.reading.wanted[i + 1] = numbers[raw.labels[static_cast<size_t>(raw.words[i])]];
    }
    all.lines.push_back(std::move(raw.reading));
  }
  return all;
}

Readings hold_out(Readings& readings, double share) {
  Readings held{.lines = {}, .labels = readings.labels};
  const auto stays = [&](const Reading& line) {
    const std::string_view bytes(reinterpret_cast<const char*>(line.ids.data()),
                                 line.ids.size() * sizeof(int32_t));
    return place_of(bytes) >= share;
  };
  const auto split = std::stable_partition(readings.lines.begin(), readings.lines.end(), stays);
  held.lines.assign(std::move_iterator(split), std::move_iterator(readings.lines.end()));
  readings.lines.erase(split, readings.lines.end());
  return held;
}

uint64_t fingerprint(const Readings& readings) {
  uint32_t crc = 0;
  for (const Reading& line : readings.lines)
    for (const auto* ids : {&line.ids, &line.segments, &line.wanted})
      crc = crc32c(std::as_bytes(std::span(*ids)), crc32c("\n", crc));
  return (static_cast<uint64_t>(readings.lines.size()) << 32) ^ crc;
}

std::vector<Lengths> lengths_of(const Readings& readings) {
  std::vector<Lengths> lengths;
  for (const Reading& line : readings.lines) lengths.push_back({static_cast<int64_t>(line.ids.size()), 0});
  return lengths;
}

namespace {

// What stands for a hidden word: [MASK], or another id that stands for no text.
int32_t hiding_id(const SpecialIds& special) {
  for (const int32_t id : {special.mask, special.unk, special.pad, special.eos})
    if (id >= 0) return id;
  fail("readings", "the tokenizer has no special token that a hidden word could be shown as: use wordpiece");
}

// Hides words of a row: `ids` are changed, and `wanted` gets what stood there.
void hide(std::span<int32_t> ids, std::span<int32_t> wanted, const Tokenizer& tokenizer, double share,
          Random random) {
  const SpecialIds special = tokenizer.special_ids();
  std::vector<size_t> places;
  for (size_t i = 0; i < ids.size(); ++i) {
    const int32_t id = ids[i];
    if (id != special.cls && id != special.sep && id != special.sos && id != special.eos && id != special.pad)
      places.push_back(i);
  }
  if (places.empty()) return;
  for (size_t i = places.size(); i > 1; --i)
    std::swap(places[i - 1], places[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  const auto count =
      std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(places.size()) + 0.5));
  for (size_t k = 0; k < count; ++k) {
    const size_t i = places[k];
    wanted[i] = ids[i];
    const int64_t dice = random.below(10);
    if (dice < 8)
      ids[i] = hiding_id(special);
    else if (dice == 8)
      ids[i] = static_cast<int32_t>(random.below(tokenizer.size()));
  }
}

}  // namespace

Batch reading_batch(const Readings& readings, std::span<const int32_t> lines, const Tokenizer& tokenizer,
                    const ReadingOptions& options, uint64_t seed, int64_t epoch) {
  constexpr uint64_t kHiding = uint64_t{0xDA7A0004} << 32;  // a stream of the seed of its own
  const auto B = static_cast<int64_t>(lines.size());
  int64_t S = 0;
  for (const int32_t line : lines)
    S = std::max(S, static_cast<int64_t>(readings.lines[static_cast<size_t>(line)].ids.size()));
  Batch batch;
  batch.source = {Tensor::full({B, S}, std::max(0, tokenizer.special_ids().pad), DType::kI32),
                  Tensor::empty({B}, DType::kI32), Tensor::zeros({B, S}, DType::kI32)};
  batch.target_out = Tensor::full({B, options.wanted == Wanted::kLabel ? 1 : S}, kIgnore, DType::kI32);
  for (int64_t b = 0; b < B; ++b) {
    const int32_t number = lines[static_cast<size_t>(b)];
    const Reading& line = readings.lines[static_cast<size_t>(number)];
    int32_t* ids = batch.source.ids.data<int32_t>() + b * S;
    int32_t* wanted = batch.target_out.data<int32_t>() + b * batch.target_out.dim(1);
    std::copy(line.ids.begin(), line.ids.end(), ids);
    std::copy(line.segments.begin(), line.segments.end(), batch.source.segments.data<int32_t>() + b * S);
    std::copy(line.wanted.begin(), line.wanted.end(), wanted);
    batch.source.lengths.data<int32_t>()[b] = static_cast<int32_t>(line.ids.size());
    batch.lines.push_back(number);
    if (options.wanted == Wanted::kWords)
      hide({ids, line.ids.size()}, {wanted, line.ids.size()}, tokenizer, options.hidden,
           Random(seed, kHiding + static_cast<uint64_t>(epoch) * readings.lines.size() +
                            static_cast<uint64_t>(number)));
  }
  for (const int32_t id : batch.target_out.span<int32_t>()) batch.target_tokens += id != kIgnore;
  return batch;
}

ReadingStream::ReadingStream(const Readings& readings, const Tokenizer& tokenizer,
                             const ReadingOptions& options, const BatchOptions& batches, Position at)
    : BatchStream(at),
      readings_(&readings),
      tokenizer_(&tokenizer),
      options_(options),
      batches_(batches),
      lengths_(lengths_of(readings)) {
  begin_epoch(at.epoch);
  check_position();
}

void ReadingStream::begin_epoch(int64_t epoch) { plan_ = plan_epoch(lengths_, batches_, epoch); }

Batch ReadingStream::batch_at(const Position& position) {
  return reading_batch(*readings_, plan_.batch(position.batch), *tokenizer_, options_, batches_.seed,
                       position.epoch);
}

}  // namespace fovea::data
