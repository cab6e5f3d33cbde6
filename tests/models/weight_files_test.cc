// Directories that others wrote: each way in which they can be wrong has its line.
#include "fovea/models/weight_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/models/gpt.h"
#include "fovea/models/model_dir.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::models {
namespace {

using ::testing::HasSubstr;

class ForeignDirectory : public ::testing::Test {
 protected:
  ForeignDirectory() {
    GptOptions o;
    o.vocab = 11;
    o.n_layer = 1;
    o.n_head = 2;
    o.n_embd = 8;
    o.block_size = 6;
    net_ = std::make_unique<Gpt>(o, 1);
    config_ = net_->config();
    weights_ = weights_of(*net_);
  }
  std::string path(const std::string& name) const { return dir_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) { std::ofstream(path(name)) << text; }
  void write_all() {
    write("config.json", config_.dump());
    write_safetensors(path("model.safetensors"), weights_);
  }
  std::string error() {
    return error_of([&] { load_net(dir_.path()); });
  }
  // Every number of a net.
  static std::vector<float> numbers(Net& net) {
    std::vector<float> all;
    for (const nn::Parameter* p : net.parameters())
      all.insert(all.end(), p->value.span<float>().begin(), p->value.span<float>().end());
    return all;
  }

  TemporaryDirectory dir_;
  std::unique_ptr<Gpt> net_;
  nlohmann::json config_;
  std::vector<NamedTensor> weights_;
};

TEST_F(ForeignDirectory, SeveralFilesAreOneModel) {
  write("config.json", config_.dump());
  nlohmann::json map;
  const size_t half = weights_.size() / 2;
  for (size_t i = 0; i < weights_.size(); ++i)
    map[weights_[i].name] = i < half ? "a.safetensors" : "b.safetensors";
  write_safetensors(path("a.safetensors"), std::span(weights_).first(half));
  write_safetensors(path("b.safetensors"), std::span(weights_).subspan(half));
  write("model.safetensors.index.json", nlohmann::json({{"metadata", {}}, {"weight_map", map}}).dump());
  EXPECT_EQ(numbers(*load_net(dir_.path())), numbers(*net_));

  map[weights_[0].name] = "../a.safetensors";
  write("model.safetensors.index.json", nlohmann::json({{"weight_map", map}}).dump());
  EXPECT_THAT(error(), HasSubstr("'../a.safetensors' is no name of a file in this directory"));
  map[weights_[0].name] = "b.safetensors";
  write("model.safetensors.index.json", nlohmann::json({{"weight_map", map}}).dump());
  EXPECT_THAT(error(), HasSubstr("is not in b.safetensors"));
  write("model.safetensors.index.json", "{\"weight_map\": 3}");
  EXPECT_THAT(error(), HasSubstr("no index"));
}

TEST_F(ForeignDirectory, NamesMayLackThePrefixOfAWholeModel) {
  for (NamedTensor& one : weights_) one.name = one.name.substr(std::string_view("transformer.").size());
  weights_.push_back({"h.0.attn.bias", Tensor::zeros({1, 1, 6, 6}, DType::kU8)});
  weights_.push_back({"lm_head.weight", Tensor::zeros({11, 8})});
  write_all();
  EXPECT_EQ(numbers(*load_net(dir_.path())), numbers(*net_));
}

TEST_F(ForeignDirectory, WhatIsWrongIsNamed) {
  write_all();
  EXPECT_EQ(error(), "no error");
  const std::vector<NamedTensor> good = weights_;
  weights_.pop_back();
  write_all();
  EXPECT_THAT(error(), HasSubstr("tensor '" + good.back().name + "' is missing"));
  weights_ = good;
  weights_.push_back({"more", Tensor::zeros({2})});
  write_all();
  EXPECT_THAT(error(), HasSubstr("tensor 'more' is not part of this model"));
  weights_ = good;
  weights_[0].tensor = Tensor::zeros({3});
  write_all();
  EXPECT_THAT(error(), HasSubstr("has shape [3]: expected"));
  weights_ = good;
  write_all();
  config_["n_embd"] = 7;
  write("config.json", config_.dump());
  EXPECT_THAT(error(), HasSubstr("7 does not divide into 2 heads"));
  config_["n_embd"] = 1 << 19;
  write("config.json", config_.dump());
  EXPECT_THAT(error(), HasSubstr("weights"));
  write("config.json", R"({"model_type": "gpt2", "model_type": "llama"})");
  EXPECT_THAT(error(), HasSubstr("the key 'model_type' is there twice"));
  write("config.json", std::string(100000, '['));
  EXPECT_THAT(error(), HasSubstr("nests deeper"));
  write("config.json", "{\"model_type\": \"gp\xff\"}");
  EXPECT_THAT(error(), HasSubstr("not UTF-8"));
  write("config.json", R"({"model_type": "gpt5"})");
  EXPECT_THAT(error(), HasSubstr("there is no model 'gpt5'"));
  write("config.json", "{");
  EXPECT_THAT(error(), HasSubstr("no valid JSON"));
}

TEST_F(ForeignDirectory, BuffersSayNothingOfTheWeights) {
  for (NamedTensor& one : weights_) one.as = FileDType::kF16;
  weights_.push_back({"transformer.h.0.attn.bias", Tensor::zeros({1, 1, 6, 6}, DType::kI32)});
  write_all();
  const WeightFiles files(dir_.path());
  EXPECT_EQ(files.file_dtype(), FileDType::kF16);
  int64_t weights = 0;
  for (const Stored& one : net_->stored()) weights += one.tensor.size();
  EXPECT_EQ(files.numbers(), weights);
}

TEST_F(ForeignDirectory, BiasesThatAModelHasNotMustBeZero) {
  config_["bias"] = false;
  write_all();
  EXPECT_EQ(error(), "no error");
  for (NamedTensor& one : weights_)
    if (one.name.ends_with("c_fc.bias")) one.tensor.data<float>()[1] = 0.5f;
  write_all();
  EXPECT_THAT(error(), HasSubstr("c_fc.bias' is not zero"));
}

TEST_F(ForeignDirectory, AGenerationConfigMayKnowMoreEnds) {
  config_["eos_token_id"] = 3;
  write_all();
  EXPECT_EQ(dynamic_cast<Gpt&>(*load_net(dir_.path())).options().ends, (std::vector<int32_t>{3}));
  write("generation_config.json", R"({"eos_token_id": [3, 7]})");
  const auto net = load_net(dir_.path());
  EXPECT_EQ(dynamic_cast<Gpt&>(*net).options().ends, (std::vector<int32_t>{3, 7}));
  EXPECT_EQ(net->config()["eos_token_id"], nlohmann::json({3, 7}));
  write("generation_config.json", R"({"eos_token_id": "x"})");
  EXPECT_THAT(error(), HasSubstr("eos_token_id"));
}

TEST(LlamaConfig, OnlyPlainRotaryPositionsArePossible) {
  nlohmann::json config = to_json([] {
    GptOptions o = gpt_defaults("llama");
    o.vocab = 9;
    o.rope_base = 500000;
    return o;
  }());
  EXPECT_EQ(gpt_options_from(config).rope_base, 500000);
  EXPECT_EQ(config["rope_theta"], 500000);
  config["rope_parameters"] = {{"type", "linear"}, {"factor", 4.0}};
  EXPECT_THAT(error_of([&] { gpt_options_from(config); }), HasSubstr("only \"default\" is possible here"));
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000}, {"factor", 4.0}};
  EXPECT_THAT(error_of([&] { gpt_options_from(config); }), HasSubstr("factor"));
}

TEST_F(ForeignDirectory, CutOrEmptyFilesAreRefused) {
  write_all();
  std::string bytes;
  {
    std::ifstream in(path("model.safetensors"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (const size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
    write("model.safetensors", bytes.substr(0, size));
    EXPECT_THAT(error(), HasSubstr("model.safetensors")) << size;
  }
  std::filesystem::remove(path("model.safetensors"));
  EXPECT_THAT(error(), HasSubstr("there is no model.safetensors"));
  write("pytorch_model.bin", "x");
  EXPECT_THAT(error(), HasSubstr("is a pickle"));
}

TEST_F(ForeignDirectory, EightBitsGoThereAndBack) {
  config_["quantization"] = "int8";
  weights_ = quantized_weights_of(*net_);
  write_all();
  EXPECT_TRUE(open_model(dir_.path()).quantized);
  const std::vector<float> got = numbers(*load_net(dir_.path())), want = numbers(*net_);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3);
  config_["quantization"] = "int4";
  write("config.json", config_.dump());
  EXPECT_THAT(error(), HasSubstr("expected \"int8\""));
}

TEST_F(ForeignDirectory, TextNeedsATokenizer) {
  write_all();
  EXPECT_THAT(error_of([&] { load_model(dir_.path()); }),
              HasSubstr("no tokenizer of Hugging Face's: expected tokenizer.json"));
}

}  // namespace
}  // namespace fovea::models
