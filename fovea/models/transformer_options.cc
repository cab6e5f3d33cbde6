#include "fovea/models/transformer_options.h"

#include "fovea/base/grouped.h"
#include "fovea/models/hf_config.h"
#include "fovea/models/options_json.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/scores/score.h"

namespace fovea::models {
namespace {

constexpr const char* kWho = "transformer";

TransformerOptions from_marian(const HfConfig& config) {
  TransformerOptions o;
  o.layout = "marian";
  o.source_vocab = o.target_vocab = config.number("vocab_size", 58101);
  config.only("decoder_vocab_size", o.target_vocab);
  config.only("share_encoder_decoder_embeddings", true);
  config.only("tie_word_embeddings", true);
  o.tied_embeddings_all = true;
  o.dim_model = config.number("d_model", 1024);
  o.enc_depth = config.number("encoder_layers", 12);
  o.dec_depth = config.number("decoder_layers", 12);
  o.heads = config.number("encoder_attention_heads", 16);
  config.only("decoder_attention_heads", o.heads);
  o.dim_ffn = config.number("encoder_ffn_dim", 4096);
  config.only("decoder_ffn_dim", o.dim_ffn);
  o.norm = "post";
  config.only("normalize_before", false);
  config.only("normalize_embedding", false);
  config.only("static_position_embeddings", true);
  o.max_positions = config.number("max_position_embeddings", 1024);
  o.activation = activation_from_hf(config.text("activation_function", "gelu"));
  o.scale_embeddings = config.flag("scale_embedding", false);
  o.start = "learned";  // by the row of decoder_start_token_id, which is <pad> and zero in MarianMT's own
  o.dropout = config.real("dropout", 0.1);
  o.dropout_attention = config.real("attention_dropout", 0);
  o.dropout_ffn = config.real("activation_dropout", 0);
  o.ids = {.pad = config.id("pad_token_id"),
           .unk = config.id("unk_token_id"),  // whoever has the tokenizer knows it
           .sos = config.id("decoder_start_token_id"),
           .eos = config.id("eos_token_id")};
  for (const int32_t id : {o.ids.pad, o.ids.sos, o.ids.eos})
    check(id >= 0 && id < o.target_vocab, "marian",
          "config: pad_token_id {}, decoder_start_token_id {}, eos_token_id {}: expected ids of a vocabulary "
          "of {}",
          o.ids.pad, o.ids.sos, o.ids.eos, o.target_vocab);
  return o;
}

nlohmann::json to_marian(const TransformerOptions& o) {
  return {{"model_type", "marian"},
          {"architectures", {"MarianMTModel"}},
          {"vocab_size", o.target_vocab},
          {"decoder_vocab_size", o.target_vocab},
          {"share_encoder_decoder_embeddings", true},
          {"tie_word_embeddings", true},
          {"is_encoder_decoder", true},
          {"d_model", o.dim_model},
          {"encoder_layers", o.enc_depth},
          {"decoder_layers", o.dec_depth},
          {"encoder_attention_heads", o.heads},
          {"decoder_attention_heads", o.heads},
          {"encoder_ffn_dim", o.dim_ffn},
          {"decoder_ffn_dim", o.dim_ffn},
          {"max_position_embeddings", o.max_positions},
          {"activation_function", activation_to_hf(o.activation)},
          {"scale_embedding", o.scale_embeddings},
          {"dropout", o.dropout},
          {"attention_dropout", o.dropout_attention},
          {"activation_dropout", o.dropout_ffn},
          {"pad_token_id", o.ids.pad},
          {"eos_token_id", o.ids.eos},
          {"decoder_start_token_id", o.ids.sos},
          {"static_position_embeddings", true},
          {"normalize_before", false},
          {"dtype", "float32"}};
}

}  // namespace

void check_fits_marian(const TransformerOptions& o) {
  const auto need = [](bool fits, std::string_view what) {
    check(fits, kWho, "MarianMT has no room for this model: it would need {}", what);
  };
  need(o.norm == "post", "--norm post");
  need(o.positions == "sinusoidal", "--positions sinusoidal");
  need(o.tied_embeddings_all, "--tied-embeddings-all");
  need(o.enc_score == "scaled_dot" && o.dec_score == "scaled_dot" && o.cross_score == "scaled_dot",
       "the score scaled_dot everywhere");
  need(o.enc_window == 0 && o.dec_window == 0, "attention without windows");
}

int64_t TransformerOptions::longest() const {
  int64_t most = positions == "learned" || layout == "marian" ? max_positions : 0;
  for (const std::string* score : {&enc_score, &dec_score, &cross_score})
    if (*score == "location") most = most ? std::min(most, max_keys) : max_keys;
  return most > 0 ? most - 1 : 0;
}

double TransformerOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(dim_model), attention = 4 * width * width, think = 2 * width * real(dim_ffn);
  const double words =
      width * (real(target_vocab) * (tied() ? 1 : 2) + (tied_embeddings_all ? 0 : real(source_vocab)));
  return words + real(enc_depth) * (attention + think) + real(dec_depth) * (2 * attention + think);
}

void TransformerOptions::check() const {
  using fovea::check;
  constexpr int64_t kMostWords = std::numeric_limits<int32_t>::max(), kMost = 1 << 20;
  const auto within = [](const char* what, int64_t size, int64_t least, int64_t most) {
    check(size >= least && size <= most, kWho, "{} {}: expected {} to {}", what, grouped(size), least,
          grouped(most));
  };
  within("source_vocab", source_vocab, 1, kMostWords);
  within("target_vocab", target_vocab, 1, kMostWords);
  within("dim_model", dim_model, 1, kMost);
  within("heads", heads, 1, kMost);
  within("dim_ffn", dim_ffn, 1, kMost);
  within("enc_depth", enc_depth, 1, 1000);
  within("dec_depth", dec_depth, 1, 1000);
  within("max_positions", max_positions, 1, kMost);
  within("max_keys", max_keys, 1, kMost);
  within("enc_window", enc_window, 0, kMost);
  within("dec_window", dec_window, 0, kMost);
  expect_one_of(kWho, "norm", norm, {"pre", "post"});
  expect_one_of(kWho, "positions", positions, {"sinusoidal", "learned", "rotary"});
  expect_one_of(kWho, "start", start, {"zero", "learned"});
  nn::activation_named(activation);
  for (const std::string* score : {&enc_score, &dec_score, &cross_score}) nn::score_named(*score);
  check(dim_model % heads == 0, kWho, "dim_model {} does not divide into {} heads", dim_model, heads);
  check(positions != "rotary" || dim_model / heads % 2 == 0, kWho,
        "rotary positions on heads of odd width {}", dim_model / heads);
  check(positions != "sinusoidal" || dim_model % 2 == 0, kWho, "sinusoidal positions on an odd dim_model {}",
        dim_model);
  check(!tied_embeddings_all || source_vocab == target_vocab, kWho,
        "tied_embeddings_all with vocabularies of {} and {}: expected one vocabulary for both sides",
        source_vocab, target_vocab);
  for (const double rate : {dropout, dropout_attention, dropout_ffn})
    check(rate >= 0 && rate < 1, kWho, "a dropout of {}: expected 0 to below 1", rate);
  constexpr double kMostWeights = 2e9;  // a mistyped number is refused before it takes all memory
  check(least_weights() <= kMostWeights, kWho,
        "about {:.3g} weights: expected {:.0g} at most; make the vocabularies or dim_model, dim_ffn, "
        "enc_depth, "
        "dec_depth smaller",
        least_weights(), kMostWeights);
}

nlohmann::json to_json(const TransformerOptions& options) {
  return options.layout == "marian" ? to_marian(options) : options_to_json(options, kWho);
}

TransformerOptions transformer_options_from(const nlohmann::json& config) {
  const bool marian = config.is_object() && config.value("model_type", nlohmann::json()) == "marian";
  auto options =
      marian ? from_marian(HfConfig(config, "marian")) : options_from_json<TransformerOptions>(config, kWho);
  if (!config.contains("start")) options.start = "learned";  // as models were before there was a choice
  options.check();
  return options;
}

}  // namespace fovea::models
