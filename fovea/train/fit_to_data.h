// Settings that nobody gave, chosen once the training data is known: what suits 40,000 pairs teaches 3,000 pairs nothing. All of
// these rules are here; docs/training.md has them as a table.
//
// A setting that was given is never changed, and neither is one that the model does not look at. A run that goes on keeps what it began
// with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "fovea/train/settings.h"

namespace fovea::train {

// How much there is to learn from.
struct DataSize {
  int64_t lines = 0;       // pairs, lines of text, or pictures
  int64_t words = 0;       // what is between blanks; of pairs, on the longer side
  int64_t bytes = 0;       // of pairs, on the longer side
  int64_t all_bytes = 0;   // of pairs, on both sides
  int64_t characters = 0;  // different ones, in all of it
};

// Counts lines as they come.
class DataMeter {
 public:
  // `second` is the other side of a pair.
  void add(std::string_view first, std::string_view second = {});
  DataSize size() const;

 private:
  void count(int side, std::string_view text);

  int64_t lines_ = 0, words_[2] = {}, bytes_[2] = {};
  std::unordered_set<uint32_t> characters_;
};

// Every setting that fit_to_data() may choose.
Keys fitted_keys();

// Chooses the settings whose keys are in `open`. Returns those that changed, as flags: "--vocab-size 1000 --dropout 0.3".
std::string fit_to_data(Settings& settings, const Keys& open, const DataSize& size);
// The same for data of some common size: what is known to be wrong before any data is read.
Settings fitted_to_some_data(Settings settings, const Keys& open);

// --tokenizer, or what stands for `auto`: what suits a built-in corpus, pieces of words otherwise.
std::string tokenizer_of(const Settings& settings);

// How many updates --after is, in a run whose epochs have `epoch_size` of them; 0: that depends on the machine.
int64_t updates_of(const Settings& settings, int64_t epoch_size);
// One sentence where the run ends before its warm-up does; otherwise nothing.
std::string warning_of_warmup(const Settings& settings, int64_t epoch_size);

}  // namespace fovea::train
