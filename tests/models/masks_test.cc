// Masks of models: their place in config.json, what old directories say, what is refused.
#include <gtest/gtest.h>

#include "fovea/models/gpt.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/table.h"
#include "tests/models/kinds.h"

namespace fovea::models {
namespace {

std::string message(auto&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TransformerOptions small_transformer() {
  TransformerOptions o;
  o.source_vocab = kSource;
  o.target_vocab = kTarget;
  o.dim_model = 8;
  o.heads = 2;
  o.dim_ffn = 16;
  o.enc_depth = o.dec_depth = 1;
  return o;
}

GptOptions small_gpt(const char* mask) {
  GptOptions o = gpt_defaults("gpt2");
  o.vocab = 13;
  o.n_layer = 1;
  o.n_head = 2;
  o.n_embd = 8;
  o.block_size = 8;
  o.dec_mask = mask;
  return o;
}

TEST(MaskOptions, WindowsOfOldDirectoriesAreMasks) {
  nlohmann::json config = to_json(small_transformer());
  config.erase("enc_mask");
  config.erase("dec_mask");
  config["enc_window"] = 3;
  config["dec_window"] = 0;
  const TransformerOptions o = transformer_options_from(config);
  EXPECT_EQ(o.enc_mask, "window:3");
  EXPECT_EQ(o.dec_mask, "none");
  config["enc_mask"] = "alibi";
  EXPECT_EQ(transformer_options_from(config).enc_mask, "alibi+window:3");
  for (const nlohmann::json& wrong : {nlohmann::json(-1), nlohmann::json("3"), nlohmann::json(2.5)}) {
    config["enc_window"] = wrong;
    EXPECT_THROW(transformer_options_from(config), Error);
  }
}

TEST(MaskOptions, LocalAttentionOfOldDirectoriesIsAMask) {
  nlohmann::json config = to_json(small_rnn());
  config.erase("cross_mask");
  for (const auto& [local, mask] :
       {std::pair{"none", "none"}, {"local-m", "local-m:2"}, {"local-p", "local-p:2"}}) {
    config["local"] = local;
    config["window"] = 2;
    EXPECT_EQ(rnn_options_from(config).cross_mask, mask);
  }
  config["local"] = "local-q";
  EXPECT_THROW(rnn_options_from(config), Error);
}

// A model of every kind with a mask at every place, or a line that says why not.
TEST(MaskOptions, AreTakenOrRefusedInOneLine) {
  for (const nn::MaskKind& kind : nn::mask_table()) {
    const bool asks = !kind.numbers.empty() && kind.numbers[0].usual == nn::MaskKind::kNone;
    const std::string mask = kind.name + std::string(asks ? ":2" : "");
    const auto expect = [&](const char* what, bool can, auto&& make) {
      const std::string text = message(make);
      EXPECT_EQ(text.empty(), can) << what << " " << mask << ": " << text;
      if (!can) {
        EXPECT_TRUE(text.starts_with("[mask] " + std::string(kind.name) + " in ")) << text;
      }
    };
    using nn::Place;
    const bool encoder = !kind.why_not(Place::kEncoder), decoder = !kind.why_not(Place::kDecoder),
               cross = !kind.why_not(Place::kCross);
    expect("rnn cross", cross, [&] {
      RnnOptions o = small_rnn();
      o.cross_mask = mask;
      make_net(to_json(o), 1);
    });
    TransformerOptions t = small_transformer();
    t.enc_mask = mask;
    expect("transformer encoder", encoder, [&] { make_net(to_json(t), 1); });
    t.enc_mask = "none";
    t.dec_mask = mask;
    expect("transformer decoder", decoder && mask != "prefix:2", [&] { make_net(to_json(t), 1); });
    t.dec_mask = "none";
    t.cross_mask = mask;
    expect("transformer cross", cross, [&] { make_net(to_json(t), 1); });
    expect("gpt", decoder, [&] { make_net(to_json(small_gpt(mask.c_str())), 1); });
    BertOptions b;
    b.vocab = 13;
    b.layers = 1;
    b.heads = 2;
    b.width = 8;
    b.dim_ffn = 8;
    b.enc_mask = mask;
    expect("bert", encoder, [&] { make_net(to_json(b), 1); });
  }
}

TEST(MaskOptions, MakeAConfigOfOurOwn) {
  EXPECT_EQ(to_json(small_gpt("none"))["model_type"], "gpt2");
  const nlohmann::json config = to_json(small_gpt("relative:4:8"));
  EXPECT_EQ(config["model_type"], "fovea-gpt2");
  EXPECT_FALSE(config.contains("architectures"));
  EXPECT_EQ(gpt_options_from(config).dec_mask, "relative:4:8");
  EXPECT_EQ(gpt_options_from(config).layout, "gpt2");
  const auto net = make_net(config, 1);
  EXPECT_EQ(net->config(), config);
  bool stored = false;
  for (const Stored& one : net->stored()) stored |= one.name == "layer.0.self.relative";
  EXPECT_TRUE(stored);
}

// Its tokens are seen before they are asked for.
TEST(MaskOptions, TokensOfAPrefixCostNothing) {
  Gpt net(small_gpt("prefix:4"), 3);
  data::Batch batch;
  batch.target_in = Tensor::empty({2, 8}, DType::kI32);
  batch.target_out = Tensor::empty({2, 8}, DType::kI32);
  for (int64_t i = 0; i < 16; ++i) {
    batch.target_in.data<int32_t>()[i] = static_cast<int32_t>(i * 5 % 13);
    batch.target_out.data<int32_t>()[i] = static_cast<int32_t>((i * 3 + 1) % 13);
  }
  batch.target_tokens = 16;
  const Cost cost = net.cost(batch, {});
  EXPECT_EQ(cost.tokens, 2 * 5);
  for (int64_t t : {0, 1, 2}) batch.target_out.data<int32_t>()[t] = 12;
  EXPECT_EQ(net.cost(batch, {}).cross_entropy, cost.cross_entropy);
  batch.target_out.data<int32_t>()[3] += 1;
  EXPECT_NE(net.cost(batch, {}).cross_entropy, cost.cross_entropy);
}

}  // namespace
}  // namespace fovea::models
