#include "fovea/decode/match.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/decode/embed.h"
#include "fovea/kernels/softmax.h"

namespace fovea::decode {
namespace {

// Rows of length 1.
void make_units(const Tensor& rows) {
  const int64_t width = rows.dim(1);
  for (int64_t r = 0; r < rows.dim(0); ++r) {
    float* row = rows.data<float>() + r * width;
    double square = 0;
    for (int64_t c = 0; c < width; ++c) square += static_cast<double>(row[c]) * static_cast<double>(row[c]);
    const double length = std::sqrt(square);
    for (int64_t c = 0; length > 0 && c < width; ++c) row[c] = static_cast<float>(row[c] / length);
  }
}

}  // namespace

LabelMatcher::LabelMatcher(std::shared_ptr<const run::Matcher> model, const data::Tokenizer& tokenizer,
                           std::span<const std::string> labels)
    : model_(std::move(model)) {
  check(!labels.empty(), "match", "there are no labels: expected one or more");
  // Both live longer than the call: nothing is owned.
  const run::LoadedEncoder encoder{{std::shared_ptr<const void>(), &model_->texts()},
                                   {std::shared_ptr<const void>(), &tokenizer}};
  labels_ = embed_lines(encoder, labels);
  make_units(labels_);
}

std::vector<LabelValues> LabelMatcher::operator()(std::span<const data::Picture> pictures) const {
  std::vector<LabelValues> all;
  if (pictures.empty()) return all;
  const run::PictureEncoder& encoder = model_->pictures();
  const Tensor vectors = encoder.embed(data::prepared(pictures, encoder.info().input));
  make_units(vectors);
  const int64_t width = vectors.dim(1), count = labels_.dim(0);
  for (int64_t i = 0; i < vectors.dim(0); ++i) {
    check_numbers(vectors.slice(i, i + 1), "match", i + 1);
    LabelValues& one = all.emplace_back();
    one.values.resize(static_cast<size_t>(count));
    for (int64_t c = 0; c < count; ++c) {
      double cosine = 0;
      for (int64_t k = 0; k < width; ++k)
        cosine += static_cast<double>(vectors.data<float>()[i * width + k]) *
                  static_cast<double>(labels_.data<float>()[c * width + k]);
      one.values[static_cast<size_t>(c)] = static_cast<float>(static_cast<double>(model_->scale()) * cosine);
    }
    kernels::softmax_rows(one.values.data(), one.values.data(), 1, count);
  }
  return all;
}

}  // namespace fovea::decode
