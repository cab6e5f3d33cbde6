// Operations on pictures against PyTorch: every case of tests/goldens/pictures_ops.safetensors (made by tools/goldens_pictures_ops.py).
#include <gtest/gtest.h>

#include "fovea/autograd/channel_norm.h"
#include "fovea/autograd/convolution.h"
#include "fovea/autograd/pooling.h"
#include "tests/golden_file.h"

namespace fovea::autograd {
namespace {

using fovea::testing::GoldenFile;
using fovea::testing::relative_difference;

Var run_case(const nlohmann::json& about, const GoldenFile& file, const Var& x, const Var& w,
             const Var& bias) {
  const auto get = [&](const char* key, int64_t otherwise) { return about.value(key, otherwise); };
  const std::string kind = about["operation"], name = about["name"];
  const PoolingOptions pooling{
      .kernel = get("kernel", 2), .stride = get("stride", 0), .padding = get("padding", 0)};
  if (kind == "convolution")
    return convolution(x, w, bias,
                       {.stride = get("stride", 1),
                        .padding = get("padding", 0),
                        .dilation = get("dilation", 1),
                        .groups = get("groups", 1)});
  if (kind == "max_pool") return max_pool(x, pooling);
  if (kind == "average_pool") return average_pool(x, pooling);
  if (kind == "global_average_pool") return global_average_pool(x);
  if (kind == "nearest" || kind == "bilinear")
    return resample(x, about["size"][0], about["size"][1],
                    kind == "nearest" ? Resampling::kNearest : Resampling::kBilinear);
  if (kind == "group_norm") return group_norm(x, w, bias, get("groups", 1));
  if (kind == "batch_norm") return batch_norm(x, w, bias).y;
  return batch_norm(x, w, bias, file.array(name + "/mean"), file.array(name + "/variance"));
}

TEST(PicturesGoldens, ResultsAndGradientsArePyTorchs) {
  const GoldenFile file(FOVEA_TESTS_DIR "/goldens/pictures_ops.safetensors");
  const nlohmann::json cases = file.about("cases");
  ASSERT_GE(cases.size(), 18u);
  for (const nlohmann::json& about : cases) {
    const std::string name = about["name"];
    SCOPED_TRACE(name);
    Tensor dx, dw, dbias;
    Tape tape;
    const auto leaf = [&](const std::string& what, Tensor& grad) {
      return file.has(name + "/" + what) ? variable(file.array(name + "/" + what), grad) : Var();
    };
    const Var y = run_case(about, file, leaf("x", dx), leaf("w", dw), leaf("bias", dbias));
    tape.backward(y, file.array(name + "/upstream"));
    EXPECT_LE(relative_difference(y.value(), file.array(name + "/y")), 1e-5);
    EXPECT_LE(relative_difference(dx, file.array(name + "/dx")), 1e-5);
    if (!dw.defined()) continue;
    EXPECT_LE(relative_difference(dw, file.array(name + "/dw")), 1e-5);
    EXPECT_LE(relative_difference(dbias, file.array(name + "/dbias")), 1e-5);
  }
}

}  // namespace
}  // namespace fovea::autograd
