// Attention against PyTorch: every case of tests/goldens/attention.safetensors (made by tools/goldens.py),
// forward and gradients, on the fused kernels and on the plain steps.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "fovea/autograd/positions.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/nn/attend.h"
#include "fovea/tensor/safetensors.h"
#include "naive.h"

namespace fovea::nn {
namespace {

using namespace fovea::testing;

struct Goldens {
  std::map<std::string, Tensor> arrays;
  nlohmann::json cases;
  Goldens() {
    const Safetensors file = Safetensors::open(FOVEA_TESTS_DIR "/goldens/attention.safetensors");
    for (const Safetensors::Entry& entry : file.entries()) arrays[entry.name] = file.read(entry.name);
    cases = nlohmann::json::parse(file.metadata().at("cases"));
  }
};

// One case: its arrays, as leaves of a tape.
class GoldenCase {
 public:
  GoldenCase(const Goldens& goldens, const nlohmann::json& about)
      : goldens_(goldens), about_(about), name_(about["name"]) {}

  bool has(const std::string& what) const { return goldens_.arrays.count(name_ + "/" + what) > 0; }
  const Tensor& array(const std::string& what) const { return goldens_.arrays.at(name_ + "/" + what); }
  Var leaf(const std::string& what) { return autograd::variable(array(what), grads_[what]); }

  void run_and_compare(Path path) {
    grads_.clear();
    const nlohmann::json& options = about_["masks"];
    const int64_t H = about_["heads"], G = about_["kv_heads"];
    Attended y;
    {
      autograd::Tape tape;
      Var q = split(leaf("q"), H), k = split(leaf("k"), G);
      const Var v = split(leaf("v"), G);
      if (options.value("rope", false)) {
        q = autograd::rope(q, k.dim(1) - q.dim(1));
        k = autograd::rope(k, 0);
      }
      AttendOptions attend_options;
      attend_options.score = &score_named(about_["score"].get<std::string>());
      std::vector<Var> params;
      for (const ScoreParam& spec :
           attend_options.score->params({.query = 1, .key = 1, .hidden = 1, .max_keys = 1}))
        params.push_back(leaf(std::string("param.") + spec.name));
      const Mask mask = mask_of(options);
      const Look all;
      attend_options.score_params = params;
      attend_options.mask = &mask;
      attend_options.path = path;
      attend_options.look = &all;
      y = attend(q, k, v, attend_options);
      tape.backward(y.context, array("upstream").reshape(y.context.shape()));
    }
    EXPECT_LE(tensor_difference(y.context.value().reshape(array("context").shape()), array("context")), 1e-5);
    EXPECT_LE(tensor_difference(y.seen.weights, array("weights")), 1e-5);
    for (const auto& [what, grad] : grads_) {
      const Tensor& want = array("d" + what);
      const Tensor got = grad.defined() ? grad : Tensor::zeros(want.shape());
      EXPECT_LE(tensor_difference(got, want), 1e-4) << "gradient of " << what;
    }
  }

 private:
  static Var split(const Var& x, int64_t heads) {
    return autograd::reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  }

  Mask mask_of(const nlohmann::json& options) {
    Mask mask;
    for (const auto& [name, value] : options.items()) {
      if (name == "rope") continue;
      if (name == "causal")
        mask = mask & causal();
      else if (name == "window")
        mask = mask & window(value);
      else if (name == "prefix")
        mask = mask & prefix(value);
      else if (name == "local_m")
        mask = mask & local_m(value);
      else if (name == "local_p")
        mask = mask & local_p(leaf("param.Wp"), leaf("param.vp"), value);
      else if (name == "alibi")
        mask = mask & alibi();
      else if (name == "relative_buckets")
        mask = mask & relative(leaf("param.relative"));
      else if (name == "lengths")
        mask = mask & lengths(array("lengths"));
      else if (name == "mask")
        mask = mask & visible(array("mask"));
      else if (name == "bias")
        mask = mask & bias(leaf("bias"));
      else
        ADD_FAILURE() << "unknown option " << name;
    }
    return mask;
  }

  const Goldens& goldens_;
  const nlohmann::json& about_;
  std::string name_;
  std::map<std::string, Tensor> grads_;
};

TEST(Goldens, AttentionIsPyTorchs) {
  const Goldens goldens;
  ASSERT_GE(goldens.cases.size(), 100u);
  for (const nlohmann::json& about : goldens.cases)
    for (const Path path : {Path::kFused, Path::kPlain}) {
      SCOPED_TRACE(about.dump() + (path == Path::kFused ? " fused" : " plain"));
      GoldenCase(goldens, about).run_and_compare(path);
    }
}

}  // namespace
}  // namespace fovea::nn
