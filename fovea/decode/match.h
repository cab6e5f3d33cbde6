// Which of several texts describes a picture best, by a model that compares them: labels that no training needs to know.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/decode/classify.h"
#include "fovea/run/matcher.h"

namespace fovea::decode {

class LabelMatcher {
 public:
  // Throws for a label that the model cannot read, and names its line.
  LabelMatcher(std::shared_ptr<const run::Matcher> model, const data::Tokenizer& tokenizer,
               std::span<const std::string> labels);

  // The probability of each label for each picture: softmax over the labels of scale * cos(label, picture). Safe from any number of threads.
  std::vector<LabelValues> operator()(std::span<const data::Picture> pictures) const;

 private:
  std::shared_ptr<const run::Matcher> model_;
  Tensor labels_;  // vectors of length 1
};

}  // namespace fovea::decode
