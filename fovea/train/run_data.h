// The pairs that a run learns from and is validated on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fovea/data/pair.h"
#include "fovea/data/tokenizer.h"
#include "fovea/train/fit_to_data.h"
#include "fovea/train/settings.h"

namespace fovea::train {

struct RunData {
  std::vector<data::Pair> train;  // with links where --guided-alignment asks for them, and only then
  std::vector<data::Pair> valid;  // may be none

  // A checksum of the lines of `valid`.
  uint32_t valid_checksum() const;
};

// From the built-in corpus or from the files that the settings name.
RunData load_data(const Settings& settings);
// Where there is nothing to validate on, --valid-split takes that share of the training pairs: equal sources stay together. Whether it took
// some.
bool hold_out(RunData& data, const Settings& settings);
// For a line of the log: ", held out of the training data (--valid-split 0.05)".
std::string held_out_of(const Settings& settings);
// How much text is in files.
DataSize size_of_texts(const Words& paths);
// Throws for a file that cannot be read, before anything is.
void check_files(const Settings& settings);

struct Tokenizers {
  std::shared_ptr<const data::Tokenizer> source, target;  // one and the same with --joint-vocab
};
Tokenizers learn_tokenizers(const std::vector<data::Pair>& pairs, const Settings& settings);
// One for texts, from their first lines, up to some hundred MB. `line_ends`: they are text, too.
std::shared_ptr<const data::Tokenizer> learn_tokenizer(const Words& texts, const Settings& settings,
                                                       bool line_ends);

}  // namespace fovea::train
