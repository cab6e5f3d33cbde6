#include "fovea/run/glimpse.h"

#include <algorithm>
#include <cmath>

#include "fovea/tensor/retina.h"

namespace fovea::run {
namespace {

void rectify(const Tensor& x) {
  for (float& value : x.span<float>()) value = std::max(value, 0.0f);
}

}  // namespace

Glimpse::Glimpse(const models::GlimpseOptions& o, Weights& weights, Precision precision)
    : glimpses_(o.glimpses),
      glimpse_size_(o.glimpse_size),
      scales_(o.glimpse_scales),
      glimpse_width_(o.dim_glimpse),
      what_(weights, "what", o.seen(), o.dim_glimpse, precision),
      where_(weights, "where", 2, o.dim_glimpse, precision),
      join_(weights, "join", 2 * o.dim_glimpse, o.dim_rnn, precision),
      input_(weights, "input", o.dim_rnn, o.dim_rnn, precision),
      state_(weights, "state", o.dim_rnn, o.dim_rnn, precision),
      classifier_(weights, "classifier", o.dim_rnn, static_cast<int64_t>(o.labels.size()), precision),
      policy_(weights, "policy.hidden", o.dim_rnn, models::kPolicyUnits, precision),
      mean_(weights, "policy.mean", models::kPolicyUnits, 2, precision) {
  weights.skip("baseline.");
  precision_ = precision;
  for (const Linear* linear : {&what_, &where_, &join_, &input_, &state_, &classifier_, &policy_, &mean_})
    held_ += linear->held();
  info_ = {.input = o.input(), .width = o.dim_rnn, .labels = o.labels, .glimpses = o.glimpses};
}

Tensor Glimpse::look(const Tensor& pictures, std::vector<GazePath>* paths) const {
  const int64_t rows = pictures.dim(0), width = info_.width, D = glimpse_width_;
  Tensor at = Tensor::zeros({rows, 2}), h = Tensor::zeros({rows, width});
  const Tensor both = Tensor::empty({rows, 2 * D});
  for (int64_t t = 0; t < glimpses_; ++t) {
    const Tensor pixels = models::in_pixels(at, info_.input.size);
    const Tensor seen = tensor::retina(pictures, pixels, glimpse_size_, scales_);
    what_.run(seen.data<float>(), what_.in(), rows, 0, both.data<float>(), 2 * D);
    where_.run(at.data<float>(), 2, rows, 0, both.data<float>() + D, 2 * D);
    rectify(both);
    const Tensor g = join_(both);
    rectify(g);
    Tensor next = input_(g);
    state_.add_to(next, h);
    rectify(next);
    h = next;
    for (int64_t b = 0; paths && b < rows; ++b)
      (*paths)[static_cast<size_t>(b)].glances.push_back(
          {pixels.data<float>()[2 * b], pixels.data<float>()[2 * b + 1],
           seen.slice(b, b + 1).reshape({scales_, glimpse_size_, glimpse_size_, -1})});
    if (t + 1 == glimpses_) break;
    const Tensor hidden = policy_(h);
    rectify(hidden);
    at = mean_(hidden);
    for (float& x : at.span<float>()) x = std::tanh(x);
  }
  return h;
}

std::vector<GazePath> Glimpse::paths(const Tensor& pictures) const {
  std::vector<GazePath> paths(static_cast<size_t>(pictures.dim(0)));
  for (GazePath& path : paths)
    for (int64_t s = 0; s < scales_; ++s) path.sides.push_back(glimpse_size_ << s);
  look(pictures, &paths);
  return paths;
}

}  // namespace fovea::run
