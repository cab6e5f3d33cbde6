// Models that continue or read texts against PyTorch: the cost, and the gradient of every weight (tests/goldens/text.safetensors, made by
// tools/goldens_text.py).
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/models/model_dir.h"
#include "tests/golden_file.h"
#include "tests/temporary_directory.h"

namespace fovea::models {
namespace {

using testing::GoldenFile;

const GoldenFile& goldens() {
  static const GoldenFile file(FOVEA_TESTS_DIR "/goldens/text.safetensors");
  return file;
}

std::shared_ptr<Net> load(const nlohmann::json& about) {
  const TemporaryDirectory dir;
  std::ofstream(dir.path() + "/config.json") << about["config"].dump();
  std::vector<NamedTensor> weights;
  const std::string prefix = about["name"].get<std::string>() + "/weights/";
  for (const std::string& name : goldens().names(prefix))
    weights.push_back({name.substr(prefix.size()), goldens().value(name)});
  write_safetensors(dir.path() + "/model.safetensors", weights);
  return load_net(dir.path());
}

data::Batch batch_of(const std::string& name) {
  data::Batch batch;
  const Tensor ids = goldens().array(name + "/ids");
  if (goldens().has(name + "/segments"))
    batch.source = {ids, goldens().array(name + "/lengths"), goldens().array(name + "/segments")};
  else
    batch.target_in = ids;
  batch.target_out = goldens().array(name + "/targets");
  for (const int32_t id : batch.target_out.span<int32_t>()) batch.target_tokens += id != data::kIgnore;
  return batch;
}

// The gradient of a tensor that is a parameter, or some rows of one, in the form that files have; `seen` counts the elements of each.
Tensor gradient_of(const Stored& stored, const nn::ParameterList& parameters,
                   std::map<const nn::Parameter*, int64_t>& seen) {
  for (const nn::Parameter* p : parameters) {
    const float *begin = p->value.data<float>(), *at = stored.tensor.data<float>();
    if (at < begin || at >= begin + p->value.size()) continue;
    seen[p] += stored.tensor.size();
    Tensor grad = Tensor::zeros(stored.tensor.shape());
    if (p->has_grad()) std::copy_n(p->grad.data<float>() + (at - begin), grad.size(), grad.data<float>());
    if (!stored.transposed) return grad;
    Tensor turned = Tensor::empty({grad.dim(1), grad.dim(0)});
    for (int64_t i = 0; i < grad.size(); ++i)
      turned.data<float>()[i % grad.dim(1) * grad.dim(0) + i / grad.dim(1)] = grad.data<float>()[i];
    return turned;
  }
  return {};
}

TEST(TextGoldens, CostAndEveryGradientArePyTorchs) {
  const nlohmann::json all = goldens().about("models");
  ASSERT_EQ(all.size(), 7u);
  for (const nlohmann::json& about : all) {
    const std::string name = about["name"];
    SCOPED_TRACE(name);
    const std::shared_ptr<Net> net = load(about);
    const nn::ParameterList parameters = net->parameters();
    {
      autograd::Tape tape;
      const Cost cost = net->cost(batch_of(name), {});
      EXPECT_LE(
          testing::relative_difference(cost.total.value().reshape({1}), goldens().array(name + "/total")),
          1e-6);
      tape.backward(cost.total);
    }
    double largest = 0;
    for (const std::string& tensor : goldens().names(name + "/weights/"))
      largest = std::max(largest, testing::largest_of(goldens().gradient(tensor)));
    std::map<const nn::Parameter*, int64_t> seen;
    for (const Stored& stored : net->stored()) {
      if (stored.zero) continue;
      const std::string tensor = name + "/weights/" + stored.name;
      ASSERT_TRUE(goldens().has(tensor)) << stored.name;
      EXPECT_LE(testing::gradient_difference(gradient_of(stored, parameters, seen),
                                             goldens().gradient(tensor), largest),
                1e-4)
          << stored.name;
    }
    for (const nn::Parameter* p : parameters) EXPECT_EQ(seen[p], p->value.size()) << p->name;
  }
}

}  // namespace
}  // namespace fovea::models
