// Recurrent hard attention (Mnih et al. 2014): an eye that sees a small part of a picture at a time, moves a few times, and says what it saw.
//
//   o_t      the retina at point l_t (kernels/retina.h); l_0 is the middle of the picture
//   g_t      relu(W [relu(W_o o_t); relu(W_l l_t)])
//   h_t      relu(W_g g_t + W_h h_{t-1})
//   labels   W h_t + b; those after the last glimpse are the answer
//   policy   m_t = tanh(W relu(W h_t)), l_{t+1} ~ normal(m_t, std) while it learns, m_t otherwise
//
// Points are (x, y) from -1 to 1: the edges of the picture. No gradient flows through a point, nor from the policy and the baseline into
// h_t: the policy learns by REINFORCE, the rest by the cost of the labels. With p_t the probability of the true label after glimpse t,
//
//   reward to go   R_t = (p_last + mean of p_{t+1} .. p_last) / 2
//   baseline       b_t = W relu(W h_t), which learns (R_t - b_t)^2
//   policy         -A_t log normal(l_{t+1}; m_t, std), A = (R - b) / (root of the mean square of R - b in the batch)
//   effort         |m_t - l_t|^2: an eye that has nothing to gain elsewhere stays where it is
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "fovea/models/net.h"
#include "fovea/models/picture_options.h"
#include "fovea/nn/linear.h"
#include "fovea/tensor/pool_allocator.h"

namespace fovea::models {

struct GlimpseOptions : PictureOptions {
  GlimpseOptions() {
    mean = {0};  // black is 0, as everything outside the picture
    std = {1};
  }

  int64_t glimpses = 6;
  int64_t glimpse_size = 12;   // cells of a side of each square that the retina sees
  int64_t glimpse_scales = 3;  // squares; each is twice as wide as the one before
  int64_t dim_glimpse = 128;   // units that see what is there, and as many that know where that is
  int64_t dim_rnn = 256;
  double location_std = 0.15,
         location_std_end = 0.06;  // of points while it learns: at the start, and at the end
  double policy_weight = 1;        // of REINFORCE in the cost
  double early_weight = 0.5;       // of the labels after all glimpses but the last
  double effort_weight = 0.1;      // of moving the eye
  std::vector<std::string> labels;
  double dropout = 0;  // of g_t

  // The deviation of points when this share of the run is over.
  double location_std_at(double done) const;
  // Numbers that the retina gives.
  int64_t seen() const { return glimpse_scales * glimpse_size * glimpse_size * channels; }
  double least_weights() const;
  void check() const;

  template <typename Self, typename F>
  static void each(Self& o, F&& f) {
    each_of_picture(o, f);
    f("glimpses", o.glimpses);
    f("glimpse_size", o.glimpse_size);
    f("glimpse_scales", o.glimpse_scales);
    f("dim_glimpse", o.dim_glimpse);
    f("dim_rnn", o.dim_rnn);
    f("location_std", o.location_std);
    f("location_std_end", o.location_std_end);
    f("policy_weight", o.policy_weight);
    f("early_weight", o.early_weight);
    f("effort_weight", o.effort_weight);
    f("labels", o.labels);
    f("dropout", o.dropout);
  }
};

nlohmann::json to_json(const GlimpseOptions& options);
GlimpseOptions glimpse_options_from(const nlohmann::json& config);

// Units of the hidden layers of the policy and of the baseline.
inline constexpr int64_t kPolicyUnits = 128, kBaselineUnits = 64;
// Points [B, 2] from -1 to 1 in pixels of a picture of size x size.
Tensor in_pixels(const Tensor& points, int64_t size);

class Glimpse final : public Net {
 public:
  Glimpse(const GlimpseOptions& options, uint64_t seed);

  nlohmann::json config() const override;
  nn::ParameterList parameters() override;
  // Looks at batch.pictures, and is to say batch.target_out [B, 1].
  Cost cost(const data::Batch& batch, const CostOptions& options) override;

 private:
  // What was seen, glimpse after glimpse; of the points, all but the first.
  struct Path {
    Var states;            // [G B, H]
    Var means;             // [(G - 1) B, 2]: m_t
    Tensor drawn, points;  // [(G - 1) B, 2]: l_{t+1} before and after it was kept within the picture
  };
  Path look(const Tensor& pictures, double deviation, const CostOptions& options);
  // What moves the eye: of each example, divided by the number of its moves.
  Var terms_of_moves(const Path& path, const Var& logits, const data::Batch& batch, double deviation);

  GlimpseOptions options_;
  uint64_t seed_;  // of draws
  std::optional<nn::Linear> what_, where_, join_, input_, state_, classifier_, policy_, mean_, baseline_,
      reward_;
};

}  // namespace fovea::models
