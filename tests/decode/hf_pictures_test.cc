// Directories of models that look at pictures, as Hugging Face transformers wrote them: they compute here what they compute there, and go
// back to the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>

#include "fovea/base/file.h"
#include "fovea/decode/classify_pictures.h"
#include "fovea/decode/embed.h"
#include "fovea/decode/embed_pictures.h"
#include "fovea/decode/logits.h"
#include "fovea/decode/match.h"
#include "fovea/models/model_dir.h"
#include "fovea/run/load.h"
#include "tests/error_message.h"
#include "tests/hf_picture_golden.h"
#include "tests/temporary_directory.h"

namespace fovea::decode {
namespace {

using fovea::testing::golden_named;
using fovea::testing::picture_goldens;
using fovea::testing::PictureGolden;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kClose = 1e-4;

std::string golden_name(const ::testing::TestParamInfo<PictureGolden>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

double farthest(const Tensor& got, const Tensor& want) {
  EXPECT_EQ(got.size(), want.size());
  double worst = 0;
  for (int64_t i = 0; i < std::min(got.size(), want.size()); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(got.data<float>()[i] - want.data<float>()[i])));
  return worst;
}

// Root mean square of the difference, as a share of that of what is wanted.
double relative_error(const Tensor& got, const Tensor& want) {
  double difference = 0, all = 0;
  for (int64_t i = 0; i < want.size(); ++i) {
    const double x = want.data<float>()[i], d = static_cast<double>(got.data<float>()[i]) - x;
    difference += d * d;
    all += x * x;
  }
  return std::sqrt(difference / all);
}

class HfPictures : public ::testing::TestWithParam<PictureGolden> {
 protected:
  HfPictures() {
    GetParam().write(dir_.path());
    loaded_ = run::load(dir_.path());
    encoder_ = run::as_picture_encoder(loaded_.runner);
  }
  TemporaryDirectory dir_;
  run::Loaded loaded_;
  std::shared_ptr<const run::PictureEncoder> encoder_;
};

TEST_P(HfPictures, PixelsAreThoseOfTheImageProcessor) {
  const data::Picture picture = GetParam().picture();
  const Tensor got = data::prepared({&picture, 1}, encoder_->info().input);
  ASSERT_EQ(got.shape(), GetParam().pixels().shape());
  EXPECT_LT(farthest(got, GetParam().pixels()), 1e-5);
}

TEST_P(HfPictures, LogitsOrStatesAreTheirs) {
  const Tensor got = logits_of_pictures(*encoder_, GetParam().pixels());
  const Tensor want = GetParam().array(GetParam().has("logits") ? "logits" : "states");
  ASSERT_EQ(got.shape(), want.shape());
  EXPECT_LT(farthest(got, want), kClose);
}

TEST_P(HfPictures, WeightsAndConfigGoBackAsTheyCame) {
  const std::shared_ptr<models::Net> net = models::load_net(dir_.path());
  std::map<std::string, Tensor> want;
  for (const NamedTensor& one : GetParam().weights()) want[one.name] = one.tensor;
  const std::vector<NamedTensor> got = models::weights_of(*net);
  EXPECT_EQ(got.size(), want.size());
  for (const NamedTensor& one : got) {
    ASSERT_TRUE(want.contains(one.name)) << one.name;
    EXPECT_EQ(one.tensor.shape(), want[one.name].shape()) << one.name;
    EXPECT_EQ(one.tensor.values<float>(), want[one.name].values<float>()) << one.name;
  }
  nlohmann::json written = net->config();
  const nlohmann::json pictures = written["preprocessor"];
  for (const auto& [key, value] : GetParam().config.items())
    if (!value.is_object() && written.contains(key)) {
      EXPECT_EQ(written[key], value) << key;
    }
  for (const char* part : {"text_config", "vision_config"}) {
    const nlohmann::json was = GetParam().config.value(part, nlohmann::json::object());
    for (const auto& [key, value] : was.items())
      if (written[part].contains(key) &&
          key != std::string_view("projection_dim")) {  // the model's own counts
        EXPECT_EQ(written[part][key], value) << key;
      }
  }
  // What is not computed may be said in other words: a mean of 0 for no mean.
  for (const char* key : {"image_processor_type", "resample", "do_resize"})
    EXPECT_EQ(pictures[key], GetParam().preprocessor[key]) << key;
}

TEST_P(HfPictures, WhatIsWrittenIsReadAgain) {
  const models::Model model = models::load_model(dir_.path());
  for (const bool quantized : {false, true}) {
    TemporaryDirectory other;
    for (auto [name, bytes] : models::describe(model)) {
      if (quantized && name == "config.json") {
        nlohmann::json config = nlohmann::json::parse(bytes);
        config["quantization"] = "int8";
        bytes = config.dump();
      }
      write_atomically(other.path() + "/" + name, bytes);
    }
    write_safetensors(other.path() + "/model.safetensors",
                      quantized ? models::quantized_weights_of(*model.net) : models::weights_of(*model.net));
    const std::shared_ptr<const run::PictureEncoder> again = run::load_picture_encoder(other.path());
    EXPECT_EQ(again->precision(), quantized ? run::Precision::kInt8 : run::Precision::kF32);
    const data::Picture picture = GetParam().picture();
    const Tensor pixels = data::prepared({&picture, 1}, again->info().input);
    EXPECT_LT(farthest(pixels, GetParam().pixels()), 1e-5);
    const Tensor got = logits_of_pictures(*again, pixels), want = logits_of_pictures(*encoder_, pixels);
    if (quantized)
      EXPECT_LT(relative_error(got, want), 0.1);
    else
      EXPECT_EQ(got.values<float>(), want.values<float>());
  }
}

TEST_P(HfPictures, APicturesNumbersDoNotDependOnTheOthers) {
  Tensor three = Tensor::empty(
      {3, encoder_->info().input.size, encoder_->info().input.size, encoder_->info().input.channels});
  const Tensor one = GetParam().pixels();
  for (int64_t i = 0; i < three.size(); ++i)
    three.data<float>()[i] = one.data<float>()[i % one.size()] * (i / one.size() == 1 ? 1.0f : -0.5f);
  EXPECT_EQ(encoder_->embed(three).slice(1, 2).values<float>(), encoder_->embed(one).values<float>());
}

INSTANTIATE_TEST_SUITE_P(Models, HfPictures, ::testing::ValuesIn(picture_goldens()), golden_name);

class HfClip : public ::testing::TestWithParam<const char*> {
 protected:
  HfClip() : golden_(golden_named(GetParam())) {
    golden_.write(dir_.path());
    loaded_ = run::load(dir_.path());
    for (const nlohmann::json& line : golden_.lines) lines_.push_back(line);
  }
  PictureGolden golden_;
  TemporaryDirectory dir_;
  run::Loaded loaded_;
  std::vector<std::string> lines_;
};
INSTANTIATE_TEST_SUITE_P(Models, HfClip, ::testing::Values("clip", "clip-old"), [](const auto& info) {
  return std::string(info.param) == "clip" ? "clip" : "clip_old";
});

TEST_P(HfClip, TextsHaveTheirIdsAndVectors) {
  const Tensor ids = golden_.array("ids");
  for (size_t i = 0; i < lines_.size(); ++i) {
    std::vector<int32_t> want;
    for (int64_t k = 0; k < ids.dim(1); ++k)
      if (const int32_t id = ids.data<int32_t>()[static_cast<int64_t>(i) * ids.dim(1) + k]; id >= 0)
        want.push_back(id);
    EXPECT_EQ(loaded_.source->with_specials(loaded_.source->encode(lines_[i])), want) << lines_[i];
  }
  EXPECT_LT(farthest(embed_lines(run::as_encoder(loaded_, "clip"), lines_), golden_.array("texts")), kClose);
}

TEST_P(HfClip, PicturesHaveTheirVectorsAndProbabilities) {
  const data::Picture picture = golden_.picture();
  const auto matcher = run::as_matcher(loaded_, "clip");
  EXPECT_LT(farthest(embed_pictures(matcher->pictures(), {&picture, 1}), golden_.array("features")), kClose);
  const std::vector<LabelValues> got = LabelMatcher(matcher, *loaded_.source, lines_)({&picture, 1});
  ASSERT_EQ(got.size(), 1u);
  const Tensor want = golden_.array("match");
  for (size_t c = 0; c < lines_.size(); ++c)
    EXPECT_NEAR(got[0].values[c], want.data<float>()[c], kClose) << lines_[c];
}

TEST_P(HfClip, TextsThatAreTooLongAreOneLineOrCut) {
  const run::LoadedEncoder encoder = run::as_encoder(loaded_, "clip");
  const std::vector<std::string> lines = {
      "a dog", "a cat and a dog and a cat and a dog and a cat and a dog and a cat"};
  EXPECT_THAT(error_of([&] { embed_lines(encoder, lines); }), HasSubstr("line 2 has"));
  EXPECT_EQ(embed_lines(encoder, lines, {.crop = true}).shape(), (Shape{2, 10}));
}

TEST_P(HfClip, OtherVerbsSayWhatItIsFor) {
  EXPECT_THAT(error_of([&] { run::load_decoder(dir_.path()); }),
              HasSubstr("how well they match: fovea embed, match, look"));
  EXPECT_THAT(error_of([&] { run::load_encoder(dir_.path()).encoder->logits({}, {}); }),
              HasSubstr("has no head"));
}

// What is said of a directory after a change.
class HfPicturesRefused : public ::testing::Test {
 protected:
  template <typename F>
  std::string error_after(const std::string& name, F&& change) {
    PictureGolden golden = golden_named(name);
    change(golden.config, golden.preprocessor);
    TemporaryDirectory dir;
    golden.write(dir.path());
    const std::string message = error_of([&] { run::load(dir.path()); });
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    // The net is refused, too.
    EXPECT_EQ(message == "no error", error_of([&] { models::load_net(dir.path()); }) == "no error")
        << message;
    return message;
  }
};

TEST_F(HfPicturesRefused, ConfigsThatDoNotFitAreOneClearLine) {
  const struct {
    const char* key;
    nlohmann::json value;
    const char* message;
  } rows[] = {
      {"patch_size", 5, "does not divide into patches"},
      {"patch_size", 0, "patch_size 0: expected 1 to 12"},
      {"patch_size", -4, "patch_size -4: expected"},
      {"patch_size", 6, "they do not belong together"},
      {"patch_size", {4, 2}, "expected a number of pixels, or the same twice"},
      {"image_size", 16, "makes pictures of 12 x 12 pixels, and config.json asks for 16 x 16"},
      {"image_size", 1 << 30, "they do not belong together"},
      {"image_size", "12", "config: image_size is"},
      {"num_channels", 4, "expected 1 (grey) or 3"},
      {"hidden_size", 24, "they do not belong together"},
      {"hidden_size", int64_t{1} << 40, "dim_model"},
      {"num_attention_heads", 5, "does not divide into 5 heads"},
      {"num_attention_heads", 0, "heads 0"},
      {"num_hidden_layers", 3, "they do not belong together"},
      {"num_hidden_layers", 1, "is not part of this model"},
      {"num_hidden_layers", uint64_t{1} << 63, "config: num_hidden_layers is"},
      {"hidden_act", "sine", "there is no activation 'sine'"},
      {"qkv_bias", false, "config: qkv_bias is"},
      {"layer_norm_eps", -1.0, "more than 0"},
      {"architectures", {"ViTForMaskedImageModeling"}, "config: architecture"},
      {"id2label", {{"0", "a"}, {"2", "b"}}, "id2label has no name for label 1"},
      {"id2label", {{"0", "a"}}, "classifier.bias' has shape [5]: expected [1]"},
  };
  EXPECT_EQ(error_after("vit", [](auto&, auto&) {}), "no error");
  for (const auto& row : rows)
    EXPECT_THAT(error_after("vit", [&](auto& config, auto&) { config[row.key] = row.value; }),
                HasSubstr(row.message))
        << row.key << " " << row.value;
}

TEST_F(HfPicturesRefused, PreprocessorsThatDoNotFitAreOneClearLine) {
  const struct {
    const char* key;
    nlohmann::json value;
    const char* message;
  } rows[] = {
      {"image_processor_type", "ConvNextImageProcessor", "expected ViT, DeiT, CLIP or BitImageProcessor"},
      {"size", {{"height", 12}, {"width", 14}}, "size is"},
      {"size", {{"longest_edge", 12}}, "size is"},
      {"size", {{"shortest_edge", 0}}, "whole numbers up to 4,096"},
      {"size", uint64_t{1} << 63, "whole numbers up to 4,096"},
      {"size", "large", "size is"},
      {"crop_size", 16, "makes pictures of 16 x 16 pixels"},
      {"resample", 1, "resample is 1: expected 2 (bilinear)"},
      {"resample", -1, "resample is"},
      {"do_resize", 1, "true or false"},
      {"do_pad", true, "only false is possible here"},
      {"image_mean", {0.1, 0.2}, "mean and std have"},
      {"image_mean", nlohmann::json::array(), "image_mean is"},
      {"image_std", {0.1, 0, 0.2}, "more than 0"},
      {"image_std", "x", "image_std is"},
      {"rescale_factor", "x", "rescale_factor is"},
  };
  EXPECT_EQ(error_after("clip", [](auto&, auto&) {}), "no error");
  for (const auto& row : rows)
    EXPECT_THAT(error_after("clip", [&](auto&, auto& pictures) { pictures[row.key] = row.value; }),
                HasSubstr(row.message))
        << row.key << " " << row.value;
}

TEST_F(HfPicturesRefused, IdsThatAreNotOfTheVocabularyAreOneClearLine) {
  for (const char* key : {"eos_token_id", "bos_token_id", "pad_token_id"})
    for (const nlohmann::json& value : {nlohmann::json(100'000), nlohmann::json(-5), nlohmann::json("x")})
      EXPECT_THAT(error_after("clip", [&](auto& config, auto&) { config["text_config"][key] = value; }),
                  HasSubstr(fmt::format("config: {} is", key)))
          << value;
  EXPECT_THAT(error_after("clip", [](auto& config, auto&) { config["text_config"] = 3; }),
              HasSubstr("config: text_config is '3': expected an object"));
  EXPECT_THAT(error_after("clip", [](auto& config, auto&) { config["text_config"]["vocab_size"] = 20; }),
              HasSubstr("expected an id of a vocabulary of 20"));
}

TEST_F(HfPicturesRefused, ADirectoryWithoutItsPreprocessorIsOneClearLine) {
  for (const char* name : {"vit", "deit", "clip"}) {
    TemporaryDirectory dir;
    golden_named(name).write(dir.path());
    std::filesystem::remove(dir.path() + "/preprocessor_config.json");
    EXPECT_EQ(error_of([&] { run::load(dir.path()); }),
              "[model] " + dir.path() +
                  ": there is no preprocessor_config.json, which says how pictures become numbers: copy it "
                  "from where "
                  "the model comes from");
    // Newer programs write one file for pictures and texts.
    std::ofstream(dir.path() + "/processor_config.json")
        << nlohmann::json{{"image_processor", golden_named(name).preprocessor}}.dump();
    EXPECT_EQ(error_of([&] { run::load(dir.path()); }), "no error");
  }
}

// Files of the first years name a size by one number, and leave out what their class does anyway.
TEST(HfPreprocessor, OlderFilesMeanWhatTheirClassDoes) {
  const struct {
    const char* model;
    nlohmann::json preprocessor;
    data::Fit fit;
    data::Filter filter;
    bool crop;
  } rows[] = {
      {"vit",
       {{"size", 12}, {"feature_extractor_type", "ViTFeatureExtractor"}},
       data::Fit::kStretch,
       data::Filter::kBilinear,
       false},
      {"deit", {{"size", 14}, {"crop_size", 12}}, data::Fit::kStretch, data::Filter::kBicubic, true},
      {"clip",
       {{"size", 14}, {"crop_size", 12}, {"feature_extractor_type", "CLIPFeatureExtractor"}},
       data::Fit::kShorterSide,
       data::Filter::kBicubic,
       true},
  };
  for (const auto& row : rows) {
    PictureGolden golden = golden_named(row.model);
    golden.preprocessor = row.preprocessor;
    TemporaryDirectory dir;
    golden.write(dir.path());
    const data::PictureInput input = run::load_picture_encoder(dir.path())->info().input;
    EXPECT_EQ(input.fit, row.fit) << row.model;
    EXPECT_EQ(input.filter, row.filter) << row.model;
    EXPECT_EQ(input.crop, row.crop) << row.model;
    EXPECT_EQ(input.side, row.preprocessor["size"].get<int64_t>()) << row.model;
  }
}

TEST(HfPreprocessor, APictureThatNothingFitsIsOneLine) {
  PictureGolden golden = golden_named("vit");
  golden.preprocessor["do_resize"] = false;
  TemporaryDirectory dir;
  golden.write(dir.path());
  const auto encoder = run::load_picture_encoder(dir.path());
  const data::Picture picture = golden.picture();
  EXPECT_THAT(error_of([&] {
                classify_pictures(*encoder, {&picture, 1});
              }),
              HasSubstr("a picture of 31 x 9 pixels: this model reads 12 x 12"));
}

}  // namespace
}  // namespace fovea::decode
