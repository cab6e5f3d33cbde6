#include "fovea/models/layouts/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fovea/models/table.h"
#include "fovea/run/load.h"

namespace fovea::models {
namespace {

using ::testing::HasSubstr;

// A small model of the layout, as its config says with everything small.
nlohmann::json small_config(const Layout& layout) {
  nlohmann::json config = {{"model_type", layout.model_type}};
  for (const char* key : {"vocab_size", "decoder_vocab_size"}) config[key] = 12;
  for (const char* key : {"n_layer", "num_hidden_layers", "n_layers", "encoder_layers", "decoder_layers"})
    config[key] = 2;
  for (const char* key : {"n_head", "num_attention_heads", "n_heads", "encoder_attention_heads",
                          "decoder_attention_heads", "num_key_value_heads"})
    config[key] = 2;
  for (const char* key : {"n_embd", "hidden_size", "dim", "d_model"}) config[key] = 8;
  for (const char* key : {"intermediate_size", "hidden_dim", "encoder_ffn_dim", "decoder_ffn_dim"})
    config[key] = 16;
  config["image_size"] = 8;
  config["patch_size"] = 4;
  config["pad_token_id"] = config["eos_token_id"] = config["decoder_start_token_id"] = 1;
  const nlohmann::json part = config;
  config["text_config"] = config["vision_config"] = part;
  return config;
}

class EveryLayout : public ::testing::TestWithParam<const Layout*> {};

TEST_P(EveryLayout, HasANameForEveryParameterAndNoNameTwice) {
  const std::unique_ptr<Net> net = make_net(small_config(*GetParam()), 1);
  std::set<std::string> names;
  int64_t numbers = 0, stored = 0;
  for (const nn::Parameter* parameter : net->parameters()) {
    numbers += parameter->value.size();
    for (const FilePart& part : file_parts(GetParam(), parameter->name))
      EXPECT_TRUE(names.insert(part.name).second) << part.name;
  }
  for (const Stored& one : net->stored()) {
    stored += one.tensor.size();
    EXPECT_TRUE(names.contains(one.name) || names.contains(other_name(GetParam(), one.name))) << one.name;
  }
  EXPECT_EQ(numbers, stored);
}

TEST_P(EveryLayout, ConfigThatIsWrittenIsReadAgain) {
  const nlohmann::json config = make_net(small_config(*GetParam()), 1)->config();
  EXPECT_EQ(config["model_type"], GetParam()->model_type);
  EXPECT_EQ(make_net(config, 1)->config(), config);
}

TEST_P(EveryLayout, BelongsToAModelOfTheTable) {
  EXPECT_TRUE(std::ranges::any_of(model_table(),
                                  [](const ModelKind& kind) { return kind.name == GetParam()->model; }));
}

// Values that are no id of a vocabulary of 12.
const nlohmann::json kNoIds[] = {
    -2,  12,  1 << 30, uint64_t{1} << 31,        uint64_t{1} << 63, ~uint64_t{0}, INT64_MIN,
    1.5, "1", true,    nlohmann::json::object(), {1, 12},           {1, -2},      {{1}}};

void expect_refused(nlohmann::json config, const char* key) {
  for (const nlohmann::json& value : kNoIds) {
    config[key] = value;
    try {
      make_net(config, 1);
      ADD_FAILURE() << key << " " << value << " was taken";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(fmt::format("config: {} is ", key))) << value;
      EXPECT_THAT(error.what(), ::testing::Not(HasSubstr("\n")));
    }
  }
}

TEST(EveryLayoutOfTexts, IdsThatAreNotOfTheVocabularyAreOneClearLine) {
  int texts = 0;
  for (const Layout* layout : layout_table()) {
    SCOPED_TRACE(layout->model_type);
    if (size_of_model(small_config(*layout)).target_vocab == 0) continue;
    ++texts;
    for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "sep_token_id",
                            "cls_token_id", "mask_token_id", "decoder_start_token_id"})
      expect_refused(small_config(*layout), key);
  }
  EXPECT_GE(texts, 8);
}

TEST(OwnConfig, IdsThatAreNotOfTheVocabularyAreOneClearLine) {
  for (const char* type : {"rnn", "transformer"})
    for (const char* key : {"pad_token_id", "unk_token_id", "bos_token_id", "eos_token_id",
                            "source_pad_token_id", "source_eos_token_id"})
      expect_refused({{"model_type", type}, {"source_vocab", 12}, {"target_vocab", 12}}, key);
}

TEST(OwnConfig, HasTheSpecialTokensThatItWasMadeWith) {
  for (const char* type : {"rnn", "transformer"}) {
    nlohmann::json config = {{"model_type", type}, {"source_vocab", 12},        {"target_vocab", 9},
                             {"bos_token_id", 7},  {"eos_token_id", 8},         {"pad_token_id", nullptr},
                             {"unk_token_id", 0},  {"source_eos_token_id", 11}, {"source_pad_token_id", 10}};
    const std::unique_ptr<Net> net = make_net(config, 1);
    const auto decoder = run::decoder_of(*net);
    EXPECT_EQ(decoder->info().ids, (data::SpecialIds{.pad = -1, .unk = 0, .sos = 7, .eos = 8}));
    const nlohmann::json written = net->config();
    for (const auto& [key, value] : config.items()) EXPECT_EQ(written[key], value) << key;
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, EveryLayout, ::testing::ValuesIn(layout_table()),
                         [](const auto& info) { return std::string(info.param->model_type); });

TEST(FileParts, OfAJointProjectionStandInTheOrderOfItsRows) {
  const auto parts = file_parts(&layouts::kLlama, "layer.13.self.qkv.weight");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].name, "model.layers.13.self_attn.q_proj.weight");
  EXPECT_EQ(parts[0].part, NameRule::kQuery);
  EXPECT_EQ(parts[1].name, "model.layers.13.self_attn.k_proj.weight");
  EXPECT_EQ(parts[1].part, NameRule::kKey);
  EXPECT_EQ(parts[2].name, "model.layers.13.self_attn.v_proj.weight");
  EXPECT_EQ(parts[2].part, NameRule::kValue);
}

TEST(FileParts, SayWhatIsTransposedAndWhatIsARow) {
  const auto qkv = file_parts(&layouts::kGpt2, "layer.0.self.qkv.weight");
  ASSERT_EQ(qkv.size(), 1U);
  EXPECT_EQ(qkv[0].name, "transformer.h.0.attn.c_attn.weight");
  EXPECT_TRUE(qkv[0].transposed);
  EXPECT_EQ(file_parts(&layouts::kMarian, "output.bias").at(0).lead, 1);
}

TEST(FileParts, AreOurOwnNamesWithoutALayout) {
  const auto parts = file_parts(nullptr, "encoder.0.self.qkv.weight");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "encoder.0.self.qkv.weight");
  EXPECT_FALSE(parts[0].transposed);
}

TEST(FileParts, OfAParameterWithoutANameAreAnError) {
  EXPECT_THAT([] { file_parts(&layouts::kGpt2, "nonsense"); },
              ::testing::ThrowsMessage<Error>(HasSubstr("'nonsense' has no name in the layout gpt2")));
}

TEST(OtherName, HasThePrefixThatANameLacksAndLacksTheOneItHas) {
  EXPECT_EQ(other_name(&layouts::kGpt2, "wte.weight"), "transformer.wte.weight");
  EXPECT_EQ(other_name(&layouts::kGpt2, "transformer.wte.weight"), "wte.weight");
  EXPECT_EQ(other_name(&layouts::kMarian, "model.shared.weight"), "model.shared.weight");
}

}  // namespace
}  // namespace fovea::models
