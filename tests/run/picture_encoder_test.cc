// Models that label pictures, made ready to run: the same numbers as the net's, alone and among others.
#include "fovea/run/picture_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/autograd/convolution.h"
#include "fovea/autograd/tape.h"
#include "fovea/base/file.h"
#include "fovea/models/cnn.h"
#include "fovea/models/glimpse.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/rowrnn.h"
#include "fovea/models/vit.h"
#include "fovea/run/load.h"
#include "fovea/tensor/retina.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

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
  models::RowRnnOptions rowrnn;
  rowrnn.picture_size = kSide;
  rowrnn.dim_rnn = 12;
  rowrnn.enc_depth = 2;
  rowrnn.labels = cnn.labels;
  models::GlimpseOptions glimpse;
  glimpse.picture_size = kSide;
  glimpse.glimpse_size = 3;
  glimpse.glimpses = 4;
  glimpse.dim_glimpse = 12;
  glimpse.dim_rnn = 20;
  glimpse.labels = cnn.labels;
  models::VitOptions deit = vit;
  deit.layout = "deit";
  deit.distilled = true;
  deit.head = "teacher";
  std::vector<std::shared_ptr<models::Net>> nets = {
      std::make_shared<models::Cnn>(cnn, 3), std::make_shared<models::Vit>(vit, 3),
      std::make_shared<models::Vit>(deit, 3), std::make_shared<models::RowRnn>(rowrnn, 3),
      std::make_shared<models::Glimpse>(glimpse, 3)};
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
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures))
    for (const Precision precision : {Precision::kF32, Precision::kInt8}) {
      const auto encoder = picture_encoder_of(*net, precision);
      const Tensor together = encoder->embed(pictures), labels = encoder->logits(pictures);
      for (int64_t b = 0; b < kRows; ++b) {
        const Tensor one = pictures.slice(b, b + 1);
        EXPECT_EQ(encoder->embed(one).values<float>(), together.slice(b, b + 1).values<float>()) << b;
        EXPECT_EQ(encoder->logits(one).values<float>(), labels.slice(b, b + 1).values<float>()) << b;
      }
    }
}

// Matrices in 8 bits change logits a little, and take a quarter of the room.
TEST(PictureEncoder, InEightBitsItSaysNearlyTheSame) {
  const Tensor pictures = some_pictures();
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures)) {
    const std::string name = net->config()["model_type"];
    const auto exact = picture_encoder_of(*net), small = picture_encoder_of(*net, Precision::kInt8);
    EXPECT_EQ(small->precision(), Precision::kInt8) << name;
    EXPECT_GT(small->held().int8_bytes, 0) << name;
    EXPECT_LT(small->held().f32_bytes, exact->held().f32_bytes) << name;
    const Tensor a = exact->logits(pictures), b = small->logits(pictures);
    EXPECT_NE(a.values<float>(), b.values<float>()) << name;
    for (int64_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(a.data<float>()[i], b.data<float>()[i], 0.02) << name << " " << i;
  }
}

TEST(PictureEncoder, AnEyeThatMovesSaysWhereItLooked) {
  const Tensor pictures = some_pictures();
  int eyes = 0;
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures)) {
    const auto encoder = picture_encoder_of(*net);
    if (encoder->info().glimpses == 0) {
      EXPECT_THAT(error_of([&] { encoder->gaze(pictures); }), HasSubstr("expected one whose eye moves"));
      continue;
    }
    ++eyes;
    const std::vector<GazePath> paths = encoder->gaze(pictures);
    ASSERT_EQ(paths.size(), static_cast<size_t>(kRows));
    bool moved = false;
    for (int64_t b = 0; b < kRows; ++b) {
      const GazePath& path = paths[static_cast<size_t>(b)];
      ASSERT_EQ(path.glances.size(), 4u);
      EXPECT_EQ(path.sides, (std::vector<int64_t>{3, 6, 12}));
      EXPECT_EQ(path.glances.front().x, kSide / 2.0f);
      EXPECT_EQ(path.glances.front().y, kSide / 2.0f);
      for (const GazePath::Glance& glance : path.glances) {
        moved |= glance.x != kSide / 2.0f;
        EXPECT_TRUE(glance.x >= 0 && glance.x <= kSide && glance.y >= 0 && glance.y <= kSide);
        const Tensor at = Tensor::of<float>({1, 2}, std::vector<float>{glance.x, glance.y});
        const Tensor there = tensor::retina(pictures.slice(b, b + 1), at, 3, 3);
        ASSERT_EQ(glance.seen.shape(), (Shape{3, 3, 3, 3}));
        EXPECT_EQ(glance.seen.values<float>(), there.values<float>());
      }
    }
    EXPECT_TRUE(moved);
  }
  EXPECT_EQ(eyes, 1);
}

TEST(PictureEncoder, ComesBackFromADirectory) {
  const Tensor pictures = some_pictures();
  for (const std::shared_ptr<models::Net>& net : seen_nets(pictures)) {
    const TemporaryDirectory folder;
    for (const Precision precision : {Precision::kF32, Precision::kInt8}) {
      const bool quantized = precision == Precision::kInt8;
      for (const auto& [name, text] : models::describe({net, nullptr, nullptr}))
        write_atomically(folder / name, text);
      nlohmann::json config = net->config();
      if (quantized) config["quantization"] = "int8";
      write_atomically(folder / "config.json", config.dump());
      write_safetensors(folder / "model.safetensors",
                        quantized ? models::quantized_weights_of(*net) : models::weights_of(*net));
      const auto loaded = load_picture_encoder(folder.path()), made = picture_encoder_of(*net, precision);
      EXPECT_EQ(loaded->precision(), precision);
      EXPECT_EQ(loaded->logits(pictures).values<float>(), made->logits(pictures).values<float>());
      EXPECT_EQ(loaded->info().labels, made->info().labels);
      EXPECT_EQ(loaded->info().input.size, kSide);
    }
  }
}

// The attention of the first layer in plain loops: x = norm([class; patches] + positions), softmax(q.k / sqrt(D)).
std::vector<double> first_attention(models::Net& net, const Tensor& picture, int64_t heads) {
  std::map<std::string, Tensor> weights;
  for (const nn::Parameter* one : net.parameters()) weights[one->name] = one->value;
  const Tensor cut = autograd::patches(autograd::Var(picture), 4).value();
  const int64_t E = weights.at("class_token.weight").dim(1), D = E / heads, T = 1 + cut.dim(1),
                P = cut.dim(2);
  const auto at = [&](const char* name, int64_t i) {
    return static_cast<double>(weights.at(name).data<float>()[i]);
  };
  std::vector<double> q(static_cast<size_t>(T * E)), k(q.size());
  for (int64_t t = 0; t < T; ++t) {
    std::vector<double> x(static_cast<size_t>(E));
    double mean = 0, square = 0;
    for (int64_t e = 0; e < E; ++e) {
      double& y = x[static_cast<size_t>(e)];
      y = at("positions.weight", t * E + e);
      if (t == 0) y += at("class_token.weight", e);
      if (t > 0) y += at("patches.bias", e);
      for (int64_t p = 0; t > 0 && p < P; ++p)
        y += at("patches.weight", e * P + p) * static_cast<double>(cut.data<float>()[(t - 1) * P + p]);
      mean += y / static_cast<double>(E);
    }
    for (const double y : x) square += (y - mean) * (y - mean) / static_cast<double>(E);
    for (int64_t e = 0; e < E; ++e)
      x[static_cast<size_t>(e)] =
          (x[static_cast<size_t>(e)] - mean) / std::sqrt(square + 1e-5) * at("layer.0.self_norm.weight", e) +
          at("layer.0.self_norm.bias", e);
    for (int64_t e = 0; e < 2 * E; ++e) {
      double sum = at("layer.0.self.qkv.bias", e);
      for (int64_t i = 0; i < E; ++i)
        sum += at("layer.0.self.qkv.weight", e * E + i) * x[static_cast<size_t>(i)];
      (e < E ? q : k)[static_cast<size_t>(t * E + e % E)] = sum;
    }
  }
  std::vector<double> all;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < T; ++t) {
      std::vector<double> row;
      double sum = 0;
      for (int64_t s = 0; s < T; ++s) {
        double dot = 0;
        for (int64_t d = h * D; d < (h + 1) * D; ++d)
          dot += q[static_cast<size_t>(t * E + d)] * k[static_cast<size_t>(s * E + d)];
        row.push_back(std::exp(dot / std::sqrt(static_cast<double>(D))));
        sum += row.back();
      }
      for (const double w : row) all.push_back(w / sum);
    }
  return all;
}

TEST(PictureEncoder, ShowsWhereEveryTokenLooked) {
  const Tensor pictures = some_pictures();
  const auto net = seen_nets(pictures)[1];            // the Transformer
  for (nn::Parameter* parameter : net->parameters())  // sharper than its first weights are
    for (float& w : parameter->value.span<float>())
      w *= parameter->name.find("qkv") == std::string::npos ? 1 : 20;
  const auto encoder = picture_encoder_of(*net);
  ASSERT_EQ(encoder->info().layers, 2);
  ASSERT_EQ(encoder->info().grid, 2);
  const std::vector<Looked> looked = encoder->look(pictures, {.encoder = true});
  ASSERT_EQ(looked.size(), static_cast<size_t>(kRows));
  for (int64_t b = 0; b < kRows; ++b) {
    const Looked& one = looked[static_cast<size_t>(b)];
    ASSERT_EQ(one.size(), 2u);
    ASSERT_EQ(one[0].weights.shape(), (Shape{4, 5, 5}));
    const std::vector<double> expected = first_attention(*net, pictures.slice(b, b + 1), 4);
    const auto got = one[0].weights.span<float>();
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(static_cast<double>(got[i]), expected[i], 1e-5) << b << " " << i;
    const Looked alone = encoder->look(pictures.slice(b, b + 1), {.encoder = true}).front();
    EXPECT_EQ(alone[1].weights.values<float>(), one[1].weights.values<float>());
  }
  const std::vector<Looked> last = encoder->look(pictures, {.encoder = true, .layers = {-1}, .heads = {2}});
  ASSERT_EQ(last[0].size(), 1u);
  EXPECT_EQ(last[0][0].weights.values<float>(), looked[0][1].weights.slice(2, 3).values<float>());
  EXPECT_THAT(
      error_of([&] { picture_encoder_of(*seen_nets(pictures).front())->look(pictures, {.encoder = true}); }),
      HasSubstr("has no attention"));
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
