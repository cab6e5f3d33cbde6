// One projection for queries, keys and values: the kernel reads them in place.
#include <gtest/gtest.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/nn/attention.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

struct Kind {
  const char* name;
  bool rotary, causal;
  int64_t kv_heads, window;
};
constexpr Kind kKinds[] = {
    {"causal", false, true, 4, 0}, {"whole", false, false, 4, 0},    {"grouped_rotary", true, true, 2, 0},
    {"window", false, true, 4, 2}, {"both_ways", true, false, 1, 3},
};

AttentionOptions options_of(const Kind& kind) {
  AttentionOptions o;
  o.width = 16;
  o.heads = 4;
  o.kv_heads = kind.kv_heads;
  o.joint = true;
  o.bias = true;
  o.rotary = kind.rotary;
  if (kind.causal) o.mask = causal();
  if (kind.window) o.mask = o.mask & window(kind.window);
  return o;
}

double difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.size(), b.size());
  double worst = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(a.data<float>()[i]) - b.data<float>()[i]));
  return worst;
}

class JointProjection : public ::testing::TestWithParam<Kind> {};

// One projection for queries, keys and values, read in place by the kernel, and the plain steps on copies of its parts.
TEST_P(JointProjection, HasTheGradientsOfItsParts) {
  const Kind& kind = GetParam();
  Random random(5);
  Attention attention(options_of(kind), random);
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

INSTANTIATE_TEST_SUITE_P(Kinds, JointProjection, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fovea::nn
