// A layer of a Transformer for a model that only runs: weights laid out once, nothing recorded, sequences without padding. It
// computes what TransformerLayer does, for layers that score by dot products and weigh softly.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fovea/nn/ready_linear.h"
#include "fovea/nn/transformer_layer.h"

namespace fovea::nn {

class ReadyNorm {
 public:
  ReadyNorm() = default;
  // The gain, and the bias where there is one, of a norm of this kind.
  ReadyNorm(const NormOptions& options, const Tensor& gain, const Tensor& bias);
  ReadyNorm(const NormOptions& options, Norm& norm);
  // x [rows, width]; y may be x.
  void operator()(const Tensor& x, const Tensor& y) const;

 private:
  NormOptions options_;
  Tensor gain_, bias_;
};

// Rows of keys and values that queries look at: at[i][t] is what query i sees at place t, of counts[i] places.
struct SeenRows {
  const float* const* const* at = nullptr;
  const int32_t* counts = nullptr;
  float* weights = nullptr;  // null, or [queries, H, stride]: receives where they looked
  int64_t stride = 0;
};

// What self-attention may see.
struct Reach {
  bool causal = false;
  int64_t window = 0;  // to each side; 0: everything
};
// What a layer with these options sees, where it can be made ready.
Reach reach_of(const AttentionOptions& options);

class ReadyLayer {
 public:
  // Whether such a layer can be made ready.
  static bool possible(const TransformerLayerOptions& options);
  ReadyLayer(TransformerLayer& layer, const TransformerLayerOptions& options, Precision precision);

  const Reach& reach() const { return reach_; }

  // Numbers of a row of keys and values, as read() and step() leave them.
  int64_t row_width() const { return 2 * kv_heads_ * head_; }

  // Whole sequences, one after the other: x [rows, width] becomes what the layer makes of it. Sequence i is rows starts[i] to before
  // starts[i + 1]. `angles` has a row for each row of x where positions are rotary. `kept`, where given, receives keys and values,
  // [rows, row_width()]. Layers with a memory need step().
  void read(const Tensor& x, std::span<const int32_t> starts, const tensor::RotaryTable& angles,
            Tensor* kept) const;

  // One more row for each of some sequences: x [rows, width]. Its keys and values go to `newest` [rows, row_width()] before anybody
  // looks; `self` (and `memory`, for a layer that has one) say what each row sees.
  void step(const Tensor& x, const tensor::RotaryTable& angles, float* newest, const SeenRows& self,
            const SeenRows* memory) const;

  // Rows of a memory, [rows, width], as step() looks at them: [rows, row_width()].
  Tensor remember(const Tensor& states) const { return memory_kv_(states); }

 private:
  Tensor qkv(const Tensor& x, const tensor::RotaryTable& angles) const;
  void look(const Tensor& queries, float scale, const SeenRows& rows, const Tensor& context) const;
  void think(const Tensor& x) const;
  // Norms stand before a part, or after it.
  Tensor before(const ReadyNorm& norm, const Tensor& x) const;
  void after(const ReadyNorm& norm, const Tensor& x) const;

  int64_t heads_, kv_heads_, head_;
  float scale_, memory_scale_ = 1;
  bool norm_first_, rotary_;
  Reach reach_;
  kernels::Activation activation_;
  ReadyNorm self_norm_, memory_norm_, think_norm_;
  ReadyLinear qkv_, out_, memory_query_, memory_kv_, memory_out_, in_, think_out_;
  std::optional<ReadyLinear> gate_;
};

}  // namespace fovea::nn
