// Models that look at pictures against PyTorch: the cost of every one of tests/goldens/picture_nets.safetensors (made by
// tools/goldens_picture_nets.py), and the gradient of every parameter.
#include <gtest/gtest.h>

#include "fovea/models/table.h"
#include "tests/golden_file.h"

namespace fovea::models {
namespace {

using testing::GoldenFile;

data::Batch picture_batch_of(const GoldenFile& goldens, bool captions) {
  data::Batch batch;
  batch.pictures = goldens.array("batch/pictures");
  batch.target_out = goldens.array(captions ? "batch/target_out" : "batch/labels");
  if (captions) batch.target_in = goldens.array("batch/target_in");
  const int64_t rows = batch.target_out.dim(0), steps = batch.target_out.dim(1);
  batch.target_lengths = Tensor::zeros({rows}, DType::kI32);
  for (int64_t i = 0; i < rows * steps; ++i)
    if (batch.target_out.data<int32_t>()[i] != data::kIgnore) {
      ++batch.target_lengths.data<int32_t>()[i / steps];
      ++batch.target_tokens;
    }
  return batch;
}

TEST(PictureGoldens, CostAndEveryGradientArePyTorchs) {
  const GoldenFile goldens(FOVEA_TESTS_DIR "/goldens/picture_nets.safetensors");
  const nlohmann::json models = goldens.about("models");
  ASSERT_EQ(models.size(), 12u);
  for (const nlohmann::json& about : models) {
    const std::string name = about["name"];
    SCOPED_TRACE(name);
    const std::unique_ptr<Net> net = make_net(about["config"], 1);
    const nn::ParameterList parameters = net->parameters();
    ASSERT_EQ(goldens.names(name + "/param.").size(), parameters.size());
    for (nn::Parameter* p : parameters) {
      const Tensor value = goldens.value(name + "/param." + p->name);
      ASSERT_EQ(value.shape(), p->value.shape()) << p->name;
      p->value = value;
    }
    {
      autograd::Tape tape;
      const Cost cost =
          net->cost(picture_batch_of(goldens, about["captions"]), {.training = about["training"],
                                                                   .step = about["step"],
                                                                   .label_smoothing = 0.1f,
                                                                   .done = about["done"]});
      EXPECT_LE(testing::relative_difference(cost.total.value().reshape({1}), goldens.array(name + "/total")),
                1e-5);
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

}  // namespace
}  // namespace fovea::models
