// Models against PyTorch: every one of tests/goldens/rnn.safetensors and transformer.safetensors (made by tools/goldens_rnn.py and
// goldens_transformer.py), its cost and the gradient of every parameter. tests/run/goldens_test.cc has its logits and its weights.
#include <gtest/gtest.h>

#include "fovea/models/table.h"
#include "tests/golden_file.h"

namespace fovea::models {
namespace {

using testing::GoldenFile;
using testing::relative_difference;

data::Batch batch_of(const GoldenFile& goldens) {
  data::Batch batch;
  batch.source = {goldens.array("batch/source"), goldens.array("batch/source_lengths")};
  batch.target_in = goldens.array("batch/target_in");
  batch.target_out = goldens.array("batch/target_out");
  batch.alignment = goldens.array("batch/alignment");
  const int64_t rows = batch.target_out.dim(0), steps = batch.target_out.dim(1);
  batch.target_lengths = Tensor::zeros({rows}, DType::kI32);
  for (int64_t i = 0; i < rows * steps; ++i)
    if (batch.target_out.data<int32_t>()[i] != data::kIgnore) {
      ++batch.target_lengths.data<int32_t>()[i / steps];
      ++batch.target_tokens;
    }
  return batch;
}

void expect_pytorchs(const std::string& file, size_t least) {
  const GoldenFile goldens(file);
  const data::Batch batch = batch_of(goldens);
  const nlohmann::json models = goldens.about("models");
  ASSERT_GE(models.size(), least);
  for (const nlohmann::json& about : models) {
    const std::string name = about["name"];
    SCOPED_TRACE(name);
    const std::unique_ptr<Net> model = make_net(about["config"], 1);
    const nn::ParameterList parameters = model->parameters();
    ASSERT_EQ(goldens.names(name + "/param.").size(), parameters.size());
    for (nn::Parameter* p : parameters) {
      const Tensor value = goldens.value(name + "/param." + p->name);
      ASSERT_EQ(value.shape(), p->value.shape()) << p->name;
      p->value = value;
    }
    {
      autograd::Tape tape;
      const Cost cost = model->cost(
          batch,
          {.training = false, .step = 0, .label_smoothing = 0.1f, .guided = about["guided"] ? 0.5f : 0.0f});
      EXPECT_LE(relative_difference(cost.total.value().reshape({1}), goldens.array(name + "/total")), 1e-6);
      EXPECT_EQ(cost.tokens, 8);
      tape.backward(cost.total);
    }
    double largest = 0;
    for (const nn::Parameter* p : parameters)
      largest = std::max(largest, testing::largest_of(goldens.gradient(name + "/param." + p->name)));
    for (const nn::Parameter* p : parameters)
      EXPECT_LE(testing::gradient_difference(p->has_grad() ? p->grad : Tensor::zeros(p->value.shape()),
                                             goldens.gradient(name + "/param." + p->name), largest),
                1e-4)
          << p->name;
  }
}

TEST(Goldens, RecurrentModelsArePyTorchs) { expect_pytorchs(FOVEA_TESTS_DIR "/goldens/rnn.safetensors", 30); }
TEST(Goldens, TransformersArePyTorchs) {
  expect_pytorchs(FOVEA_TESTS_DIR "/goldens/transformer.safetensors", 12);
}

}  // namespace
}  // namespace fovea::models
