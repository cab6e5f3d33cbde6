#include "fovea/models/sentence_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::models {
namespace {

using ::testing::HasSubstr;

constexpr const char* kModules = R"([
  {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
  {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
  {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])";

class SentenceConfig : public ::testing::Test {
 protected:
  SentenceConfig() { std::filesystem::create_directory(dir_ / "1_Pooling"); }
  void write(const std::string& name, const std::string& text) { std::ofstream(dir_ / name) << text; }
  nlohmann::json read() {
    nlohmann::json config = {{"model_type", "bert"}};
    add_sentence_config(config, dir_.path());
    return config;
  }
  std::string error() {
    return error_of([&] { read(); });
  }

  TemporaryDirectory dir_;
};

TEST_F(SentenceConfig, WithoutFilesNothingIsSaid) {
  EXPECT_EQ(read(), nlohmann::json({{"model_type", "bert"}}));
}

TEST_F(SentenceConfig, FilesSayHowAVectorIsMade) {
  write("modules.json", kModules);
  write("1_Pooling/config.json", R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})");
  write("sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})");
  EXPECT_EQ(read(),
            nlohmann::json(
                {{"model_type", "bert"}, {"pooling", "cls"}, {"normalize", true}, {"max_seq_length", 256}}));
  write("1_Pooling/config.json", R"({"pooling_mode": "mean"})");
  EXPECT_EQ(read()["pooling"], "mean");
  write("modules.json",
        R"([{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"}])");
  EXPECT_EQ(read()["normalize"], false);
}

TEST_F(SentenceConfig, WhatIsNotComputedHereIsRefused) {
  const std::string mean = R"({"pooling_mode_mean_tokens": true})";
  write("modules.json", kModules);
  write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": true})");
  EXPECT_THAT(error(), HasSubstr("vectors put together of several"));
  write("1_Pooling/config.json", R"({"pooling_mode_max_tokens": true})");
  EXPECT_THAT(error(), HasSubstr("pooling by 'max_tokens'"));
  write("1_Pooling/config.json", "[]");
  EXPECT_THAT(error(), HasSubstr("expected an object"));
  write("1_Pooling/config.json", mean);
  EXPECT_EQ(error(), "no error");
  write("sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_THAT(error(), HasSubstr("do_lower_case"));
  write("sentence_bert_config.json", "{}");
  write("modules.json", R"([{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}])");
  EXPECT_THAT(error(), HasSubstr("a module of type 'sentence_transformers.models.Dense'"));
  write("modules.json", R"([{"path": "../other", "type": "x.Pooling"}])");
  EXPECT_THAT(error(), HasSubstr("'../other' is no name of a directory in this one"));
  write("modules.json", R"({"a": 1})");
  EXPECT_THAT(error(), HasSubstr("expected a list of modules"));
  write("modules.json", "[1, null]");
  EXPECT_THAT(error(), HasSubstr("a module of type ''"));
}

}  // namespace
}  // namespace fovea::models
