// y_t = argmax_v p(v | y_1 .. y_t-1, x)
#include "fovea/decode/single.h"
#include "fovea/kernels/top_k.h"

namespace fovea::decode {

std::vector<NBest> greedy(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options) {
  return search_single(model, sources, options,
                       [&](const Tensor& logits, std::span<const int64_t>, int64_t position, int32_t* words,
                           float* log_probs) {
                         kernels::top_k_log_softmax(logits.data<float>(), logits.dim(0), logits.dim(-1), 1,
                                                    NeverSaid(sources.ids, options, position), words,
                                                    log_probs);
                       });
}

}  // namespace fovea::decode
