// Local attention with a predicted centre (Luong et al. 2015, eq. 9 and 10).
#include <cmath>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/masks/kinds.h"
#include "fovea/nn/project_heads.h"

namespace fovea::nn {
namespace {

class LocalP final : public MaskPart {
 public:
  LocalP(Var wp, Var vp, int64_t reach) : wp_(std::move(wp)), vp_(std::move(vp)), reach_(reach) {}

  void apply(MaskBuilder& builder) const override {
    const MaskContext& c = builder.context();
    check(c.query.defined(), "local_p", "there is no query to predict a centre from");
    const Var hidden = autograd::tanh(project_heads(c.query, wp_));  // [B, T, H, a]
    const Var vp = autograd::reshape(vp_, {1, 1, vp_.rank() == 1 ? 1 : vp_.dim(0), vp_.dim(-1)});
    const Var share = autograd::sigmoid(autograd::sum(autograd::mul(hidden, vp), 3));         // [B, T, H]
    const Var centre = autograd::mul(autograd::permute(share, {0, 2, 1}), keys_of(builder));  // [B, H, T]
    limit_around(builder, centre.value());
    builder.weigh_by_gauss(centre, reach_ / 2.0);
  }

  RowRule rows() const override {
    const Tensor wp = wp_.value().to(DType::kF32), vp = vp_.value().to(DType::kF32);
    return {.limit =
                [wp, vp, reach = reach_](const RowQuery& where, RowMask& row) {
                  row.centre = static_cast<float>(centre_of(wp, vp, where));
                  row.sigma = static_cast<float>(reach) / 2;
                  if (std::isnan(row.centre)) return;
                  const auto at = static_cast<int64_t>(std::nearbyint(row.centre));
                  row.first = std::max(row.first, at - reach);
                  row.last = std::min(row.last, at + reach + 1);
                },
            .asks_query = true};
  }

  bool last() const override { return true; }
  bool asks_queries() const override { return true; }

 private:
  // S sigmoid(vp . tanh(Wp q)) of one query.
  static double centre_of(const Tensor& wp, const Tensor& vp, const RowQuery& where) {
    const int64_t width = wp.dim(-1), hidden = wp.dim(-2);
    check(where.q && where.width == width, "local_p", "a query of width {}: expected {}",
          where.q ? where.width : 0, width);
    check(wp.rank() == 2 || wp.dim(0) == 1 || wp.dim(0) == where.heads, "local_p",
          "a predictor for {} heads: the attention has {}", wp.dim(0), where.heads);
    const int64_t head = wp.rank() == 3 && wp.dim(0) > 1 ? where.head : 0;
    const float *w = wp.data<float>() + head * hidden * width, *v = vp.data<float>() + head * hidden;
    double sum = 0;
    for (int64_t a = 0; a < hidden; ++a) {
      double x = 0;
      for (int64_t d = 0; d < width; ++d) x += double{w[a * width + d]} * double{where.q[d]};
      sum += double{v[a]} * std::tanh(x);
    }
    return static_cast<double>(where.keys) / (1 + std::exp(-sum));
  }

  // The number of keys as [B, 1, 1].
  static Tensor keys_of(const MaskBuilder& builder) {
    const MaskContext& c = builder.context();
    if (builder.lengths().defined()) return builder.lengths().to(c.dtype).reshape({c.batch, 1, 1});
    return Tensor::full({1, 1, 1}, static_cast<double>(c.keys), c.dtype);
  }

  void limit_around(MaskBuilder& builder, const Tensor& centre) const {
    Tensor first = Tensor::empty(centre.shape(), DType::kI32),
           last = Tensor::empty(centre.shape(), DType::kI32);
    for_float(centre.dtype(), "local_p", [&](auto zero) {
      for (int64_t x = 0; x < centre.size(); ++x) {
        const auto at = centre.data<decltype(zero)>()[x];
        if (std::isnan(at)) {  // the Gaussian carries it on, as long as there are keys to weigh
          first.data<int32_t>()[x] = 0;
          last.data<int32_t>()[x] = static_cast<int32_t>(builder.context().keys);
          continue;
        }
        const auto p = static_cast<int64_t>(std::nearbyint(at));
        first.data<int32_t>()[x] = static_cast<int32_t>(p - reach_);
        last.data<int32_t>()[x] = static_cast<int32_t>(p + reach_ + 1);
      }
    });
    builder.limit(first, last);
  }

  Var wp_, vp_;
  int64_t reach_;
};

}  // namespace

Mask local_p(const Var& wp, const Var& vp, int64_t reach) {
  check(reach >= 1 && reach < (int64_t{1} << 30), "local_p", "a reach of {}: expected 1 or more", reach);
  if (wp.rank() < 2 || wp.rank() > 3 || vp.rank() != wp.rank() - 1 || vp.dim(-1) != wp.dim(-2))
    fail("local_p", "Wp {} and vp {}: expected [a, D] and [a], or [H, a, D] and [H, a]", wp.shape().str(),
         vp.shape().str());
  return Mask(make_pooled<LocalP>(wp, vp, reach));
}

MaskKind masks::local_p() {
  return {.name = "local-p",
          .written = "local-p:N",
          .what = "keys within N of a predicted centre, weights times a Gaussian (Luong's local-p)",
          .numbers = {{1}},
          .why_not =
              [](Place place) {
                return place == Place::kDecoder ? "the centre is a share of all keys, and nobody knows how "
                                                  "many will come; use window:N"
                                                : nullptr;
              },
          .make = [](const MaskNumbers& n, Place,
                     std::span<const Var> arrays) { return nn::local_p(arrays[0], arrays[1], n[0]); },
          .arrays = [](const MaskNumbers&, const MaskSizes& size) -> std::vector<MaskArray> {
            return {{.name = "centre.weight", .shape = {size.heads, size.width, size.width}},
                    {.name = "centre.vector", .shape = {size.heads, size.width}}};
          }};
}

}  // namespace fovea::nn
