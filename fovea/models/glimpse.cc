#include "fovea/models/glimpse.h"

#include <algorithm>
#include <cmath>

#include "fovea/autograd/activations.h"
#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/distribution.h"
#include "fovea/autograd/reduce.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/autograd/step_linear.h"
#include "fovea/models/label_cost.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/noise.h"
#include "fovea/tensor/normalise.h"
#include "fovea/tensor/retina.h"

namespace fovea::models {
namespace {

using autograd::relu;

// Keeps draws of points apart from dropout.
constexpr uint64_t kDraws = nn::Noise::kPlaces;

autograd::StepLinear steps_of(nn::Linear& layer, int64_t steps, int64_t rows) {
  return {layer.weight(), layer.bias(), steps, rows};
}

// Rows [begin, end) of x.
Var rows_of(const Var& x, int64_t begin, int64_t end) { return autograd::slice(x, 0, begin, end); }

// The probabilities of the true labels, glimpse after glimpse: [G B].
PoolVector<float> chances(const Tensor& logits, const Tensor& labels) {
  const Tensor p = tensor::softmax(logits);
  const int64_t C = logits.dim(1), B = labels.size();
  PoolVector<float> chances;
  for (int64_t i = 0; i < p.dim(0); ++i)
    chances.push_back(p.data<float>()[i * C + labels.data<int32_t>()[i % B]]);
  return chances;
}

// R_t of every move: [(G - 1) B].
Tensor rewards_of(const PoolVector<float>& chances, int64_t B) {
  const int64_t G = static_cast<int64_t>(chances.size()) / B;
  Tensor rewards = Tensor::empty({(G - 1) * B});
  for (int64_t b = 0; b < B; ++b) {
    const float last = chances[static_cast<size_t>((G - 1) * B + b)];
    float sum = 0;
    for (int64_t t = G - 2; t >= 0; --t) {
      sum += chances[static_cast<size_t>((t + 1) * B + b)];
      rewards.data<float>()[t * B + b] = 0.5f * (last + sum / static_cast<float>(G - 1 - t));
    }
  }
  return rewards;
}

// R - b, divided by the root of its mean square.
Tensor advantages_of(const Tensor& rewards, const Tensor& baseline) {
  const int64_t n = rewards.size();
  Tensor advantages = Tensor::empty({n});
  double squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    const float advantage = rewards.data<float>()[i] - baseline.data<float>()[i];
    advantages.data<float>()[i] = advantage;
    squares += static_cast<double>(advantage) * static_cast<double>(advantage);
  }
  const auto factor = static_cast<float>(1 / (std::sqrt(squares / static_cast<double>(n)) + 1e-6));
  for (float& advantage : advantages.span<float>()) advantage *= factor;
  return advantages;
}

Tensor within_picture(const Tensor& points) {
  Tensor within = points.copy();
  for (float& x : within.span<float>()) x = std::clamp(x, -1.0f, 1.0f);
  return within;
}

}  // namespace

Tensor in_pixels(const Tensor& points, int64_t size) {
  Tensor pixels = points.copy();
  for (float& x : pixels.span<float>()) x = (x + 1) * static_cast<float>(size) / 2;
  return pixels;
}

double GlimpseOptions::location_std_at(double done) const {
  return location_std + (location_std_end - location_std) * std::clamp(done, 0.0, 1.0);
}

double GlimpseOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  return real(dim_glimpse) * real(seen()) +
         real(dim_rnn) * (2 * real(dim_glimpse) + 2 * real(dim_rnn) + real(kPolicyUnits + kBaselineUnits) +
                          static_cast<double>(labels.size()));
}

void GlimpseOptions::check() const {
  check_picture("glimpse");
  check_within("glimpse", "glimpses", glimpses, 1, 1000);
  check_within("glimpse", "glimpse_size", glimpse_size, 1, 1024);
  check_within("glimpse", "glimpse_scales", glimpse_scales, 1, 8);
  check_within("glimpse", "dim_glimpse", dim_glimpse, 1, 1 << 16);
  check_within("glimpse", "dim_rnn", dim_rnn, 1, 1 << 16);
  check_labels("glimpse", labels);
  check_weights("glimpse", least_weights(), "glimpse_size, dim_glimpse or dim_rnn");
  for (const double deviation : {location_std, location_std_end})
    fovea::check(deviation > 0 && deviation <= 10, "glimpse",
                 "a location_std of {}: expected more than 0, 10 at most", deviation);
  for (const double weight : {policy_weight, early_weight, effort_weight})
    fovea::check(weight >= 0 && weight <= 1e6, "glimpse",
                 "a weight of {}: expected 0 to 1e6 for policy_weight, early_weight and effort_weight",
                 weight);
  fovea::check(dropout >= 0 && dropout < 1, "glimpse", "a dropout of {}: expected 0 to below 1", dropout);
}

nlohmann::json to_json(const GlimpseOptions& options) { return options_to_json(options, "glimpse"); }

GlimpseOptions glimpse_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<GlimpseOptions>(config, "glimpse");
  options.check();
  return options;
}

Glimpse::Glimpse(const GlimpseOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const GlimpseOptions& o = options_;
  Random random(seed, 1);
  what_.emplace(o.seen(), o.dim_glimpse, true, random);
  where_.emplace(2, o.dim_glimpse, true, random);
  join_.emplace(2 * o.dim_glimpse, o.dim_rnn, true, random);
  input_.emplace(o.dim_rnn, o.dim_rnn, true, random);
  // States are kept for the most part, as Le et al. 2015 begin recurrent nets of ReLU.
  constexpr float kKept = 0.9f, kFirstMoves = 0.3f;
  Tensor same = Tensor::zeros({o.dim_rnn, o.dim_rnn});
  for (int64_t i = 0; i < o.dim_rnn; ++i) same.data<float>()[i * (o.dim_rnn + 1)] = kKept;
  state_.emplace(same, false);
  classifier_.emplace(o.dim_rnn, static_cast<int64_t>(o.labels.size()), true, random);
  policy_.emplace(o.dim_rnn, kPolicyUnits, true, random);
  Tensor near = nn::xavier_uniform({2, kPolicyUnits}, random);
  for (float& w : near.span<float>()) w *= kFirstMoves;
  mean_.emplace(near, true);
  baseline_.emplace(o.dim_rnn, kBaselineUnits, true, random);
  reward_.emplace(kBaselineUnits, 1, true, random);
}

nlohmann::json Glimpse::config() const { return to_json(options_); }

nn::ParameterList Glimpse::parameters() {
  nn::ParameterList list;
  what_->collect("what.", list);
  where_->collect("where.", list);
  join_->collect("join.", list);
  input_->collect("input.", list);
  state_->collect("state.", list);
  classifier_->collect("classifier.", list);
  policy_->collect("policy.hidden.", list);
  mean_->collect("policy.mean.", list);
  baseline_->collect("baseline.hidden.", list);
  reward_->collect("baseline.reward.", list);
  return list;
}

Glimpse::Path Glimpse::look(const Tensor& pictures, double deviation, const CostOptions& options) {
  const GlimpseOptions& o = options_;
  const int64_t G = o.glimpses, B = pictures.dim(0), H = o.dim_rnn, moves = G - 1;
  const nn::Noise noise{options.training ? static_cast<float>(o.dropout) : 0, seed_, options.step};
  Random random(seed_ + kDraws, options.step);
  autograd::StepLinear what = steps_of(*what_, G, B), where = steps_of(*where_, G, B),
                       join = steps_of(*join_, G, B), input = steps_of(*input_, G, B),
                       state = steps_of(*state_, G, B), policy = steps_of(*policy_, moves, B),
                       mean = steps_of(*mean_, moves, B);
  PoolVector<Var> states, means;
  Path path{{}, {}, Tensor::empty({moves * B, 2}), {}};
  Tensor at = Tensor::zeros({B, 2});
  Var h = Tensor::zeros({B, H});
  for (int64_t t = 0; t < G; ++t) {
    const Tensor seen =
        tensor::retina(pictures, in_pixels(at, o.picture_size), o.glimpse_size, o.glimpse_scales);
    const Var both = autograd::concat({relu(what(seen.reshape({B, o.seen()}))), relu(where(at))}, 1);
    const Var g = noise.on(relu(join(both)), static_cast<uint64_t>(t));
    h = relu(state(h, autograd::reshape(input(g), {1, B, H}), 0));
    states.push_back(h);
    if (t == moves) break;
    means.push_back(autograd::tanh(mean(relu(policy(h.value())))));
    Tensor drawn = path.drawn.slice(t * B, (t + 1) * B);
    drawn.copy_from(means.back().value());
    if (options.training)
      for (float& x : drawn.span<float>()) x += static_cast<float>(deviation) * random.normal();
    at = within_picture(drawn);
  }
  path.states = autograd::concat(states, 0);
  if (moves > 0) path.means = autograd::concat(means, 0);
  path.points = within_picture(path.drawn);
  return path;
}

Var Glimpse::terms_of_moves(const Path& path, const Var& logits, const data::Batch& batch, double deviation) {
  const int64_t B = batch.pictures.dim(0), moves = options_.glimpses - 1;
  const Tensor known = path.states.value().slice(0, moves * B);
  const Var baseline = autograd::reshape((*reward_)(relu((*baseline_)(known))), {moves * B});
  const Tensor rewards = rewards_of(chances(logits.value(), batch.target_out), B);
  const Var miss = autograd::sum(autograd::square(autograd::sub(baseline, rewards)));
  const Tensor advantages = advantages_of(rewards, baseline.value());
  const Var chosen = autograd::sum(
      autograd::mul(autograd::gaussian_log_prob(path.drawn, path.means, deviation), advantages));
  // Each move begins where the one before ended, the first in the middle.
  Tensor from = Tensor::zeros({moves * B, 2});
  from.slice(B, moves * B).copy_from(path.points.slice(0, (moves - 1) * B));
  const Var effort = autograd::sum(autograd::square(autograd::sub(path.means, from)));
  const Var sum = miss - chosen * options_.policy_weight + effort * options_.effort_weight;
  return sum * (1.0 / static_cast<double>(moves));
}

Cost Glimpse::cost(const data::Batch& batch, const CostOptions& options) {
  const int64_t B = batch.pictures.dim(0), moves = options_.glimpses - 1;
  const double deviation = options_.location_std_at(options.done);
  const Path path = look(batch.pictures, deviation, options);
  const Var logits = (*classifier_)(path.states);
  Cost cost = cost_of_labels(rows_of(logits, moves * B, logits.dim(0)), batch, options);
  if (moves == 0) return cost;
  data::Batch early;
  early.target_out = Tensor::empty({moves, B}, DType::kI32);
  for (int64_t t = 0; t < moves; ++t) early.target_out.slice(t, t + 1).copy_from(batch.target_out);
  const Cost before = cost_of_labels(rows_of(logits, 0, moves * B), early, options);
  cost.total = cost.total + before.total * (options_.early_weight / static_cast<double>(moves));
  if (options.training) cost.total = cost.total + terms_of_moves(path, logits, batch, deviation);
  return cost;
}

}  // namespace fovea::models
