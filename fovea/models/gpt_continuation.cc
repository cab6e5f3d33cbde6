#include "fovea/models/gpt_continuation.h"

#include <algorithm>

#include "fovea/tensor/positions.h"

namespace fovea::models {

GptContinuation::GptContinuation(Gpt& model, int64_t texts) : model_(&model), texts_(texts) {
  check(texts > 0, "gpt", "{} texts: expected 1 or more", texts);
  past_.resize(model.layers_.size());
  for (Past& past : past_) past.rows.resize(static_cast<size_t>(texts));
}

Tensor GptContinuation::embed(const Tensor& words) const {
  const autograd::NoTape off;
  const int64_t width = model_->options_.n_embd, T = words.dim(1);
  const Tensor x = model_->words_(words.reshape({texts_ * T})).value();
  if (!model_->positions_.value.defined()) return x;
  const float* positions = model_->positions_.value.data<float>() + length_ * width;
  float* to = x.data<float>();
  for (int64_t row = 0; row < texts_ * T; ++row)
    for (int64_t c = 0; c < width; ++c) *to++ += positions[row % T * width + c];
  return x;
}

namespace {

// Angles of `texts` texts of `words` words each, from position `first` on.
tensor::RotaryTable angles_of(const GptOptions& o, int64_t texts, int64_t words, int64_t first) {
  if (!o.rotary()) return {};
  const Tensor positions = Tensor::empty({texts * words}, DType::kI32);
  for (int64_t row = 0; row < texts * words; ++row)
    positions.data<int32_t>()[row] = static_cast<int32_t>(first + row % words);
  return tensor::rotary_table_at(positions, o.n_embd / o.n_head, o.rope_base);
}

}  // namespace

void GptContinuation::read_whole(const Tensor& x, int64_t words) {
  const Gpt::Ready& ready = model_->ready();
  std::vector<int32_t> starts;
  for (int64_t b = 0; b <= texts_; ++b) starts.push_back(static_cast<int32_t>(b * words));
  const tensor::RotaryTable angles = angles_of(model_->options_, texts_, words, 0);
  for (size_t i = 0; i < past_.size(); ++i) {
    Tensor& kept = past_[i].made.emplace_back();
    ready.layers[i].read(x, starts, angles, &kept);
    for (int64_t b = 0; b < texts_; ++b)
      for (int64_t t = 0; t < words; ++t)
        past_[i].rows[static_cast<size_t>(b)].push_back(kept.data<float>() + (b * words + t) * kept.dim(1));
  }
  length_ = words;
}

void GptContinuation::read_one(const Tensor& x, Tensor* look) {
  const Gpt::Ready& ready = model_->ready();
  const int64_t heads = model_->options_.n_head;
  const tensor::RotaryTable angles = angles_of(model_->options_, texts_, 1, length_);
  ++length_;
  const std::vector<int32_t> counts(static_cast<size_t>(texts_), static_cast<int32_t>(length_));
  std::vector<const float* const*> at(static_cast<size_t>(texts_));
  if (look) *look = Tensor::empty({static_cast<int64_t>(past_.size()), texts_, heads, length_});
  for (size_t i = 0; i < past_.size(); ++i) {
    const int64_t width = ready.layers[i].row_width();
    const Tensor& newest = past_[i].made.emplace_back(Tensor::empty({texts_, width}));
    for (int64_t b = 0; b < texts_; ++b) {
      std::vector<const float*>& rows = past_[i].rows[static_cast<size_t>(b)];
      rows.push_back(newest.data<float>() + b * width);
      at[static_cast<size_t>(b)] = rows.data();
    }
    nn::SeenRows seen{.at = at.data(), .counts = counts.data()};
    if (look) {
      seen.weights = look->data<float>() + static_cast<int64_t>(i) * texts_ * heads * length_;
      seen.stride = length_;
    }
    ready.layers[i].step(x, angles, newest.data<float>(), seen, nullptr);
  }
}

void GptContinuation::choose(const Tensor& rows) {
  for (const int32_t row : rows.span<int32_t>())
    if (row < 0 || row >= texts_) fail("gpt", "text {}: expected 0 to {}", row, texts_ - 1);
  for (Past& past : past_) {
    std::vector<std::vector<const float*>> chosen;
    for (const int32_t row : rows.span<int32_t>()) chosen.push_back(past.rows[static_cast<size_t>(row)]);
    past.rows = std::move(chosen);
  }
  texts_ = rows.size();
}

Tensor GptContinuation::read(const Tensor& words, Tensor* look) {
  const int64_t T = words.rank() == 2 ? words.dim(1) : 0, most = model_->options_.block_size;
  if (words.dtype() != DType::kI32 || T < 1 || words.dim(0) != texts_)
    fail("gpt", "words of shape {}: expected i32 [{}, 1 or more]", words.shape().str(), texts_);
  check(length_ + T <= most, "gpt", "a text of {} tokens: this model reads {} at the most", length_ + T,
        most);
  const int64_t at_once = length_ > 0 ? 0 : look ? T - 1 : T;
  Tensor x;
  const auto part = [&](int64_t begin, int64_t count) {
    const Tensor some = Tensor::empty({texts_, count}, DType::kI32);
    for (int64_t b = 0; b < texts_; ++b)
      std::copy_n(words.data<int32_t>() + b * T + begin, count, some.data<int32_t>() + b * count);
    return some;
  };
  if (at_once > 0) {
    x = embed(part(0, at_once));
    read_whole(x, at_once);
    if (at_once > 1) {  // the last row of each text
      const int64_t width = x.dim(1);
      const Tensor last = Tensor::empty({texts_, width});
      for (int64_t b = 0; b < texts_; ++b)
        std::copy_n(x.data<float>() + ((b + 1) * at_once - 1) * width, width, last.data<float>() + b * width);
      x = last;
    }
  }
  for (int64_t t = at_once; t < T; ++t) {
    x = embed(part(t, 1));
    read_one(x, t + 1 == T ? look : nullptr);
  }
  const Gpt::Ready& ready = model_->ready();
  ready.norm(x, x);
  return ready.output(x);
}

}  // namespace fovea::models
