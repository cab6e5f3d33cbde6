#include "fovea/train/fit_to_data.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/data/built_in.h"
#include "fovea/models/table.h"

namespace fovea::train {
namespace {

using models::Learns;

// Tokens of the longer side. Noise is what a small corpus needs most, and a large one least.
constexpr int64_t kSmall = 200'000, kMedium = 2'000'000;

constexpr const char* kTransformerSizes[] = {"dim-model", "dim-ffn", "heads", "enc-depth", "dec-depth"};

bool has_pieces(const Settings& s) {
  return s.tokenizer == "spm" || s.tokenizer == "wordpiece" || s.tokenizer == "bpe";
}

// A vocabulary grows as the root of its text does: 1,000 pieces for 200 KB, 7,000 for 10 MB. Every character has its place in it.
int64_t vocabulary_for(int64_t bytes, int64_t characters) {
  constexpr double kStep = 100, kLeast = 500, kMost = 16'000;
  const double by_text =
      std::clamp(std::round(2.2 * std::sqrt(static_cast<double>(bytes)) / kStep) * kStep, kLeast, kMost);
  return std::max(static_cast<int64_t>(by_text), characters + characters / 4 + 300);
}

int64_t tokens_of(const Settings& s, const DataSize& size) {
  constexpr int64_t kBytesOfAPiece = 3;
  if (s.tokenizer == "word") return size.words + size.lines;
  if (has_pieces(s)) return std::max(size.words, size.bytes / kBytesOfAPiece) + size.lines;
  return size.bytes + size.lines;
}

class Fit {
 public:
  Fit(Settings& settings, const Keys& open, const DataSize& size) : s_(settings), open_(open), size_(size) {}

  void run() {
    const Learns learns = models::model_named(s_.model).learns;
    pictures_ = models::looks_at_pictures(learns);
    if (learns != Learns::kLabelledPictures) choose_vocabulary(learns);
    tokens_ = tokens_of(s_, size_);
    if (learns == Learns::kText) {
      choose_windows();
    } else if (pictures_) {
      choose_held_out();
      choose_length();
      // What it read a word from tells a captioner where it has looked; without that, it mistakes what lies where.
      if (learns == Learns::kCaptionedPictures && s_.attention == "luong")
        choose("input-feeding", &Settings::input_feeding, true);
    } else {
      choose_held_out();
      choose_batches();
      choose_length();
      if (learns == Learns::kPairs) choose_model();
    }
    choose_schedule(learns);
  }

 private:
  bool is_open(std::string_view key) const {
    return open_.contains(key) && is_about(setting_named(key), s_.model);
  }
  template <typename T, typename V>
  void choose(std::string_view key, T Settings::*member, const V& value) {
    if (is_open(key)) s_.*member = value;
  }

  void choose_vocabulary(Learns learns) {
    if (!s_.pretrained.empty()) return;  // it has its own
    if (s_.tokenizer == "auto") s_.tokenizer = tokenizer_of(s_);
    if (!has_pieces(s_)) return;
    if (learns == Learns::kPairs) choose("joint-vocab", &Settings::joint_vocab, true);
    const bool one_side = learns == Learns::kPairs && !s_.joint_vocab;
    choose("vocab-size", &Settings::vocab_size,
           vocabulary_for(one_side ? size_.bytes : size_.all_bytes, size_.characters));
  }

  // One in twenty, 1,000 or so at the most; none of a handful.
  void choose_held_out() {
    constexpr int64_t kFewest = 200;
    constexpr double kShare = 0.05, kMost = 1000;
    if (has_valid_data(s_)) return;
    choose("valid-split", &Settings::valid_split,
           size_.lines < kFewest ? 0.0 : std::min(kShare, kMost / static_cast<double>(size_.lines)));
  }

  // Small enough for some hundred updates in an epoch.
  void choose_batches() {
    constexpr int64_t kUpdates = 400, kStep = 100, kLeast = 400, kMost = 3000;
    if (s_.mini_batch > 0) return;  // whoever counts sentences does not count tokens
    choose("mini-batch-words", &Settings::mini_batch_words,
           std::clamp(tokens_ / kUpdates / kStep * kStep, kLeast, kMost));
  }

  // Ten epochs, and more where they have few updates. --early-stopping ends a run that learns nothing more.
  void choose_length() {
    constexpr int64_t kUpdates = 3000;
    constexpr double kEpochs = 10, kMost = 200;
    const double epochs = std::ceil(static_cast<double>(kUpdates) / static_cast<double>(epoch()));
    choose("after", &Settings::after, Amount{std::clamp(epochs, kEpochs, kMost), 'e'});
  }

  void choose_model() {
    const bool noisy = s_.corpus.empty();  // text that people wrote
    const bool own_output = s_.tied_embeddings || s_.dim_readout > 0;
    if (s_.joint_vocab && !own_output) choose("tied-embeddings-all", &Settings::tied_embeddings_all, true);
    const bool small = noisy && tokens_ < kSmall, medium = noisy && tokens_ < kMedium;
    choose("dropout", &Settings::dropout, small ? 0.4 : medium ? 0.2 : 0.1);
    // A model that may not be sure of itself goes on learning for longer before its cross-entropy rises.
    if (small) choose("label-smoothing", &Settings::label_smoothing, 0.2);
    // Sizes belong together: whoever gives one of them has a model in mind.
    const auto all_open = [&](auto& keys) {
      return std::ranges::all_of(keys, [&](const char* key) { return is_open(key); });
    };
    if (all_open(kTransformerSizes) && tokens_ < kMedium) {
      s_.dim_model = tokens_ < kSmall ? 128 : 256;
      s_.dim_ffn = 4 * s_.dim_model;
      s_.heads = 4;
      s_.enc_depth = s_.dec_depth = 3;
      choose("learn-rate", &Settings::learn_rate, tokens_ < kSmall ? 0.002 : 0.001);
    }
  }

  // A text is cut into windows, and validated on its end.
  void choose_windows() {
    constexpr double kMostToValidate = 200'000;  // bytes
    constexpr int64_t kLeast = 8;
    if (s_.valid_sets.empty())
      choose(
          "valid-split", &Settings::valid_split,
          std::min(s_.valid_split, kMostToValidate / static_cast<double>(std::max<int64_t>(1, size_.bytes))));
    const double split = s_.valid_sets.empty() && s_.valid_split > 0 ? s_.valid_split : 1;
    int64_t block = s_.block_size;
    while (block > kLeast && static_cast<double>(2 * block) > split * static_cast<double>(tokens_))
      block /= 2;
    choose("block-size", &Settings::block_size, block);
  }

  void choose_schedule(Learns learns) {
    constexpr double kWarmup = 200, kLeastWarmup = 20, kOften = 100, kRarely = 1000, kValidations = 4;
    const auto updates = static_cast<double>(updates_of(s_, epoch()));
    double warmup = s_.lr_warmup.count, every = s_.valid_freq.count;
    if (learns != Learns::kText) {
      const bool has_room = open_.contains("lr-warmup") || updates == 0 || updates > s_.lr_warmup.count;
      if (s_.after.count > 0 && has_room)
        choose("lr-schedule", &Settings::lr_schedule, std::string("cosine"));
      warmup = std::clamp(static_cast<double>(epoch()), kLeastWarmup, kWarmup);
      every = std::clamp(static_cast<double>(epoch()), kOften, kRarely);
    }
    if (updates > 0) {
      warmup = std::min(warmup, std::floor(updates / 10));
      every = std::min(every, std::ceil(updates / kValidations));
    }
    choose("lr-warmup", &Settings::lr_warmup, Amount{warmup, 'u'});
    choose("valid-freq", &Settings::valid_freq, Amount{every, 'u'});
  }

  // Updates, about.
  int64_t epoch() const {
    if (pictures_)
      return std::max<int64_t>(1, size_.lines / std::max<int64_t>(1, s_.mini_batch * s_.optimizer_delay));
    const bool text = models::model_named(s_.model).learns == Learns::kText;
    const int64_t sentences = s_.mini_batch * tokens_ / std::max<int64_t>(1, size_.lines);
    int64_t batch = text ? s_.mini_batch * s_.block_size : s_.mini_batch_words;
    if (!text && s_.mini_batch > 0) batch = std::min(batch, std::max<int64_t>(1, sentences));
    return std::max<int64_t>(1, tokens_ / std::max<int64_t>(1, batch * s_.optimizer_delay));
  }

  Settings& s_;
  const Keys& open_;
  const DataSize& size_;
  int64_t tokens_ = 0;
  bool pictures_ = false;
};

}  // namespace

void DataMeter::count(int side, std::string_view text) {
  words_[side] += data::count_words(text);
  bytes_[side] += static_cast<int64_t>(text.size());
  for_each_character(text, [&](std::string_view, uint32_t code) { characters_.insert(code); });
}

void DataMeter::add(std::string_view first, std::string_view second) {
  ++lines_;
  count(0, first);
  count(1, second);
}

DataSize DataMeter::size() const {
  return {lines_, std::max(words_[0], words_[1]), std::max(bytes_[0], bytes_[1]), bytes_[0] + bytes_[1],
          static_cast<int64_t>(characters_.size())};
}

Keys fitted_keys() {
  Keys keys = {"tokenizer", "vocab-size",       "joint-vocab",  "tied-embeddings-all",
               "dropout",   "label-smoothing",  "learn-rate",   "valid-split",
               "after",     "mini-batch-words", "block-size",   "lr-schedule",
               "lr-warmup", "valid-freq",       "input-feeding"};
  keys.insert(std::begin(kTransformerSizes), std::end(kTransformerSizes));
  return keys;
}

std::string fit_to_data(Settings& settings, const Keys& open, const DataSize& size) {
  const Settings before = settings;
  Fit(settings, open, size).run();
  std::string flags;
  for (const Difference& d : differences(before, settings))
    flags += fmt::format("{}--{} {}", flags.empty() ? "" : " ", d.setting->key, d.is);
  return flags;
}

Settings fitted_to_some_data(Settings settings, const Keys& open) {
  fit_to_data(settings, open, {10'000, 100'000, 500'000, 1'000'000, 100});
  return settings;
}

std::string tokenizer_of(const Settings& settings) {
  if (settings.tokenizer != "auto") return settings.tokenizer;
  if (!settings.corpus.empty()) {
    const data::BuiltIn corpus = data::built_in_named(settings.corpus);
    return corpus.lines ? corpus.lines->tokenizer : "word";
  }
  return models::model_named(settings.model).tokenizer;
}

int64_t updates_of(const Settings& settings, int64_t epoch_size) {
  const double count = settings.after.unit == 'u'   ? settings.after.count
                       : settings.after.unit == 'e' ? settings.after.count * static_cast<double>(epoch_size)
                                                    : 0;
  return std::llround(count);
}

std::string warning_of_warmup(const Settings& settings, int64_t epoch_size) {
  const int64_t updates = updates_of(settings, epoch_size);
  if (updates == 0 || static_cast<double>(updates) > settings.lr_warmup.count) return "";
  return fmt::format(
      "--after {} is {} updates, and the warm-up takes {}: the learning rate never gets to {}; train longer, "
      "or make --lr-warmup less",
      settings.after.text(), grouped(updates), settings.lr_warmup.text(), settings.learn_rate);
}

}  // namespace fovea::train
