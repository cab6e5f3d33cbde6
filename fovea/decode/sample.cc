// y_t ~ p(v | y_1 .. y_t-1, x), the distribution sharpened and cut as the options ask.
#include "fovea/base/parallel.h"
#include "fovea/decode/draw.h"
#include "fovea/decode/single.h"
#include "fovea/kernels/blocks.h"

namespace fovea::decode {

std::vector<NBest> sample(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options) {
  const auto choose = [&](const Tensor& logits, std::span<const int64_t> lines, int64_t position,
                          int32_t* words, float* log_probs) {
    const auto vocabulary = static_cast<size_t>(logits.dim(-1));
    const NeverSaid never(sources.ids, options, position);
    parallel_ranges(logits.dim(0), kernels::rows_per_block(logits.dim(-1)), [&](int64_t begin, int64_t end) {
      for (auto r = static_cast<size_t>(begin); r < static_cast<size_t>(end); ++r) {
        const double u = draw_position(options.sampling.seed, lines[r], position);
        const Drawn drawn =
            draw(logits.span<float>().subspan(r * vocabulary, vocabulary), options.sampling, never, u);
        words[r] = drawn.token;
        log_probs[r] = drawn.log_prob;
      }
    });
  };
  return search_single(model, sources, options, choose);
}

}  // namespace fovea::decode
