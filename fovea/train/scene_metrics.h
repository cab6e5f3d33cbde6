// What captions of the corpus `scenes` are worth, and whether the model looked at what it spoke of.
#pragma once

#include <span>
#include <string>

#include "fovea/data/picture_corpora.h"
#include "fovea/tensor/tensor.h"

namespace fovea::train {

// A caption, the truth about its picture, and where each of its words looked.
struct SceneCaption {
  const data::PictureSample* truth;
  std::string text;
  Tensor weights;    // [H, T, grid * grid], a row for each word and one for <eos>; undefined: nobody looked
  int64_t grid = 0;  // places in a row of the picture
};

// The share of captions, in percent, that say all of their scene and nothing wrong.
double meaning_of(std::span<const SceneCaption> captions);
// The share of content words, in percent, whose strongest place lies on the object that they name: some pixel of the place is more than
// half covered by it. Content words are sizes, colours and kinds of captions that are true. 0 where there are none.
double pointing_of(std::span<const SceneCaption> captions);
// Consecutive content words that name different objects: the mean of 1/2 sum_i |a_i - b_i| between their maps. 0: one map for all words.
double variation_of(std::span<const SceneCaption> captions);

}  // namespace fovea::train
