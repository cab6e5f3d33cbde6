#include "fovea/train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "fovea/base/nearest.h"
#include "fovea/kernels/optimizer.h"
#include "fovea/nn/parameter_buffer.h"

namespace fovea::train {

// Weights, gradients and moments of one parameter, or of several that lie side by side.
struct Sweep {
  DType type;
  std::byte *value, *grad, *first, *second;  // moments may be null
  int64_t size;
  int32_t steps;  // this one included
  bool vector;    // biases and gains
};

struct OptimizerKind {
  std::string_view name;
  // How many moments it keeps for each parameter.
  int (*moments)(const OptimizerOptions& options);
  void (*update)(const OptimizerOptions& options, const Sweep& sweep, float learning_rate,
                 float gradient_scale);
};

namespace {

template <typename T>
T* elements(std::byte* data) {
  return reinterpret_cast<T*>(data);
}

void sgd(const OptimizerOptions& options, const Sweep& sweep, float learning_rate, float gradient_scale) {
  const kernels::SgdStep step{.learning_rate = learning_rate,
                              .momentum = options.momentum,
                              .weight_decay = options.weight_decay,
                              .gradient_scale = gradient_scale,
                              .nesterov = options.nesterov};
  for_float(sweep.type, "optimizer", [&](auto t) {
    using T = decltype(t);
    kernels::sgd_step(elements<T>(sweep.value), elements<T>(sweep.grad), elements<T>(sweep.first), sweep.size,
                      step);
  });
}

template <bool kDecoupled>
void adam(const OptimizerOptions& options, const Sweep& sweep, float learning_rate, float gradient_scale) {
  const bool decays = !kDecoupled || options.decay_vectors || !sweep.vector;
  const kernels::AdamStep step{.learning_rate = learning_rate,
                               .beta1 = options.beta1,
                               .beta2 = options.beta2,
                               .eps = options.eps,
                               .weight_decay = decays ? options.weight_decay : 0,
                               .gradient_scale = gradient_scale,
                               .correction1 = 1 - std::pow(static_cast<double>(options.beta1), sweep.steps),
                               .correction2 = 1 - std::pow(static_cast<double>(options.beta2), sweep.steps),
                               .decoupled = kDecoupled};
  for_float(sweep.type, "optimizer", [&](auto type) {
    using T = decltype(type);
    kernels::adam_step(elements<T>(sweep.value), elements<T>(sweep.grad), elements<T>(sweep.first),
                       elements<T>(sweep.second), sweep.size, step);
  });
}

// Calls f(first, last, elements) for every run [first, last) of parameters that have a gradient and of which each joins the next.
template <typename Join, typename F>
void for_each_run(std::span<Parameter* const> parameters, Join&& join, F&& f) {
  for (size_t first = 0, last = 0; first < parameters.size(); first = last) {
    last = first + 1;
    if (!parameters[first]->has_grad()) continue;
    int64_t size = parameters[first]->value.size();
    for (; last < parameters.size(); ++last) {
      const Parameter &before = *parameters[last - 1], &next = *parameters[last];
      if (!next.has_grad() || !nn::are_neighbours(before, next) || !join(last - 1)) break;
      size += before.room - before.value.size() + next.value.size();
    }
    f(first, last, size);
  }
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

bool fits(const Moments& moments, const Parameter& parameter) {
  for (const Tensor* moment : {&moments.first, &moments.second})
    if (moment->defined() &&
        (moment->shape() != parameter.value.shape() || moment->dtype() != parameter.value.dtype()))
      return false;
  return true;
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
  for (const Parameter* parameter : parameters)
    if (parameter->has_grad() && (parameter->grad.shape() != parameter->value.shape() ||
                                  parameter->grad.dtype() != parameter->value.dtype()))
      fail("optimizer", "the gradient of {} has shape {}, its value {}", parameter->name,
           parameter->grad.shape().str(), parameter->value.shape().str());
  double squares = 0;
  for_each_run(
      parameters, [](size_t) { return true; },
      [&](size_t first, size_t, int64_t size) {
        const Tensor& grad = parameters[first]->grad;
        squares += for_float(grad.dtype(), "optimizer",
                             [&](auto t) { return kernels::sum_of_squares(grad.data<decltype(t)>(), size); });
      });
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) return static_cast<float>(norm);
  const double scale = options_.clip_norm > 0 && norm > options_.clip_norm ? options_.clip_norm / norm : 1;
  lay_out(parameters);
  const auto data = [](const Tensor& x) { return x.defined() ? x.bytes_data() : nullptr; };
  for_each_run(
      parameters, [&](size_t i) { return sweep_together(*parameters[i], *parameters[i + 1], i); },
      [&](size_t first, size_t last, int64_t size) {
        for (size_t i = first; i < last; ++i) *moments_[i].steps.data<int32_t>() += 1;
        const Parameter& parameter = *parameters[first];
        const Moments& moments = moments_[first];
        kind_->update(options_,
                      {.type = parameter.value.dtype(),
                       .value = parameter.value.bytes_data(),
                       .grad = parameter.grad.bytes_data(),
                       .first = data(moments.first),
                       .second = data(moments.second),
                       .size = size,
                       .steps = *moments.steps.data<int32_t>(),
                       .vector = parameter.value.rank() <= 1},
                      learning_rate, static_cast<float>(scale));
      });
  return static_cast<float>(norm);
}

// Whether one sweep can change parameters a and b, whose moments are at `place` and behind it: both take the same step.
bool Optimizer::sweep_together(const Parameter& a, const Parameter& b, size_t place) const {
  const Moments &m = moments_[place], &n = moments_[place + 1];
  const int64_t bytes = a.room * size_of(a.value.dtype());
  const auto behind = [&](const Tensor& x, const Tensor& y) {
    return !x.defined() || y.bytes_data() == x.bytes_data() + bytes;
  };
  return (options_.decay_vectors || (a.value.rank() <= 1) == (b.value.rank() <= 1)) &&
         *m.steps.data<int32_t>() == *n.steps.data<int32_t>() && behind(m.first, n.first) &&
         behind(m.second, n.second);
}

// Brings the moments into the order of the parameters; those of neighbours lie side by side, too.
void Optimizer::lay_out(std::span<Parameter* const> parameters) {
  bool done = moments_.size() >= parameters.size();
  for (size_t i = 0; i < parameters.size() && done; ++i)
    done = moments_[i].parameter == parameters[i]->name && moments_[i].room == parameters[i]->room &&
           fits(moments_[i], *parameters[i]);
  if (done) return;
  const int count = kind_->moments(options_);
  std::vector<Moments> made;
  for (size_t first = 0, last = 0; first < parameters.size(); first = last) {
    int64_t size = 0;
    do {
      const Parameter& p = *parameters[last++];
      size += p.room > 0 ? p.room : p.value.size();
    } while (last < parameters.size() && nn::are_neighbours(*parameters[last - 1], *parameters[last]));
    const DType type = parameters[first]->value.dtype();
    const Tensor firsts = count > 0 ? Tensor::zeros({size}, type) : Tensor(),
                 seconds = count > 1 ? Tensor::zeros({size}, type) : Tensor();
    int64_t at = 0;
    for (size_t i = first; i < last; ++i) {
      const Parameter& p = *parameters[i];
      const auto part = [&](const Tensor& all) {
        return all.defined() ? all.slice(at, at + p.value.size()).reshape(p.value.shape()) : Tensor();
      };
      made.push_back({p.name, part(firsts), part(seconds), Tensor::zeros({1}, DType::kI32), p.room});
      at += p.room;
    }
  }
  for (Moments& old : moments_) {
    const auto named = [&](const Moments& m) { return m.parameter == old.parameter; };
    const auto place = std::find_if(made.begin(), made.end(), named);
    if (place == made.end()) {
      made.push_back(std::move(old));
      continue;
    }
    const Parameter& parameter = *parameters[static_cast<size_t>(place - made.begin())];
    if (!fits(old, parameter)) {
      const Tensor& moment = old.first;
      fail("optimizer",
           "a moment of {} is {} {}, its value {} {}: was it saved with another model, or are two names "
           "alike?",
           parameter.name, name_of(moment.dtype()), moment.shape().str(), name_of(parameter.value.dtype()),
           parameter.value.shape().str());
    }
    if (old.first.defined()) place->first.copy_from(old.first);
    if (old.second.defined()) place->second.copy_from(old.second);
    if (old.steps.defined()) place->steps.copy_from(old.steps);
  }
  moments_ = std::move(made);
}

std::vector<NamedTensor> Optimizer::state() const {
  std::vector<NamedTensor> tensors;
  for (const Moments& m : moments_) {
    if (*m.steps.data<int32_t>() == 0) continue;  // no gradient ever reached it
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
