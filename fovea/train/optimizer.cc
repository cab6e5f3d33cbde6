#include "fovea/train/optimizer.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/nearest.h"
#include "fovea/kernels/optimizer.h"

namespace fovea::train {

struct OptimizerKind {
  std::string_view name;
  // How many moments it keeps for each parameter.
  int (*moments)(const OptimizerOptions& options);
  void (*update)(const OptimizerOptions& options, Parameter& parameter, Moments& moments, float learning_rate,
                 float gradient_scale);
};

namespace {

void sgd(const OptimizerOptions& options, Parameter& parameter, Moments& moments, float learning_rate,
         float gradient_scale) {
  const kernels::SgdStep step{.learning_rate = learning_rate,
                              .momentum = options.momentum,
                              .weight_decay = options.weight_decay,
                              .gradient_scale = gradient_scale,
                              .nesterov = options.nesterov};
  for_float(parameter.value.dtype(), "optimizer", [&](auto t) {
    using T = decltype(t);
    T* velocity = moments.first.defined() ? moments.first.data<T>() : nullptr;
    kernels::sgd_step(parameter.value.data<T>(), parameter.grad.data<T>(), velocity, parameter.value.size(),
                      step);
  });
}

template <bool kDecoupled>
void adam(const OptimizerOptions& options, Parameter& parameter, Moments& moments, float learning_rate,
          float gradient_scale) {
  const int32_t t = *moments.steps.data<int32_t>();
  const bool decays = !kDecoupled || options.decay_vectors || parameter.value.rank() > 1;
  const kernels::AdamStep step{.learning_rate = learning_rate,
                               .beta1 = options.beta1,
                               .beta2 = options.beta2,
                               .eps = options.eps,
                               .weight_decay = decays ? options.weight_decay : 0,
                               .gradient_scale = gradient_scale,
                               .correction1 = 1 - std::pow(static_cast<double>(options.beta1), t),
                               .correction2 = 1 - std::pow(static_cast<double>(options.beta2), t),
                               .decoupled = kDecoupled};
  for_float(parameter.value.dtype(), "optimizer", [&](auto type) {
    using T = decltype(type);
    kernels::adam_step(parameter.value.data<T>(), parameter.grad.data<T>(), moments.first.data<T>(),
                       moments.second.data<T>(), parameter.value.size(), step);
  });
}

constexpr OptimizerKind kKinds[] = {
    {"sgd", [](const OptimizerOptions& options) { return options.momentum > 0 ? 1 : 0; }, sgd},
    {"adam", [](const OptimizerOptions&) { return 2; }, adam<false>},
    {"adamw", [](const OptimizerOptions&) { return 2; }, adam<true>},
};

const OptimizerKind* find_kind(const std::string& name) {
  for (const OptimizerKind& kind : kKinds)
    if (kind.name == name) return &kind;
  const std::vector<std::string_view> views = optimizer_names();
  fail("optimizer", "there is no \"{}\": expected one of {}", name,
       fmt::join(nearest(name, {views.begin(), views.end()}, views.size()), ", "));
}

void check_range(bool ok, const char* what, float value, const char* expected) {
  check(ok, "optimizer", "{} is {}: expected {}", what, value, expected);
}

}  // namespace

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const OptimizerKind& kind : kKinds) names.push_back(kind.name);
  return names;
}

Optimizer::Optimizer(OptimizerOptions options)
    : options_(std::move(options)), kind_(find_kind(options_.name)) {
  check_range(options_.learning_rate >= 0, "learning_rate", options_.learning_rate, "0 or more");
  check_range(options_.weight_decay >= 0, "weight_decay", options_.weight_decay, "0 or more");
  check_range(options_.clip_norm >= 0, "clip_norm", options_.clip_norm, "0 or more");
  check_range(options_.beta1 >= 0 && options_.beta1 < 1, "beta1", options_.beta1,
              "0 or more, and less than 1");
  check_range(options_.beta2 >= 0 && options_.beta2 < 1, "beta2", options_.beta2,
              "0 or more, and less than 1");
  check_range(options_.eps >= 0, "eps", options_.eps, "0 or more");
  check_range(options_.momentum >= 0 && options_.momentum < 1, "momentum", options_.momentum,
              "0 or more, and less than 1");
  check(!options_.nesterov || options_.momentum > 0, "optimizer", "nesterov needs a momentum above 0");
}

float Optimizer::step(std::span<Parameter* const> parameters, float learning_rate) {
  double squares = 0;
  for (const Parameter* parameter : parameters) {
    if (!parameter->grad.defined()) continue;
    if (parameter->grad.shape() != parameter->value.shape())
      fail("optimizer", "the gradient of {} has shape {}, its value {}", parameter->name,
           parameter->grad.shape().str(), parameter->value.shape().str());
    squares += for_float(parameter->grad.dtype(), "optimizer", [&](auto t) {
      return kernels::sum_of_squares(parameter->grad.data<decltype(t)>(), parameter->grad.size());
    });
  }
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return static_cast<float>(norm);
  const double scale = options_.clip_norm > 0 && norm > options_.clip_norm ? options_.clip_norm / norm : 1;
  for (size_t i = 0; i < parameters.size(); ++i) {
    Parameter& parameter = *parameters[i];
    if (!parameter.grad.defined()) continue;
    Moments& moments = moments_of(parameter, i);
    *moments.steps.data<int32_t>() += 1;
    kind_->update(options_, parameter, moments, learning_rate, static_cast<float>(scale));
  }
  return static_cast<float>(norm);
}

// `place`: where the parameter's moments are when the same parameters come in the same order.
Moments& Optimizer::moments_of(const Parameter& parameter, size_t place) {
  auto named = [&](const Moments& m) { return m.parameter == parameter.name; };
  size_t at = place;
  if (at >= moments_.size() || !named(moments_[at])) {
    at = static_cast<size_t>(std::find_if(moments_.begin(), moments_.end(), named) - moments_.begin());
    if (at == moments_.size()) {
      const int count = kind_->moments(options_);
      auto zeros = [&] { return Tensor::zeros(parameter.value.shape(), parameter.value.dtype()); };
      moments_.push_back({parameter.name, count > 0 ? zeros() : Tensor(), count > 1 ? zeros() : Tensor(),
                          Tensor::zeros({1}, DType::kI32)});
    }
  }
  for (const Tensor* moment : {&moments_[at].first, &moments_[at].second})
    if (moment->defined() &&
        (moment->shape() != parameter.value.shape() || moment->dtype() != parameter.value.dtype()))
      fail("optimizer",
           "a moment of {} is {} {}, its value {} {}: was it saved with another model, or are two names "
           "alike?",
           parameter.name, name_of(moment->dtype()), moment->shape().str(), name_of(parameter.value.dtype()),
           parameter.value.shape().str());
  return moments_[at];
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> tensors;
  for (const Moments& m : moments_) {
    if (m.first.defined()) tensors.push_back({m.parameter + ".first", m.first});
    if (m.second.defined()) tensors.push_back({m.parameter + ".second", m.second});
    tensors.push_back({m.parameter + ".steps", m.steps});
  }
  return tensors;
}

void Optimizer::load_state(std::span<const NamedTensor> tensors) {
  std::vector<Moments> loaded;
  for (const NamedTensor& each : tensors) {
    const std::string& name = each.name;
    const size_t dot = name.rfind('.');
    const std::string parameter = name.substr(0, dot),
                      what = dot == std::string::npos ? "" : name.substr(dot + 1);
    check(what == "first" || what == "second" || what == "steps", "optimizer",
          "\"{}\" in the saved state: expected a name that ends in .first, .second or .steps", name);
    auto m = std::find_if(loaded.begin(), loaded.end(),
                          [&](const Moments& l) { return l.parameter == parameter; });
    if (m == loaded.end()) m = loaded.insert(m, {parameter, {}, {}, {}});
    (what == "first" ? m->first : what == "second" ? m->second : m->steps) = each.tensor.copy();
  }
  const int count = kind_->moments(options_);
  for (const Moments& m : loaded)
    check(m.steps.defined() && m.steps.dtype() == DType::kI32 && m.steps.size() == 1 &&
              m.first.defined() == (count > 0) && m.second.defined() == (count > 1),
          "optimizer", "the saved state of {} is not that of {}, which has {} moments and a number of steps",
          m.parameter, options_.name, count);
  moments_ = std::move(loaded);
}

}  // namespace fovea::train
