// Queries, keys and values that are one tensor, or two of which are, under biases of -1e9 and of the lowest float: every score, fused and by plain
// steps, against each other and against PyTorch (tests/goldens/attention_shared.safetensors, made by tools/goldens_shared.py).
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "fovea/autograd/activations.h"
#include "fovea/nn/attend.h"
#include "naive.h"
#include "tests/golden_file.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

// One attention, whose inputs are drawn or read from a file.
struct SharedCase {
  const Score* score = nullptr;
  std::vector<size_t> of = {};  // which leaf queries, keys and values are
  bool changed = false;         // they are tanh of it, and so no leaves
  int64_t heads = 1, kv_heads = 1;
  std::map<std::string, Tensor> inputs = {};  // leaf.I [B, L, n], param.P, bias [B, 1, T, S]
  std::vector<std::string> params = {};       // in the order of the score
  Tensor upstream = {};                       // [B, T, H * n]

  struct Result {
    Tensor context, weights;
    std::map<std::string, Tensor> grads;
  };

  Result run(Path path) const {
    Result result;
    {
      autograd::Tape tape;
      std::map<std::string, Var> vars;
      for (const auto& [name, x] : inputs) vars[name] = autograd::variable(x, result.grads[name]);
      std::vector<Var> values;  // one for each leaf: where two inputs are one, they are one Var
      for (size_t leaf = 0; inputs.contains(fmt::format("leaf.{}", leaf)); ++leaf) {
        const std::string name = fmt::format("leaf.{}", leaf);
        const Tensor& x = inputs.at(name);
        const int64_t count = of[0] == leaf ? heads : kv_heads;
        const Var split =
            autograd::variable(x.reshape({x.dim(0), x.dim(1), count, x.dim(2) / count}), result.grads[name]);
        values.push_back(changed ? autograd::tanh(split) : split);
      }
      const Var &q = values[of[0]], &k = values[of[1]], &v = values[of[2]];
      std::vector<Var> arguments;
      for (const std::string& name : params) arguments.push_back(vars.at(name));
      const Mask mask = bias(vars.at("bias"));
      const Look all;
      AttendOptions options;
      options.score = score;
      options.score_params = arguments;
      options.mask = &mask;
      options.path = path;
      options.look = &all;
      const Attended y = attend(q, k, v, options);
      EXPECT_EQ(y.fused, path == Path::kFused);
      result.context = y.context.value();
      result.weights = y.seen.weights;
      tape.backward(y.context, upstream.reshape(y.context.shape()));
    }
    for (const auto& [name, x] : inputs) {
      Tensor& grad = result.grads[name];
      grad = grad.defined() ? grad.reshape(x.shape()) : Tensor::zeros(x.shape());
    }
    return result;
  }
};

std::vector<Path> paths_of(const Score& score) {
  if (!score.fused) return {Path::kPlain};
  return {Path::kPlain, Path::kFused};
}

TEST(SharedInputs, ArePyTorchs) {
  const GoldenFile goldens(FOVEA_TESTS_DIR "/goldens/attention_shared.safetensors");
  const nlohmann::json cases = goldens.about("cases");
  ASSERT_GE(cases.size(), 90u);
  for (const nlohmann::json& about : cases) {
    const std::string name = about["name"];
    SharedCase c{.score = &score_named(about["score"].get<std::string>()),
                 .of = about["of"].get<std::vector<size_t>>(),
                 .changed = about["changed"]};
    const auto add = [&](const std::string& what) { c.inputs[what] = goldens.array(name + "/" + what); };
    for (size_t leaf = 0; goldens.has(fmt::format("{}/leaf.{}", name, leaf)); ++leaf)
      add(fmt::format("leaf.{}", leaf));
    for (const ScoreParam& spec : c.score->params({.query = 3, .key = 3, .hidden = 4, .max_keys = 6})) {
      c.params.push_back(std::string("param.") + spec.name);
      add(c.params.back());
    }
    add("bias");
    c.upstream = goldens.array(name + "/upstream");
    for (const Path path : paths_of(*c.score)) {
      SCOPED_TRACE(name + (path == Path::kFused ? " fused" : " plain"));
      const SharedCase::Result y = c.run(path);
      const Tensor want = goldens.array(name + "/context");
      EXPECT_LE(tensor_difference(y.context.reshape(want.shape()), want), 2e-6);
      EXPECT_LE(tensor_difference(y.weights, goldens.array(name + "/weights")), 2e-6);
      for (const auto& [what, grad] : y.grads)
        EXPECT_LE(tensor_difference(grad, goldens.array(name + "/d" + what)), 1e-5) << "gradient of " << what;
    }
  }
}

// Any number of queries and keys from 1 up, heads, and which inputs are one.
SharedCase random_case(uint64_t seed, std::string* text) {
  Random r(seed, 11);
  SharedCase c{.score = &score_table()[static_cast<size_t>(r.below(std::ssize(score_table())))]};
  const std::vector<size_t> patterns[] = {{0, 1, 2}, {0, 1, 1}, {0, 0, 1}, {0, 1, 0}, {0, 0, 0}};
  c.of = patterns[r.below(std::size(patterns))];
  c.changed = r.below(2);
  const bool queries_shared = c.of[0] == c.of[1] || c.of[0] == c.of[2];
  c.kv_heads = 1 + r.below(2);
  c.heads = c.kv_heads * (queries_shared ? 1 : 1 + r.below(2));
  const int64_t B = 1 + r.below(2), S = 1 + r.below(7), T = queries_shared ? S : 1 + r.below(5) % 4;
  const int64_t n = 1 + r.below(9), hidden = 1 + r.below(9);
  const int64_t lengths[] = {T, S, S}, counts[] = {c.heads, c.kv_heads, c.kv_heads};
  for (size_t which = 0; which < 3; ++which)
    c.inputs[fmt::format("leaf.{}", c.of[which])] =
        random_tensor({B, lengths[which], counts[which] * n}, DType::kF32, r, 0.7f);
  for (const ScoreParam& spec : c.score->params({.query = n, .key = n, .hidden = hidden, .max_keys = S})) {
    c.params.push_back(std::string("param.") + spec.name);
    c.inputs[c.params.back()] = random_tensor(spec.shape, DType::kF32, r, 0.7f);
  }
  Tensor bias = random_tensor({B, r.below(2) ? c.heads : 1, T, S}, DType::kF32, r);
  const float hidden_by = r.below(2) ? -1e9f : std::numeric_limits<float>::lowest();
  const int64_t kind = r.below(3);  // nothing, whole rows, parts
  for (int64_t row = 0; row < bias.size() / S && kind > 0; ++row)
    for (int64_t j = 0, whole = kind == 1 && r.below(2); j < S; ++j)
      if (whole || (kind == 2 && r.below(2))) bias.data<float>()[row * S + j] = hidden_by;
  c.inputs["bias"] = bias;
  c.upstream = random_tensor({B, T, c.heads * n}, DType::kF32, r);
  *text = fmt::format("seed {}: {} of {} {} {}{}, B {} T {} S {} H {} G {} n {}, bias {} {}", seed,
                      c.score->name, c.of[0], c.of[1], c.of[2], c.changed ? " changed" : "", B, T, S, c.heads,
                      c.kv_heads, n, kind, hidden_by);
  return c;
}

TEST(SharedInputs, FusedIsPlain) {
  for (uint64_t seed = 1; seed <= 1500 && !HasFailure(); ++seed) {
    std::string text;
    const SharedCase c = random_case(seed, &text);
    if (!c.score->fused) continue;
    const SharedCase::Result plain = c.run(Path::kPlain), fused = c.run(Path::kFused);
    EXPECT_LE(tensor_difference(fused.context, plain.context), 1e-5) << text;
    EXPECT_LE(tensor_difference(fused.weights, plain.weights), 1e-5) << text;
    for (const auto& [name, grad] : plain.grads)
      EXPECT_LE(tensor_difference(fused.grads.at(name), grad), 3e-5)
          << "gradient of " << name << ", " << text;
  }
}

TEST(SharedInputs, KeysThatAreAllBiasedAwayAreSeenAlike) {
  for (const float low : {-1e9f, std::numeric_limits<float>::lowest()})
    for (const char* name : {"scaled_dot", "additive"})
      for (const Path path : {Path::kPlain, Path::kFused}) {
        Random r(3);
        SharedCase c{.score = &score_named(name), .of = {0, 1, 1}};
        c.inputs["leaf.0"] = random_tensor({1, 1, 4}, DType::kF32, r);
        c.inputs["leaf.1"] = random_tensor({1, 6, 4}, DType::kF32, r);
        for (const ScoreParam& spec : c.score->params({.query = 4, .key = 4, .hidden = 5, .max_keys = 6})) {
          c.params.push_back(spec.name);
          c.inputs[spec.name] = random_tensor(spec.shape, DType::kF32, r);
        }
        c.inputs["bias"] = Tensor::full({1, 1, 1, 6}, static_cast<double>(low));
        c.upstream = random_tensor({1, 1, 4}, DType::kF32, r);
        const SharedCase::Result y = c.run(path);
        for (const float w : y.weights.span<float>()) EXPECT_FLOAT_EQ(w, 1.0f / 6);
      }
}

}  // namespace
}  // namespace fovea::nn
