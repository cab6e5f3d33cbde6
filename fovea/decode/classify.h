// Labels of lines, or of their words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/read_lines.h"

namespace fovea::decode {

// A line, or two that belong together.
struct LineOrPair {
  std::string_view first;
  std::optional<std::string_view> second = {};
};

// A number for each label of the model, in its order: probabilities of one label of several (softmax), of each label for itself
// (sigmoid), or the logits themselves, as the model's config says.
struct LabelValues {
  std::vector<float> values;
  size_t best() const;  // the label with the largest, the first of equals
  std::vector<size_t> best(
      size_t count) const;  // the labels with the largest, the largest first; at most so many
};

struct Classified {
  LabelValues line;  // of a model that labels lines
  struct Word {
    std::string_view text;  // in the line
    LabelValues labels;     // those of its first token
  };
  std::vector<Word> words;  // of a model that labels words; those that were cut off are not there
};

// Throws unless the model has labels; `where` names it.
void check_classifies(const run::LoadedEncoder& model, std::string_view where);

// In the order of the lines. Throws for one that the model cannot read, and names it.
std::vector<Classified> classify_lines(const run::LoadedEncoder& model, std::span<const LineOrPair> lines,
                                       const ReadOptions& options = {});

}  // namespace fovea::decode
