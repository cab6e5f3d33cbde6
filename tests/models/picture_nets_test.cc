// Models that look at pictures: that they learn, and that their options are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "fovea/autograd/tape.h"
#include "fovea/models/cnn.h"
#include "fovea/models/glimpse.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/rowrnn.h"
#include "fovea/models/table.h"
#include "fovea/models/vit.h"
#include "fovea/train/optimizer.h"
#include "tests/error_message.h"

namespace fovea::models {
namespace {

using ::testing::HasSubstr;

CnnOptions small_cnn() {
  CnnOptions o;
  o.picture_size = 8;
  o.conv_channels = 4;
  o.conv_stages = 2;
  o.conv_depth = 1;
  o.labels = {"a", "b", "c"};
  return o;
}

data::Batch some_pictures(int64_t rows, int64_t size, int64_t channels, int64_t labels) {
  Random random(5);
  data::Batch batch;
  batch.pictures = Tensor::empty({rows, size, size, channels});
  for (float& x : batch.pictures.span<float>()) x = random.uniform(-1, 1);
  batch.target_out = Tensor::empty({rows, 1}, DType::kI32);
  for (int32_t& label : batch.target_out.span<int32_t>()) label = static_cast<int32_t>(random.below(labels));
  batch.target_tokens = rows;
  return batch;
}

VitOptions small_vit() {
  VitOptions o;
  o.picture_size = 8;
  o.dim_model = 16;
  o.dim_ffn = 32;
  o.enc_depth = 1;
  o.labels = {"a", "b", "c"};
  return o;
}

RowRnnOptions small_rowrnn() {
  RowRnnOptions o;
  o.picture_size = 8;
  o.dim_rnn = 16;
  o.enc_depth = 2;
  o.labels = {"a", "b", "c"};
  return o;
}

GlimpseOptions small_glimpse() {
  GlimpseOptions o;
  o.picture_size = 8;
  o.glimpses = 3;
  o.glimpse_size = 3;
  o.glimpse_scales = 2;
  o.dim_glimpse = 12;
  o.dim_rnn = 16;
  o.labels = {"a", "b", "c"};
  return o;
}

VitOptions small_deit() {
  VitOptions o = small_vit();
  o.layout = "deit";
  o.distilled = true;
  o.head = "teacher";
  return o;
}

TEST(PictureNets, LearnPicturesByHeart) {
  const std::shared_ptr<Net> nets[] = {
      std::make_shared<Cnn>(small_cnn(), 3), std::make_shared<Vit>(small_vit(), 3),
      std::make_shared<Vit>(small_deit(), 3), std::make_shared<RowRnn>(small_rowrnn(), 3),
      std::make_shared<Glimpse>(small_glimpse(), 3)};
  for (const std::shared_ptr<Net>& net : nets) {
    const data::Batch batch = some_pictures(12, 8, 3, 3);
    train::Optimizer optimizer({.name = "adam", .learning_rate = 0.02f});
    double first = 0, last = 0;
    for (int step = 0; step < 150; ++step) {
      autograd::Tape tape;
      const Cost cost = net->cost(batch, {.training = true});
      (step == 0 ? first : last) = cost.cross_entropy / 12;
      for (nn::Parameter* parameter : net->parameters()) parameter->clear_grad();
      tape.backward(cost.total);
      optimizer.step(net->parameters(), 0.01f);
    }
    const std::string name = net->config()["model_type"];
    EXPECT_GT(first, 0.8) << name;
    EXPECT_LT(last, 0.05) << name;
    EXPECT_EQ(net->cost(batch, {}).tokens, 12) << name;
  }
}

TEST(Vit, PatchesThatDoNotFitAreOneLine) {
  VitOptions o = small_vit();
  o.patch_size = 3;
  EXPECT_THAT(error_of([&] { Vit net(o, 1); }), HasSubstr("does not divide into patches"));
  o = small_vit();
  o.heads = 3;
  EXPECT_THAT(error_of([&] { Vit net(o, 1); }), HasSubstr("does not divide into 3 heads"));
}

// Gradients of one batch by name, and the cost.
struct Learned {
  std::map<std::string, std::vector<float>> gradients;
  double total = 0;
};
Learned learned(const GlimpseOptions& o, const CostOptions& how) {
  Glimpse net(o, 3);
  autograd::Tape tape;
  const Cost cost = net.cost(some_pictures(6, 8, 3, 3), how);
  tape.backward(cost.total);
  Learned learned{{}, cost.total.value().item()};
  for (const nn::Parameter* parameter : net.parameters())
    learned.gradients[parameter->name] =
        parameter->has_grad() ? parameter->grad.values<float>() : std::vector<float>();
  return learned;
}

TEST(Glimpse, ThePolicyAndTheBaselineTeachNothingElse) {
  GlimpseOptions strong = small_glimpse();
  strong.policy_weight = 50;
  strong.effort_weight = 20;
  const Learned a = learned(small_glimpse(), {.training = true}), b = learned(strong, {.training = true});
  EXPECT_NE(a.total, b.total);
  for (const auto& [name, gradient] : a.gradients) {
    ASSERT_FALSE(gradient.empty()) << name;
    EXPECT_EQ(gradient == b.gradients.at(name), !name.starts_with("policy.")) << name;
  }
}

TEST(Glimpse, PointsAreDrawnBySeedAndStepAndLessWidelyTowardsTheEnd) {
  const GlimpseOptions o = small_glimpse();
  const double first = learned(o, {.training = true, .step = 1}).total;
  EXPECT_EQ(learned(o, {.training = true, .step = 1}).total, first);
  EXPECT_NE(learned(o, {.training = true, .step = 2}).total, first);
  EXPECT_NE(learned(o, {.training = true, .step = 1, .done = 1}).total, first);
  EXPECT_EQ(learned(o, {.step = 1}).total, learned(o, {.step = 2}).total);
  EXPECT_EQ(o.location_std_at(0), 0.15);
  EXPECT_NEAR(o.location_std_at(0.5), 0.105, 1e-12);
  EXPECT_EQ(o.location_std_at(7), 0.06);
}

TEST(Glimpse, OneGlimpseHasNoMoves) {
  GlimpseOptions o = small_glimpse();
  o.glimpses = 1;
  const Learned one = learned(o, {.training = true});
  EXPECT_TRUE(std::isfinite(one.total));
  EXPECT_TRUE(one.gradients.at("policy.mean.weight").empty());
  EXPECT_FALSE(one.gradients.at("what.weight").empty());
}

TEST(Glimpse, OptionsThatCannotBeAreOneLine) {
  const auto error = [](auto change) {
    GlimpseOptions o = small_glimpse();
    change(o);
    return error_of([&] { Glimpse net(o, 1); });
  };
  EXPECT_EQ(error([](GlimpseOptions&) {}), "no error");
  EXPECT_THAT(error([](GlimpseOptions& o) { o.glimpses = 0; }), HasSubstr("glimpses 0: expected 1 to"));
  EXPECT_THAT(error([](GlimpseOptions& o) { o.glimpse_scales = 9; }), HasSubstr("glimpse_scales 9"));
  EXPECT_THAT(error([](GlimpseOptions& o) { o.location_std_end = 0; }), HasSubstr("a location_std of 0"));
  EXPECT_THAT(error([](GlimpseOptions& o) { o.policy_weight = -1; }), HasSubstr("a weight of -1"));
}

TEST(RowRnn, OptionsThatCannotBeAreOneLine) {
  const auto error = [](auto change) {
    RowRnnOptions o = small_rowrnn();
    change(o);
    return error_of([&] { RowRnn net(o, 1); });
  };
  EXPECT_EQ(error([](RowRnnOptions&) {}), "no error");
  EXPECT_THAT(error([](RowRnnOptions& o) { o.dim_rnn = 0; }), HasSubstr("dim_rnn 0"));
  EXPECT_THAT(error([](RowRnnOptions& o) { o.cell = "lst"; }), HasSubstr("lstm"));
  EXPECT_THAT(error([](RowRnnOptions& o) { o.dropout = 1; }), HasSubstr("a dropout of 1"));
  EXPECT_THAT(error([](RowRnnOptions& o) {
                o.dim_rnn = 65536;
                o.enc_depth = 100;
              }),
              HasSubstr("make dim_rnn or enc_depth smaller"));
}

TEST(Vit, ItsConfigIsHuggingFacesAndMakesTheSameModel) {
  VitOptions o = small_vit();
  o.channels = 1;
  o.mean = {0.25};
  o.norm_eps = 1e-6;
  const nlohmann::json config = Vit(o, 3).config();
  EXPECT_EQ(make_net(config, 3)->config(), config);
  EXPECT_EQ(config["architectures"], nlohmann::json{"ViTForImageClassification"});
  EXPECT_EQ(config["image_size"], 8);
  EXPECT_EQ(config["num_channels"], 1);
  EXPECT_EQ(config["id2label"]["2"], "c");
  const std::vector<std::pair<std::string, std::string>> files =
      describe({std::make_shared<Vit>(o, 3), nullptr, nullptr});
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].first, "preprocessor_config.json");
  const auto pictures = nlohmann::json::parse(files[0].second);
  EXPECT_EQ(pictures["image_processor_type"], "ViTImageProcessor");
  EXPECT_EQ(pictures["image_mean"], nlohmann::json::array({0.25}));
  EXPECT_EQ(pictures["size"], (nlohmann::json{{"height", 8}, {"width", 8}}));
  EXPECT_FALSE(nlohmann::json::parse(files[1].second).contains("preprocessor"));
}

TEST(Vit, SettingsOfTrainingMakeOne) {
  const nlohmann::json settings = {{"model_type", "vit"}, {"picture_size", 8}, {"patch_size", 4},
                                   {"dim_model", 16},     {"dim_ffn", 32},     {"enc_depth", 1},
                                   {"labels", {"a", "b"}}};
  EXPECT_EQ(make_net(settings, 3)->config()["hidden_size"], 16);
  nlohmann::json twice = settings;
  twice["labels"] = {"a", "a"};
  EXPECT_THAT(error_of([&] { make_net(twice, 3); }), HasSubstr("the label 'a' stands twice"));
  nlohmann::json other = settings;
  other["dim_modle"] = 3;
  EXPECT_THAT(error_of([&] { make_net(other, 3); }), HasSubstr("unknown key 'dim_modle'"));
}

TEST(Cnn, ItsConfigMakesTheSameModel) {
  const CnnOptions o = small_cnn();
  Cnn net(o, 3);
  EXPECT_EQ(make_net(net.config(), 3)->config(), net.config());
  EXPECT_EQ(size_of_model(net.config()).target_vocab, 0);
  const std::vector<std::pair<std::string, std::string>> files =
      describe({std::make_shared<Cnn>(o, 3), nullptr, nullptr});
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].first, "config.json");
}

TEST(Cnn, OptionsThatCannotBeAreOneLine) {
  const auto error = [](auto change) {
    CnnOptions o = small_cnn();
    change(o);
    return error_of([&] { Cnn net(o, 1); });
  };
  EXPECT_EQ(error([](CnnOptions&) {}), "no error");
  EXPECT_THAT(error([](CnnOptions& o) { o.labels.clear(); }), HasSubstr("there are no labels"));
  EXPECT_THAT(error([](CnnOptions& o) { o.labels = {"a", "a"}; }), HasSubstr("the label 'a' stands twice"));
  EXPECT_THAT(error([](CnnOptions& o) { o.conv_stages = 5; }), HasSubstr("to nothing"));
  EXPECT_THAT(error([](CnnOptions& o) { o.channels = 2; }), HasSubstr("expected 1 (grey) or 3"));
  EXPECT_THAT(error([](CnnOptions& o) { o.std = {0}; }), HasSubstr("more than 0"));
  EXPECT_THAT(error([](CnnOptions& o) { o.mean = {0, 0}; }), HasSubstr("mean and std have"));
  nlohmann::json config = to_json(small_cnn());
  config["labels"] = {1, 2};
  EXPECT_THAT(error_of([&] { cnn_options_from(config); }), HasSubstr("a list of names in quotes"));
}

}  // namespace
}  // namespace fovea::models
