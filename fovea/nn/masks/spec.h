// Masks as text: what `fovea attend`, config.json and the settings of training say.
//
//   window:8            keys at a distance of at most 8
//   alibi+window:64     several masks, all of which apply
//   relative:32:128     32 buckets of distance, the last of them from 128 on
//
// The arrays that a mask learns (the table of relative, the predictor of local-p) belong to the attention that has the mask.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/nn/masks/mask.h"

namespace fovea::nn {

// The attentions that models have. A decoder's self-attention is causal without saying so, except where prefix stands in for it.
enum class Place {
  kEncoder,  // positions of one whole sequence
  kDecoder,  // positions of one sequence that grows
  kCross     // a sequence that grows looks at one that is whole; query i stands at position i
};

// What the sizes of learned arrays depend on.
struct MaskSizes {
  int64_t heads, width;  // width of a head
};

struct MaskArray {
  const char* name;  // in a model's weights, after the name of the attention
  Shape shape;
  double deviation = 0;  // its first numbers: normal with this deviation; 0: Xavier's
};

using MaskNumbers = std::array<int64_t, 2>;

struct MaskKind {
  const char* name;
  const char* written;  // how it is chosen: "window:N"
  const char* what;
  // The numbers after the name, in order. One without a usual value must be given.
  struct Number {
    int64_t least, usual = kNone;
  };
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::min();
  std::vector<Number> numbers;
  // Why an attention of a model cannot have it; null where it can.
  const char* (*why_not)(Place);
  Mask (*make)(const MaskNumbers&, Place, std::span<const Var> arrays);
  // What it learns; null: nothing.
  std::vector<MaskArray> (*arrays)(const MaskNumbers&, const MaskSizes&) = nullptr;
};

// Every kind of mask, in the order in which help lists them.
std::span<const MaskKind> mask_table();
// Throws where there is none of that name, and names the nearest.
const MaskKind& mask_named(std::string_view name);

// One kind with its numbers.
struct MaskTerm {
  const MaskKind* kind;
  MaskNumbers numbers;
  size_t learned = 0;  // arrays
};

class MaskSpec {
 public:
  MaskSpec() = default;             // "none": everything is visible
  MaskSpec(std::string_view text);  // NOLINT: "alibi+window:64"; "" and "none" are the same
  MaskSpec(const std::string& text) : MaskSpec(std::string_view(text)) {}  // NOLINT
  MaskSpec(const char* text) : MaskSpec(std::string_view(text)) {}         // NOLINT

  bool empty() const { return terms_.empty(); }
  std::span<const MaskTerm> terms() const { return terms_; }
  bool has(std::string_view kind) const;
  // As it is parsed, in the same order; "none" where there is nothing.
  std::string text() const;

  // Throws where an attention of a model at `place` cannot have it: "[mask] local-m in an encoder: ...".
  void check_at(Place place) const;

  // What it learns, kind after kind.
  std::vector<MaskArray> arrays(const MaskSizes& sizes) const;
  // The mask itself, with those arrays, and causal() in a decoder.
  Mask mask(Place place, std::span<const Var> arrays = {}) const;

 private:
  std::vector<MaskTerm> terms_;
};

}  // namespace fovea::nn
