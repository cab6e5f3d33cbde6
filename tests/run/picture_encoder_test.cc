// Models that label pictures, made ready to run: the same numbers as the net's, alone and among others.
#include "fovea/run/picture_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fovea/autograd/tape.h"
#include "fovea/models/cnn.h"
#include "fovea/models/vit.h"
#include "fovea/run/load.h"
#include "tests/error_message.h"

namespace fovea::run {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kSide = 8, kRows = 5, kLabels = 3;

// Nets of every kind. Norms have seen some pictures, so that their running statistics are not the first ones.
std::vector<std::shared_ptr<models::Net>> seen_nets(const Tensor& pictures) {
  models::CnnOptions cnn;
  cnn.picture_size = kSide;
  cnn.conv_channels = 4;
  cnn.conv_stages = 2;
  cnn.labels = {"a", "b", "c"};
  models::VitOptions vit;
  vit.picture_size = kSide;
  vit.dim_model = 16;
  vit.dim_ffn = 24;
  vit.enc_depth = 2;
  vit.labels = cnn.labels;
  models::VitOptions deit = vit;
  deit.layout = "deit";
  deit.distilled = true;
  deit.head = "teacher";
  std::vector<std::shared_ptr<models::Net>> nets = {std::make_shared<models::Cnn>(cnn, 3),
                                                    std::make_shared<models::Vit>(vit, 3),
                                                    std::make_shared<models::Vit>(deit, 3)};
  data::Batch batch;
  batch.pictures = pictures;
  batch.target_out = Tensor::zeros({kRows, 1}, DType::kI32);
  batch.target_tokens = kRows;
  const autograd::NoTape no_tape;
  for (const auto& net : nets)
    for (int i = 0; i < 3; ++i) net->cost(batch, {.training = true});
  return nets;
}

Tensor some_pictures() {
  Random random(7);
  Tensor pictures = Tensor::empty({kRows, kSide, kSide, 3});
  for (float& x : pictures.span<float>()) x = random.uniform(-1, 1);
  return pictures;
}

TEST(PictureEncoder, HasTheLogitsOfItsNet) {
  const Tensor pictures = some_pictures();
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures)) {
    const Tensor logits = picture_encoder_of(*net)->logits(pictures);
    ASSERT_EQ(logits.shape(), (Shape{kRows, kLabels}));
    // By the cost of each label of each picture alone.
    const autograd::NoTape no_tape;
    for (int64_t b = 0; b < kRows; ++b) {
      const float* row = logits.data<float>() + b * kLabels;
      double sum = 0;
      for (int64_t c = 0; c < kLabels; ++c) sum += std::exp(static_cast<double>(row[c]));
      for (int64_t c = 0; c < kLabels; ++c) {
        data::Batch one;
        one.pictures = pictures.slice(b, b + 1);
        one.target_out = Tensor::full({1, 1}, static_cast<double>(c), DType::kI32);
        one.target_tokens = 1;
        EXPECT_NEAR(net->cost(one, {}).cross_entropy, std::log(sum) - static_cast<double>(row[c]), 1e-4)
            << b << " " << c;
      }
    }
  }
}

TEST(PictureEncoder, APicturesNumbersDoNotDependOnTheOthers) {
  const Tensor pictures = some_pictures();
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures)) {
    const auto encoder = picture_encoder_of(*net);
    const Tensor together = encoder->embed(pictures);
    for (int64_t b = 0; b < kRows; ++b) {
      const Tensor alone = encoder->embed(pictures.slice(b, b + 1));
      EXPECT_EQ(alone.values<float>(), together.slice(b, b + 1).values<float>()) << b;
    }
  }
}

TEST(PictureEncoder, RefusesOtherShapesAndOtherModelsRefuseIt) {
  const auto net = seen_nets(some_pictures()).front();
  const auto encoder = picture_encoder_of(*net);
  EXPECT_THAT(error_of([&] {
                encoder->logits(Tensor::zeros({1, kSide, kSide + 1, 3}));
              }),
              HasSubstr("expected f32 [pictures, 8, 8, 3]"));
  EXPECT_THAT(error_of([&] { encoder_of(*net); }), HasSubstr("labels them: fovea classify, embed"));
}

}  // namespace
}  // namespace fovea::run
