#include "fovea/cli/alignment_output.h"

#include <algorithm>

#include "fovea/cli/options.h"
#include "fovea/data/alignment.h"
#include "fovea/decode/alignment.h"

namespace fovea::cli {

void add_alignment_options(Arguments& app, AlignmentOutput& output) {
  app.add_option("--alignment", output.kind,
                 "append the alignment: hard, links SOURCE-TARGET between words; soft, all attention weights")
      ->one_of({"hard", "soft"})
      ->type_name("hard|soft");
  app.add_flag("--alignment-pieces", output.pieces, "... between tokens, not between words")
      ->needs("--alignment");
}

std::string format_alignment(const AlignmentOutput& output, const run::LoadedDecoder& model,
                             std::string_view source, std::span<const int32_t> target, const Tensor& weights,
                             std::string_view who) {
  check(weights.defined(), who, "this model does not look at its source, so that it has no --alignment");
  Tensor alignment;
  auto targets = static_cast<int64_t>(target.size());
  if (output.pieces) {
    alignment = decode::align_pieces(weights);
  } else {
    std::vector<int32_t> from = model.source->words_of(source);
    from.resize(static_cast<size_t>(weights.dim(2) - 1));
    const std::vector<int32_t> to = decode::words_of_ids(*model.target, target);
    alignment = decode::align_words(weights, from, to);
    targets = to.empty() ? 0 : *std::max_element(to.begin(), to.end()) + 1;
  }
  return output.kind == "hard" ? data::format_links(decode::hard_links(alignment, targets))
                               : decode::format_soft(alignment);
}

}  // namespace fovea::cli
