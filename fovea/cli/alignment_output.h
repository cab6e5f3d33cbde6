// --alignment hard|soft of the verbs that look: what stands behind the last ||| of a line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "fovea/models/model_dir.h"

namespace fovea::cli {

class Arguments;

struct AlignmentOutput {
  std::string kind;     // hard, soft, or empty: none
  bool pieces = false;  // links between pieces instead of words

  bool wanted() const { return !kind.empty(); }
  // About how many bytes of text it is for a pair of lines with so many pieces.
  int64_t bytes(int64_t source, int64_t target) const {
    return kind == "soft" ? 8 * (source + 1) * (target + 1) : 0;
  }
};

// --alignment, --alignment-pieces.
void add_alignment_options(Arguments& app, AlignmentOutput& output);

// "0-0 1-2" or "0.9,0.1 0.2,0.8" for weights [H, T, S] of a line and the ids of its target; the source may have been cut
// to S - 1 ids. Throws [who] ... where the model does not look.
std::string format_alignment(const AlignmentOutput& output, const models::Model& model,
                             std::string_view source, std::span<const int32_t> target, const Tensor& weights,
                             std::string_view who);

}  // namespace fovea::cli
