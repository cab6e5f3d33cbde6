#include "fovea/decode/classify_pictures.h"

#include "fovea/kernels/softmax.h"

namespace fovea::decode {

std::vector<LabelValues> classify_pictures(const run::PictureEncoder& model,
                                           std::span<const data::Picture> pictures) {
  std::vector<LabelValues> all;
  if (pictures.empty()) return all;
  const Tensor logits = model.logits(data::prepared(pictures, model.info().input));
  const int64_t C = logits.dim(1);
  for (int64_t i = 0; i < logits.dim(0); ++i) {
    check_numbers(logits.slice(i, i + 1), "classify", i + 1);
    LabelValues& one = all.emplace_back();
    one.values.resize(static_cast<size_t>(C));
    kernels::softmax_rows(logits.data<float>() + i * C, one.values.data(), 1, C);
  }
  return all;
}

}  // namespace fovea::decode
