#include "fovea/train/optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/base/parallel.h"
#include "fovea/base/random.h"
#include "fovea/nn/parameter_buffer.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;
constexpr uint64_t kSeed = 2019;

Tensor random_tensor(const Shape& shape, Random& random, DType type = DType::kF32) {
  std::vector<float> values(static_cast<size_t>(shape.size()));
  for (float& x : values) x = random.normal();
  return Tensor::of(shape, values).to(type);
}

// Two parameters, of which plain formulas in double keep their own copies.
struct Model {
  explicit Model(DType type = DType::kF32) : random(kSeed) {
    a = {"a", random_tensor({3, 5}, random, type), {}};
    b = {"b", random_tensor({7}, random, type), {}};
  }
  void draw_gradients() {
    for (Parameter* p : all) p->grad = random_tensor(p->value.shape(), random, p->value.dtype());
  }
  Random random;
  Parameter a, b;
  std::vector<Parameter*> all{&a, &b};
};

std::vector<double> doubles(const Tensor& x) { return x.to(DType::kF64).values<double>(); }

template <typename F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

double norm_of(const std::vector<Parameter*>& all) {
  double squares = 0;
  for (const Parameter* p : all)
    for (const double g : doubles(p->grad)) squares += g * g;
  return std::sqrt(squares);
}

// Twelve steps of `options` beside update(w, g, m, v, t, rate), for each element in double.
template <typename F>
void follows_formula(const OptimizerOptions& options, F&& update) {
  for (const DType type : {DType::kF32, DType::kF64}) {
    Model model(type);
    Optimizer optimizer(options);
    std::vector<std::vector<double>> w, m, v;
    for (Parameter* p : model.all) {
      w.push_back(doubles(p->value));
      m.emplace_back(w.back().size());
      v.emplace_back(w.back().size());
    }
    for (int t = 1; t <= 12; ++t) {
      model.draw_gradients();
      const float rate = 0.05f / static_cast<float>(t);
      const double norm = norm_of(model.all);
      const double scale = options.clip_norm > 0 ? std::min(1.0, options.clip_norm / norm) : 1;
      EXPECT_NEAR(optimizer.step(model.all, rate), norm, 1e-6 * norm);
      for (size_t i = 0; i < 2; ++i) {
        const std::vector<double> g = doubles(model.all[i]->grad), got = doubles(model.all[i]->value);
        for (size_t k = 0; k < g.size(); ++k) {
          update(w[i][k], scale * g[k], m[i][k], v[i][k], t, static_cast<double>(rate));
          EXPECT_NEAR(got[k], w[i][k], type == DType::kF32 ? 2e-6 : 1e-7)
              << "step " << t << ", seed " << kSeed;
        }
      }
    }
  }
}

TEST(Optimizer, SgdFollowsItsFormula) {
  follows_formula({.name = "sgd", .weight_decay = 0.1f},
                  [](double& w, double g, double&, double&, int, double rate) { w -= rate * (g + 0.1 * w); });
}

TEST(Optimizer, SgdWithMomentumFollowsItsFormula) {
  for (const bool nesterov : {false, true}) {
    follows_formula({.name = "sgd", .weight_decay = 0.1f, .momentum = 0.9f, .nesterov = nesterov},
                    [&](double& w, double g, double& m, double&, int, double rate) {
                      g += 0.1 * w;
                      m = 0.9 * m + g;
                      w -= rate * (nesterov ? g + 0.9 * m : m);
                    });
  }
}

TEST(Optimizer, AdamAndAdamWFollowTheirFormulas) {
  for (const bool decoupled : {false, true}) {
    follows_formula({.name = decoupled ? "adamw" : "adam",
                     .weight_decay = 0.1f,
                     .beta1 = 0.8f,
                     .beta2 = 0.95f,
                     .eps = 1e-6f},
                    [&](double& w, double g, double& m, double& v, int t, double rate) {
                      if (decoupled)
                        w -= rate * 0.1 * w;
                      else
                        g += 0.1 * w;
                      m = 0.8 * m + 0.2 * g;
                      v = 0.95 * v + 0.05 * g * g;
                      w -= rate * (m / (1 - std::pow(0.8, t))) /
                           (std::sqrt(v / (1 - std::pow(0.95, t))) + 1e-6);
                    });
  }
}

TEST(Optimizer, ClippingScalesGradientsDownToTheNormAndNeverUp) {
  for (const float clip : {0.5f, 1e6f})
    follows_formula({.name = "sgd", .clip_norm = clip},
                    [](double& w, double g, double&, double&, int, double rate) { w -= rate * g; });
}

TEST(Optimizer, FirstAdamStepMovesByTheLearningRate) {
  // m / (1 - b1) = g and v / (1 - b2) = g^2, so the step is rate * g / (|g| + eps).
  Parameter p{"p", Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<float>({3}, {0.5f, -4, 0})};
  Parameter* all[] = {&p};
  EXPECT_FLOAT_EQ(Optimizer({.name = "adam"}).step(all, 0.1f), std::sqrt(0.25f + 16));
  EXPECT_THAT(p.value.values<float>(), ::testing::Pointwise(::testing::FloatNear(1e-6f), {0.9f, 2.1f, 3.0f}));
}

TEST(Optimizer, ParameterWithoutGradientIsLeftAlone) {
  Model model;
  Optimizer optimizer({.weight_decay = 0.5f});
  model.draw_gradients();
  optimizer.step(model.all);
  const std::vector<float> a = model.a.value.values<float>(), b = model.b.value.values<float>();
  model.a.grad = {};
  optimizer.step(model.all);
  EXPECT_EQ(model.a.value.values<float>(), a);
  EXPECT_NE(model.b.value.values<float>(), b);
  for (const NamedTensor& s : optimizer.state())
    if (s.name.ends_with(".steps")) {
      EXPECT_EQ(s.tensor.item(), s.name == "a.steps" ? 1 : 2);
    }
}

TEST(Optimizer, GradientThatIsNotFiniteChangesNothing) {
  Model model;
  Optimizer optimizer({.clip_norm = 1});
  model.draw_gradients();
  model.b.grad.data<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a = model.a.value.values<float>(), b = model.b.value.values<float>();
  EXPECT_TRUE(std::isnan(optimizer.step(model.all)));
  EXPECT_EQ(model.a.value.values<float>(), a);
  EXPECT_EQ(model.b.value.values<float>(), b);
  EXPECT_TRUE(optimizer.state().empty());
}

TEST(Optimizer, GoesOnFromItsSavedStateBitForBit) {
  for (const char* name : {"sgd", "adam", "adamw"}) {
    const OptimizerOptions options{.name = name, .weight_decay = 0.1f, .momentum = 0.9f};
    Model whole, parts;
    Optimizer one(options), first(options), second(options);
    for (int t = 0; t < 6; ++t) {
      whole.draw_gradients();
      parts.draw_gradients();
      one.step(whole.all);
      if (t == 3) second.load_state(first.state());
      (t < 3 ? first : second).step(parts.all);
    }
    EXPECT_EQ(whole.a.value.values<float>(), parts.a.value.values<float>()) << name;
    EXPECT_EQ(whole.b.value.values<float>(), parts.b.value.values<float>()) << name;
  }
}

TEST(Optimizer, AllocatesNothingAfterTheFirstStep) {
  Model model;
  Optimizer optimizer({});
  model.draw_gradients();
  optimizer.step(model.all);
  const pool::Stats before = pool::stats();
  optimizer.step(model.all);
  EXPECT_EQ(pool::stats().bytes_used, before.bytes_used);
  EXPECT_EQ(pool::stats().system_allocations, before.system_allocations);
}

TEST(Optimizer, BitsDoNotDependOnThreads) {
  std::vector<float> results[2];
  float norms[2];
  for (int n : {1, 2}) {
    set_threads(n);
    Random random(kSeed);
    Parameter p{"p", random_tensor({100003}, random), random_tensor({100003}, random)};
    Parameter* all[] = {&p};
    norms[n - 1] = Optimizer({.clip_norm = 1}).step(all);
    results[n - 1] = p.value.values<float>();
  }
  set_threads(0);
  EXPECT_EQ(norms[0], norms[1]);
  EXPECT_EQ(results[0], results[1]);
}

// Parameters in one buffer change as parameters alone do, whatever has a gradient, and go on from a saved state.
TEST(Optimizer, NeighboursAreSweptOverAsIfTheyWereAlone) {
  for (const OptimizerOptions& options :
       {OptimizerOptions{.name = "adamw", .weight_decay = 0.1f, .decay_vectors = false},
        OptimizerOptions{.name = "adam", .weight_decay = 0.1f},
        OptimizerOptions{.name = "sgd", .momentum = 0.9f}}) {
    Random random(kSeed);
    const Shape shapes[] = {{3, 5}, {7}, {4, 4}, {2, 9}, {33}};
    std::vector<Parameter> alone, together;
    for (const Shape& shape : shapes) {
      alone.push_back({fmt::format("p{}", alone.size()), random_tensor(shape, random), {}});
      together.push_back({alone.back().name, alone.back().value.copy(), {}});
    }
    std::vector<Parameter*> ones, others;
    for (Parameter& p : alone) ones.push_back(&p);
    for (Parameter& p : together) others.push_back(&p);
    nn::gather(others);
    Optimizer one(options);
    auto other = std::make_unique<Optimizer>(options);
    for (size_t t = 0; t < 8; ++t) {
      for (size_t i = 0; i < ones.size(); ++i) {
        ones[i]->clear_grad();
        others[i]->clear_grad();
        if (t > 0 && (i + t) % 3 == 0) continue;  // nothing reached it
        const Tensor g = random_tensor(shapes[i], random);
        ones[i]->grad = g;
        ones[i]->cleared = others[i]->cleared = false;
        std::copy_n(g.data<float>(), g.size(), others[i]->grad.data<float>());
      }
      if (t == 5) {
        auto resumed = std::make_unique<Optimizer>(options);
        resumed->load_state(other->state());
        other = std::move(resumed);
      }
      EXPECT_FLOAT_EQ(one.step(ones), other->step(others));
      for (size_t i = 0; i < ones.size(); ++i)
        EXPECT_EQ(ones[i]->value.values<float>(), others[i]->value.values<float>())
            << options.name << " " << t << " " << i;
    }
  }
}

TEST(Optimizer, WrongOptionsAndStatesAreErrors) {
  EXPECT_THAT(error_of([] { Optimizer({.name = "adamx"}); }),
              HasSubstr("[optimizer] there is no \"adamx\": expected one of adam"));
  EXPECT_THAT(error_of([] { Optimizer({.beta2 = 1}); }), HasSubstr("beta2 is 1"));
  EXPECT_THAT(error_of([] { Optimizer({.name = "sgd", .nesterov = true}); }),
              HasSubstr("nesterov needs a momentum"));
  Model model;
  Optimizer sgd({.name = "sgd"}), adam({.name = "adam"});
  model.draw_gradients();
  sgd.step(model.all);
  EXPECT_THAT(error_of([&] { adam.load_state(sgd.state()); }),
              HasSubstr("the saved state of a is not that of adam"));
  const NamedTensor strange[] = {{"a.third", Tensor::zeros({1})}};
  EXPECT_THAT(error_of([&] { adam.load_state(strange); }), HasSubstr("\"a.third\""));
  adam.step(model.all);
  Parameter other{"a", Tensor::zeros({2}), Tensor::zeros({2})};
  Parameter* all[] = {&other};
  EXPECT_THAT(error_of([&] { adam.step(all); }), HasSubstr("a moment of a is f32 [3, 5], its value f32 [2]"));
}

}  // namespace
}  // namespace fovea::train
