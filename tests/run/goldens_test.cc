// Decoders against PyTorch: the log-probability of every target token and the cross-attention weights of every model in
// tests/goldens/rnn.safetensors and transformer.safetensors (made by tools/goldens_rnn.py and goldens_transformer.py).
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/data/batch.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/run/session.h"
#include "tests/golden_file.h"

namespace fovea::run {
namespace {

using testing::GoldenFile;
using testing::relative_difference;

std::shared_ptr<const Decoder> decoder_of_golden(const GoldenFile& goldens, const nlohmann::json& about) {
  const auto net = models::make_net(about["config"], 1);
  for (nn::Parameter* p : net->parameters())
    p->value = goldens.value(about["name"].get<std::string>() + "/param." + p->name);
  return decoder_of(*net);
}

double log_sum_exp(std::span<const float> logits) {
  double sum = 0;
  for (const float x : logits) sum += std::exp(static_cast<double>(x));
  return std::log(sum);
}

// What row b of the batch says: log_probs [B, T] and, where the model attends, look [B, H, T, S].
void fill_row(const Decoder& decoder, const GoldenFile& goldens, int64_t b, const Tensor& log_probs,
              const Tensor& look) {
  const Tensor source = goldens.array("batch/source"), in = goldens.array("batch/target_in"),
               out = goldens.array("batch/target_out");
  const int64_t S = source.dim(1), T = out.dim(1),
                read = goldens.array("batch/source_lengths").data<int32_t>()[b];
  const std::span<const int32_t> wanted(out.data<int32_t>() + b * T, static_cast<size_t>(T));
  const auto length = std::distance(wanted.begin(), std::ranges::find(wanted, data::kIgnore));
  Session session(decoder);
  const int32_t* ids = source.data<int32_t>() + b * S;
  const std::vector<int32_t> without_eos(ids, ids + read - 1);
  const Feed feed{session.join({&without_eos, 1}).front(),
                  {in.data<int32_t>() + b * T, static_cast<size_t>(length)},
                  Feed::kAll};
  const LookAt at{
      .encoder = false, .self = false, .cross = true, .layers = {-1}, .heads = {}, .every_row = true};
  std::vector<Looked> looked;
  const Tensor logits = session.advance({&feed, 1}, &at, &looked);
  const int64_t V = logits.dim(1);
  for (int64_t t = 0; t < length; ++t) {
    const std::span<const float> row(logits.data<float>() + t * V, static_cast<size_t>(V));
    log_probs.data<float>()[b * T + t] =
        static_cast<float>(row[static_cast<size_t>(wanted[static_cast<size_t>(t)])] - log_sum_exp(row));
  }
  ASSERT_EQ(look.defined(), !looked.front().empty());
  if (!look.defined()) return;
  const Tensor& weights = looked.front().front().weights;  // [H, T, S]
  ASSERT_EQ(weights.shape(), (Shape{look.dim(1), length, read}));
  for (int64_t h = 0; h < look.dim(1); ++h)
    for (int64_t t = 0; t < length; ++t)
      std::copy_n(weights.data<float>() + (h * length + t) * read, read,
                  look.data<float>() + ((b * look.dim(1) + h) * T + t) * S);
}

void expect_pytorchs(const std::string& file, size_t least) {
  const GoldenFile goldens(file);
  const nlohmann::json models = goldens.about("models");
  ASSERT_GE(models.size(), least);
  for (const nlohmann::json& about : models) {
    const std::string name = about["name"];
    SCOPED_TRACE(name);
    const auto decoder = decoder_of_golden(goldens, about);
    const Tensor want = goldens.array(name + "/log_probs"), log_probs = Tensor::zeros(want.shape());
    Tensor look;
    if (goldens.has(name + "/look")) look = Tensor::zeros(goldens.array(name + "/look").shape());
    for (int64_t b = 0; b < want.dim(0); ++b) fill_row(*decoder, goldens, b, log_probs, look);
    EXPECT_LE(relative_difference(log_probs, want), 1e-5);
    if (look.defined()) {
      EXPECT_LE(relative_difference(look, goldens.array(name + "/look")), 1e-5);
    }
  }
}

TEST(RunGoldens, RecurrentModelsArePyTorchs) {
  expect_pytorchs(FOVEA_TESTS_DIR "/goldens/rnn.safetensors", 30);
}
TEST(RunGoldens, TransformersArePyTorchs) {
  expect_pytorchs(FOVEA_TESTS_DIR "/goldens/transformer.safetensors", 12);
}

}  // namespace
}  // namespace fovea::run
