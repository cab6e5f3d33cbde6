// Layers that only run compute what layers that can be trained do.
#include "fovea/nn/ready_layer.h"

#include <gtest/gtest.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/tensor/positions.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

struct Kind {
  const char* name;
  bool norm_first, gated, rotary, causal, rms;
  int64_t kv_heads, window;
};
constexpr Kind kKinds[] = {
    {"pre", true, false, false, true, false, 4, 0},        {"post", false, false, false, false, false, 4, 0},
    {"llama", true, true, true, true, true, 2, 0},         {"window", true, false, false, true, false, 4, 2},
    {"both_ways", false, false, true, false, false, 1, 3},
};

TransformerLayerOptions options_of(const Kind& kind, const char* score = "scaled_dot") {
  TransformerLayerOptions o;
  o.self.width = 16;
  o.self.heads = 4;
  o.self.kv_heads = kind.kv_heads;
  o.self.joint = true;
  o.self.bias = true;
  o.self.score = score;
  o.self.rotary = kind.rotary;
  if (kind.causal) o.self.mask = causal();
  if (kind.window) o.self.mask = o.self.mask & window(kind.window);
  o.think = {.width = 16, .hidden = 24, .activation = "gelu", .gated = kind.gated};
  o.norm_first = kind.norm_first;
  o.norm.kind = kind.rms ? "rms" : "layer";
  return o;
}

tensor::RotaryTable angles(const Kind& kind, std::initializer_list<int64_t> lengths, int64_t first = 0) {
  if (!kind.rotary) return {};
  std::vector<int32_t> positions;
  for (const int64_t length : lengths)
    for (int64_t i = 0; i < length; ++i) positions.push_back(static_cast<int32_t>(first + i));
  return tensor::rotary_table_at(Tensor::of<int32_t>({static_cast<int64_t>(positions.size())}, positions), 4);
}

double difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a.data<float>()[i]) - b.data<float>()[i]));
  return worst;
}

class ReadyLayers : public ::testing::TestWithParam<Kind> {};

TEST_P(ReadyLayers, WholeSequencesOfAnyLength) {
  const Kind& kind = GetParam();
  Random random(3);
  const TransformerLayerOptions options = options_of(kind);
  TransformerLayer layer(options, random);
  ASSERT_TRUE(ReadyLayer::possible(options));
  const ReadyLayer ready(layer, options, {kind.causal, kind.window}, Precision::kF32);
  const Tensor a = random_tensor({1, 7, 16}, DType::kF32, random),
               b = random_tensor({1, 3, 16}, DType::kF32, random);
  const Tensor both = Tensor::empty({10, 16});
  std::copy_n(a.data<float>(), a.size(), both.data<float>());
  std::copy_n(b.data<float>(), b.size(), both.data<float>() + a.size());
  const std::vector<int32_t> starts = {0, 7, 10};
  ready.read(both, starts, angles(kind, {7, 3}), nullptr);
  EXPECT_LT(difference(both.slice(0, 7), layer(a, {}).out.value()), 1e-5);
  EXPECT_LT(difference(both.slice(7, 10), layer(b, {}).out.value()), 1e-5);
}

class ReadyDecoders : public ReadyLayers {};

TEST_P(ReadyDecoders, WordByWordIsTheWhole) {
  const Kind& kind = GetParam();
  Random random(4);
  const TransformerLayerOptions options = options_of(kind);
  TransformerLayer layer(options, random);
  const ReadyLayer ready(layer, options, {kind.causal, kind.window}, Precision::kF32);
  const Tensor x = random_tensor({1, 6, 16}, DType::kF32, random),
               want = layer(x, {}).out.value().reshape({6, 16});
  std::vector<Tensor> kept;
  std::vector<const float*> rows;
  for (int64_t t = 0; t < 6; ++t) {
    kept.push_back(Tensor::empty({1, ready.row_width()}));
    rows.push_back(kept.back().data<float>());
    const size_t first = kind.window > 0 && t > kind.window ? static_cast<size_t>(t - kind.window) : 0;
    const float* const* at[] = {rows.data() + first};
    const int32_t count[] = {static_cast<int32_t>(rows.size() - first)};
    const Tensor row = x.reshape({6, 16}).slice(t, t + 1).copy();
    ready.step(row, angles(kind, {1}, t), kept.back().data<float>(), {.at = at, .counts = count}, nullptr);
    EXPECT_LT(difference(row, want.slice(t, t + 1)), 1e-5) << t;
  }
}

// One projection for queries, keys and values, read in place by the kernel, and the plain steps on copies of its parts.
TEST_P(ReadyLayers, AJointProjectionHasTheGradientsOfItsParts) {
  const Kind& kind = GetParam();
  Random random(5);
  Attention attention(options_of(kind).self, random);
  ParameterList list;
  attention.collect("", list);
  const Tensor x = random_tensor({2, 5, 16}, DType::kF32, random);
  const auto run = [&](Path path) {
    autograd::Tape tape;
    for (Parameter* p : list) p->clear_grad();
    Tensor dx;
    const Attended y = attention(autograd::variable(x, dx), {.path = path});
    tape.backward(autograd::sum(autograd::mul(y.context, y.context)));
    std::vector<Tensor> grads = {y.context.value(), dx};
    for (Parameter* p : list) grads.push_back(p->grad.copy());
    return grads;
  };
  const std::vector<Tensor> fused = run(Path::kFused), plain = run(Path::kPlain);
  for (size_t i = 0; i < fused.size(); ++i) EXPECT_LT(difference(fused[i], plain[i]), 1e-4) << i;
}

// Those that look at nothing that is not there yet.
std::vector<Kind> causal_kinds() {
  std::vector<Kind> kinds;
  for (const Kind& kind : kKinds)
    if (kind.causal) kinds.push_back(kind);
  return kinds;
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReadyLayers, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Kinds, ReadyDecoders, ::testing::ValuesIn(causal_kinds()),
                         [](const auto& info) { return info.param.name; });

TEST(ReadyLayer, OtherScoresAreLeftToTheLayer) {
  EXPECT_FALSE(ReadyLayer::possible(options_of(kKinds[0], "additive")));
  EXPECT_TRUE(ReadyLayer::possible(options_of(kKinds[0], "dot")));
}

TEST(ReadyLayer, EightBitsAreClose) {
  Random random(6);
  const TransformerLayerOptions options = options_of(kKinds[0]);
  TransformerLayer layer(options, random);
  const Tensor x = random_tensor({7, 16}, DType::kF32, random), exact = x.copy(), rounded = x.copy();
  const std::vector<int32_t> starts = {0, 7};
  ReadyLayer(layer, options, {true, 0}, Precision::kF32).read(exact, starts, {}, nullptr);
  ReadyLayer(layer, options, {true, 0}, Precision::kInt8).read(rounded, starts, {}, nullptr);
  const double away = difference(exact, rounded);
  EXPECT_GT(away, 0);
  EXPECT_LT(away, 0.05);
}

}  // namespace
}  // namespace fovea::nn
