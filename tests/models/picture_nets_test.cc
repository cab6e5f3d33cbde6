// Models that look at pictures: that they learn, and that their options are checked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/autograd/tape.h"
#include "fovea/models/cnn.h"
#include "fovea/models/model_dir.h"
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

VitOptions small_deit() {
  VitOptions o = small_vit();
  o.layout = "deit";
  o.distilled = true;
  o.head = "teacher";
  return o;
}

TEST(PictureNets, LearnPicturesByHeart) {
  const std::shared_ptr<Net> nets[] = {std::make_shared<Cnn>(small_cnn(), 3),
                                       std::make_shared<Vit>(small_vit(), 3),
                                       std::make_shared<Vit>(small_deit(), 3)};
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
