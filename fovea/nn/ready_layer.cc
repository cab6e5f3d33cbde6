#include "fovea/nn/ready_layer.h"

#include <algorithm>
#include <map>

#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/arithmetic.h"
#include "fovea/kernels/attend_rows.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/norm.h"
#include "fovea/kernels/rope.h"

namespace fovea::nn {
namespace {

// The parameters of a layer by name.
class Named {
 public:
  Named(TransformerLayer& layer, Precision precision) : precision_(precision) {
    ParameterList list;
    layer.collect("", list);
    for (const Parameter* parameter : list) values_[parameter->name] = parameter->value;
  }
  // Undefined where there is none.
  Tensor operator[](const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? Tensor() : found->second;
  }
  ReadyLinear linear(const std::string& name) const {
    return {(*this)[name + ".weight"], (*this)[name + ".bias"], precision_};
  }
  ReadyNorm norm(const NormOptions& options, const std::string& name) const {
    return {options, (*this)[name + ".weight"], (*this)[name + ".bias"]};
  }
  // Two of them as one, the rows of the second after those of the first.
  ReadyLinear linears(const std::string& first, const std::string& second) const {
    return {stacked((*this)[first + ".weight"], (*this)[second + ".weight"]),
            stacked((*this)[first + ".bias"], (*this)[second + ".bias"]), precision_};
  }

 private:
  static Tensor stacked(const Tensor& a, const Tensor& b) {
    if (!a.defined()) return {};
    Shape shape = a.shape();
    shape[0] += b.dim(0);
    const Tensor both = Tensor::empty(shape);
    std::copy_n(a.data<float>(), a.size(), both.data<float>());
    std::copy_n(b.data<float>(), b.size(), both.data<float>() + a.size());
    return both;
  }

  Precision precision_;
  std::map<std::string, Tensor> values_;
};

float scale_of(const AttentionOptions& options) {
  return static_cast<float>(
      score_named(options.score).scale(static_cast<double>(options.width / options.heads)));
}

}  // namespace

ReadyNorm::ReadyNorm(const NormOptions& options, const Tensor& gain, const Tensor& bias)
    : options_(options), gain_(gain), bias_(bias) {}

ReadyNorm::ReadyNorm(const NormOptions& options, Norm& norm) : options_(options) {
  ParameterList list;
  norm.collect("", list);
  gain_ = list[0]->value;
  if (list.size() > 1) bias_ = list[1]->value;
}

void ReadyNorm::operator()(const Tensor& x, const Tensor& y) const {
  Scratch scratch;
  kernels::NormRows<float> norm;
  norm.x = x.data<float>();
  norm.y = y.data<float>();
  norm.rows = x.dim(0);
  norm.cols = x.dim(1);
  norm.gain = gain_.data<float>();
  if (bias_.defined()) norm.bias = bias_.data<float>();
  if (options_.kind == "layer") norm.mean = scratch.take<float>(norm.rows);
  norm.rstd = scratch.take<float>(norm.rows);
  norm.eps = options_.eps;
  kernels::norm_rows(norm);
}

Reach reach_of(const AttentionOptions& o) {
  Reach reach{.causal = o.place == Place::kDecoder};
  for (const MaskTerm& term : o.masks.terms()) reach.window = term.numbers[0];
  return reach;
}

bool ReadyLayer::possible(const TransformerLayerOptions& options) {
  const auto plain = [](const AttentionOptions& o) {
    return score_named(o.score).scale && o.weigh == "soft" && o.project;
  };
  const auto masks = options.self.masks.terms();
  const bool reaches =
      masks.empty() || (masks.size() == 1 && options.self.masks.has("window") && masks[0].numbers[0] > 0);
  return options.self.joint && reaches && plain(options.self) &&
         (!options.memory ||
          (plain(*options.memory) && options.memory->masks.empty() && !options.memory->rotary &&
           options.memory->heads == options.self.heads && options.memory->kv_heads == options.self.kv_heads));
}

ReadyLayer::ReadyLayer(TransformerLayer& layer, const TransformerLayerOptions& o, Precision precision)
    : heads_(o.self.heads),
      kv_heads_(o.self.kv_heads > 0 ? o.self.kv_heads : o.self.heads),
      head_(o.self.width / o.self.heads),
      scale_(scale_of(o.self)),
      norm_first_(o.norm_first),
      rotary_(o.self.rotary),
      reach_(reach_of(o.self)),
      activation_(activation_named(o.think.activation)) {
  const Named named(layer, precision);
  self_norm_ = named.norm(o.norm, "self_norm");
  think_norm_ = named.norm(o.norm, "think_norm");
  qkv_ = named.linear("self.qkv");
  out_ = named.linear("self.out");
  in_ = named.linear("think.in");
  think_out_ = named.linear("think.out");
  if (o.think.gated) gate_ = named.linear("think.gate");
  if (!o.memory) return;
  memory_scale_ = scale_of(*o.memory);
  memory_norm_ = named.norm(o.norm, "memory_norm");
  memory_query_ = named.linear("memory.query");
  memory_kv_ = named.linears("memory.key", "memory.value");
  memory_out_ = named.linear("memory.out");
}

Tensor ReadyLayer::before(const ReadyNorm& norm, const Tensor& x) const {
  if (!norm_first_) return x;
  Tensor h = Tensor::empty(x.shape());
  norm(x, h);
  return h;
}

void ReadyLayer::after(const ReadyNorm& norm, const Tensor& x) const {
  if (!norm_first_) norm(x, x);
}

Tensor ReadyLayer::qkv(const Tensor& x, const tensor::RotaryTable& angles) const {
  Tensor y = qkv_(before(self_norm_, x));
  if (rotary_) {
    const int64_t rows = x.dim(0);
    if (!angles.cos.defined() || angles.cos.shape() != Shape{rows, head_ / 2})
      fail("attention", "rotary positions of {} rows: expected a table of [{}, {}]", rows, rows, head_ / 2);
    kernels::rope(y.data<float>(), angles.cos.data<float>(), angles.sin.data<float>(), y.data<float>(),
                  {.tokens = rows,
                   .heads = heads_ + 2 * kv_heads_,
                   .width = head_,
                   .positions = rows,
                   .copied = kv_heads_},
                  0.0f);
  }
  return y;
}

void ReadyLayer::read(const Tensor& x, std::span<const int32_t> starts, const tensor::RotaryTable& angles,
                      Tensor* kept) const {
  const int64_t rows = x.dim(0), width = (heads_ + 2 * kv_heads_) * head_;
  const Tensor made = qkv(x, angles), context = Tensor::empty({rows, heads_ * head_});
  parallel_for(static_cast<int64_t>(starts.size()) - 1, [&](int64_t i) {
    const int64_t begin = starts[static_cast<size_t>(i)], length = starts[static_cast<size_t>(i) + 1] - begin;
    if (length == 0) return;
    Scratch scratch;
    kernels::DotAttention<float> a;
    a.size = {.B = 1, .T = length, .S = length, .H = heads_, .G = kv_heads_, .D = head_, .M = head_};
    a.scale = scale_;
    const float* from = made.data<float>() + begin * width;
    const auto part = [&](int64_t head) {
      return kernels::HeadRows<const float>{from + head * head_, 0, head_, width};
    };
    a.q = part(0);
    a.k = part(heads_);
    a.v = part(heads_ + kv_heads_);
    if (reach_.causal || reach_.window > 0) {
      int32_t *first = scratch.take<int32_t>(length), *last = scratch.take<int32_t>(length);
      for (int64_t t = 0; t < length; ++t) {
        const int64_t reach = reach_.window > 0 ? reach_.window : length;
        first[t] = static_cast<int32_t>(std::max<int64_t>(0, t - reach));
        last[t] = static_cast<int32_t>(reach_.causal ? t + 1 : std::min(length, t + reach + 1));
      }
      a.mask.first = first;
      a.mask.last = last;
    }
    float *max = scratch.take<float>(heads_ * length), *sum = scratch.take<float>(heads_ * length);
    kernels::attention_forward(a, {context.data<float>() + begin * heads_ * head_, 0, head_, heads_ * head_},
                               {max, sum});
  });
  if (kept) {
    *kept = Tensor::empty({rows, row_width()});
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(made.data<float>() + r * width + heads_ * head_, row_width(),
                  kept->data<float>() + r * row_width());
  }
  out_.add_to(x, context);
  after(self_norm_, x);
  think(x);
}

void ReadyLayer::look(const Tensor& queries, float scale, const SeenRows& rows, const Tensor& context) const {
  kernels::AttendRows a;
  a.queries = queries.dim(0);
  a.H = heads_;
  a.G = kv_heads_;
  a.D = head_;
  a.q = queries.data<float>();
  a.q_stride = queries.dim(1);
  a.scale = scale;
  a.rows = rows.at;
  a.counts = rows.counts;
  a.out = context.data<float>();
  a.weights = rows.weights;
  a.weights_stride = rows.stride;
  kernels::attend_rows(a);
}

void ReadyLayer::step(const Tensor& x, const tensor::RotaryTable& angles, float* newest, const SeenRows& self,
                      const SeenRows* memory) const {
  const int64_t rows = x.dim(0), width = (heads_ + 2 * kv_heads_) * head_;
  const Tensor made = qkv(x, angles), context = Tensor::empty({rows, heads_ * head_});
  for (int64_t r = 0; r < rows; ++r)
    std::copy_n(made.data<float>() + r * width + heads_ * head_, row_width(), newest + r * row_width());
  look(made, scale_, self, context);
  out_.add_to(x, context);
  after(self_norm_, x);
  if (memory) {
    const Tensor query = memory_query_(before(memory_norm_, x));
    look(query, memory_scale_, *memory, context);
    memory_out_.add_to(x, context);
    after(memory_norm_, x);
  }
  think(x);
}

void ReadyLayer::think(const Tensor& x) const {
  const Tensor h = before(think_norm_, x), hidden = gate_ ? (*gate_)(h) : in_(h);
  kernels::activate(activation_, hidden.data<float>(), hidden.data<float>(), hidden.size());
  if (gate_) {
    const Tensor up = in_(h);
    const kernels::Broadcast whole{.rank = 1, .sizes = {hidden.size()}, .a = {1}, .b = {1}};
    kernels::arithmetic(kernels::Arithmetic::kMul, whole, hidden.data<float>(), up.data<float>(),
                        hidden.data<float>(), false);
  }
  think_out_.add_to(x, hidden);
  after(think_norm_, x);
}

}  // namespace fovea::nn
