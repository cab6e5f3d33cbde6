// What a model computes from given ids, as numbers: for comparing with other programs.
#pragma once

#include <cstdint>
#include <span>

#include "fovea/run/picture_encoder.h"
#include "fovea/run/runner.h"
#include "fovea/tensor/tensor.h"

namespace fovea::decode {

// f32: logits [T, V] of the token after each, of labels [1, labels] for a model that classifies; the last hidden states [T, width] of an
// encoder without a head. A model that translates reads `source`, which ends with its end-of-sequence token; others read none.
Tensor logits_of(const run::Runner& runner, std::span<const int32_t> ids, std::span<const int32_t> source);

// f32, of prepared pictures [pictures, size, size, channels]: logits [pictures, labels]; of a model without labels the last hidden states
// [pictures, tokens, width].
Tensor logits_of_pictures(const run::PictureEncoder& model, const Tensor& pictures);

}  // namespace fovea::decode
