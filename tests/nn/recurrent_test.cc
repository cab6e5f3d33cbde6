#include "fovea/nn/recurrent.h"

#include <gtest/gtest.h>

#include "tests/golden_file.h"

namespace fovea::nn {
namespace {

using testing::GoldenFile;
using testing::relative_difference;

// Two layers, both directions, rows of different lengths, against torch.nn.RNN, GRU and LSTM over packed sequences.
TEST(Recurrent, IsPyTorchs) {
  const GoldenFile goldens(FOVEA_TESTS_DIR "/goldens/rnn.safetensors");
  const nlohmann::json cells = goldens.about("layers");
  ASSERT_EQ(cells.size(), cell_names().size());
  for (const std::string cell : cells) {
    SCOPED_TRACE(cell);
    const Tensor x = goldens.value(cell + "/x"), y = goldens.array(cell + "/y");
    Random random(1);
    Recurrent layer(
        {.cell = cell_named(cell), .in = x.dim(2), .width = y.dim(2) / 2, .depth = 2, .both_ways = true},
        random);
    ParameterList parameters;
    layer.collect(cell + "/param.", parameters);
    ASSERT_EQ(goldens.names(cell + "/param.").size(), parameters.size());
    for (Parameter* p : parameters) {
      ASSERT_EQ(goldens.value(p->name).shape(), p->value.shape()) << p->name;
      p->value = goldens.value(p->name);
    }
    Tensor dx;
    {
      autograd::Tape tape;
      const Var got = layer(autograd::variable(x, dx), goldens.array(cell + "/lengths"));
      EXPECT_LE(relative_difference(got.value(), y), 1e-5);
      tape.backward(got, goldens.array(cell + "/upstream"));
    }
    EXPECT_LE(relative_difference(dx, goldens.gradient(cell + "/x")), 1e-5);
    for (const Parameter* p : parameters)
      EXPECT_LE(relative_difference(p->grad, goldens.gradient(p->name)), 1e-5) << p->name;
  }
}

}  // namespace
}  // namespace fovea::nn
