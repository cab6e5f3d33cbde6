#include "fovea/models/table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/models/bert.h"
#include "fovea/models/captioner.h"
#include "fovea/models/clip.h"
#include "fovea/models/cnn.h"
#include "fovea/models/glimpse.h"
#include "fovea/models/gpt.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/models/rowrnn.h"
#include "fovea/models/transformer.h"
#include "fovea/models/vit.h"

namespace fovea::models {
namespace {

// Makes a Net of options that the config says.
template <typename Model, auto kOptionsFrom>
std::unique_ptr<Net> make(const nlohmann::json& config, uint64_t seed) {
  return std::make_unique<Model>(kOptionsFrom(config), seed);
}

// Of a model that reads one vocabulary and writes another.
template <auto kOptionsFrom>
ModelSize size_of_pair(const nlohmann::json& config) {
  const auto o = kOptionsFrom(config);
  return {o.source_vocab, o.target_vocab, static_cast<int64_t>(o.least_weights()), o.longest()};
}

// Of a model that labels pictures.
template <auto kOptionsFrom>
ModelSize size_of_labeller(const nlohmann::json& config) {
  return {.least_weights = static_cast<int64_t>(kOptionsFrom(config).least_weights())};
}

// Groups of settings of fovea train.
constexpr std::string_view kRnnSettings[] = {"heads",           "encoder",          "decoder",
                                             "encoder-decoder", "recurrent cells",  "recurrent states",
                                             "recurrent",       "recurrent encoder"},
                           kTransformerSettings[] = {"heads",
                                                     "encoder",
                                                     "decoder",
                                                     "encoder-decoder",
                                                     "self-attention",
                                                     "long sequences",
                                                     "self-attention decoder",
                                                     "transformer"},
                           kGptSettings[] = {"self-attention decoder", "decoder-only"},
                           kBertSettings[] = {"heads", "encoder", "self-attention", "long sequences",
                                              "encoder-only"},
                           kCaptionerSettings[] = {"heads",           "decoder",
                                                   "recurrent cells", "recurrent states",
                                                   "recurrent",       "convolutions",
                                                   "captions"},
                           kCnnSettings[] = {"convolutions"},
                           kVitSettings[] = {"heads", "encoder", "self-attention", "patches"},
                           kRowRnnSettings[] = {"encoder", "recurrent cells", "recurrent states"},
                           kGlimpseSettings[] = {"recurrent states", "glimpses"};

constexpr Preset kTransformerPresets[] = {{"heads", "8"}, {"enc-depth", "6"}, {"dec-depth", "6"}};
constexpr Preset kGptPresets[] = {{"dropout", "0"},
                                  {"label-smoothing", "0"},
                                  {"optimizer", "adamw"},
                                  {"weight-decay", "0.1"},
                                  {"adam-beta2", "0.99"},
                                  {"adam-eps", "1e-8"},
                                  {"learn-rate", "0.001"},
                                  {"lr-schedule", "cosine"},
                                  {"lr-warmup", "100u"},
                                  {"lr-floor", "0.1"},
                                  {"mini-batch", "12"},
                                  {"valid-freq", "250u"},
                                  {"valid-metrics", "cross-entropy"},
                                  {"valid-split", "0.1"},
                                  {"n-layer", "4"},
                                  {"n-head", "4"},
                                  {"n-embd", "128"},
                                  {"block-size", "128"},
                                  {"after", "2000u"}};
constexpr Preset kBertPresets[] = {
    {"activation", "gelu"},   {"dim-model", "256"},         {"dim-ffn", "1024"},
    {"max-positions", "512"}, {"dropout-attention", "0.1"}, {"heads", "4"},
    {"enc-depth", "4"},       {"label-smoothing", "0"},     {"optimizer", "adamw"},
    {"weight-decay", "0.01"}, {"adam-beta2", "0.999"},      {"adam-eps", "1e-8"},
    {"learn-rate", "0.0005"}, {"max-length", "128"},        {"valid-metrics", "cross-entropy accuracy"}};

constexpr Preset kCnnPresets[] = {
    {"dropout", "0"},         {"label-smoothing", "0"}, {"optimizer", "adamw"},
    {"weight-decay", "0.01"}, {"adam-beta2", "0.999"},  {"adam-eps", "1e-8"},
    {"learn-rate", "0.002"},  {"mini-batch", "64"},     {"valid-metrics", "accuracy cross-entropy"}};

constexpr Preset kCaptionerPresets[] = {
    {"dropout", "0"},         {"label-smoothing", "0"}, {"cell", "lstm"},
    {"dim-emb", "64"},        {"attention", "luong"},   {"optimizer", "adamw"},
    {"weight-decay", "0.01"}, {"adam-beta2", "0.99"},   {"adam-eps", "1e-8"},
    {"learn-rate", "0.002"},  {"mini-batch", "64"},     {"valid-metrics", "cross-entropy exact"}};

constexpr Preset kVitPresets[] = {{"dropout", "0.1"},       {"label-smoothing", "0"},
                                  {"activation", "gelu"},   {"dim-model", "128"},
                                  {"dim-ffn", "512"},       {"heads", "4"},
                                  {"enc-depth", "6"},       {"optimizer", "adamw"},
                                  {"weight-decay", "0.05"}, {"adam-beta2", "0.999"},
                                  {"adam-eps", "1e-8"},     {"learn-rate", "0.001"},
                                  {"mini-batch", "64"},     {"valid-metrics", "accuracy cross-entropy"}};

constexpr Preset kRowRnnPresets[] = {{"dropout", "0"},         {"label-smoothing", "0"},
                                     {"cell", "lstm"},         {"optimizer", "adamw"},
                                     {"weight-decay", "0.01"}, {"adam-beta2", "0.999"},
                                     {"adam-eps", "1e-8"},     {"learn-rate", "0.002"},
                                     {"mini-batch", "64"},     {"valid-metrics", "accuracy cross-entropy"}};

constexpr Preset kGlimpsePresets[] = {{"dropout", "0"},        {"label-smoothing", "0"},
                                      {"adam-beta2", "0.99"},  {"adam-eps", "1e-8"},
                                      {"learn-rate", "0.001"}, {"lr-schedule", "cosine"},
                                      {"clip-norm", "5"},      {"mini-batch", "128"},

                                      {"early-stopping", "0"}, {"valid-metrics", "accuracy cross-entropy"}};

constexpr ModelKind kTable[] = {
    {.name = "rnn",
     .what = "recurrent encoder-decoder: bottleneck, bahdanau or luong",
     .own_layout = true,
     .make = make<RnnSeq2Seq, rnn_options_from>,
     .size = size_of_pair<rnn_options_from>,
     .learns = Learns::kPairs,
     .settings = kRnnSettings,
     .presets = {},
     .tokenizer = "spm",
     .decay_vectors = true},
    {.name = "transformer",
     .what = "encoder and decoder of self-attention",
     .own_layout = true,
     .make = make<Transformer, transformer_options_from>,
     .size = size_of_pair<transformer_options_from>,
     .learns = Learns::kPairs,
     .settings = kTransformerSettings,
     .presets = kTransformerPresets,
     .tokenizer = "spm",
     .decay_vectors = true},
    {.name = "gpt",
     .what = "decoder alone, which continues a text",
     .own_layout = false,
     .make = make<Gpt, gpt_options_from>,
     .size = [](const nlohmann::json& config) -> ModelSize {
       const GptOptions o = gpt_options_from(config);
       return {o.vocab, o.vocab, static_cast<int64_t>(o.least_weights()), o.block_size};
     },
     .learns = Learns::kText,
     .settings = kGptSettings,
     .presets = kGptPresets,
     .tokenizer = "bpe",
     .decay_vectors = false},
    {.name = "bert",
     .what = "encoder alone: masked words, labels, sentence vectors",
     .own_layout = false,
     .make = make<Bert, bert_options_from>,
     .size = [](const nlohmann::json& config) -> ModelSize {
       const BertOptions o = bert_options_from(config);
       return {o.vocab, o.vocab, static_cast<int64_t>(o.least_weights()), o.longest()};
     },
     .learns = Learns::kLines,
     .settings = kBertSettings,
     .presets = kBertPresets,
     .tokenizer = "wordpiece",
     .decay_vectors = false},
    {.name = "cnn",
     .what = "convolutions, which label pictures",
     .own_layout = true,
     .make = make<Cnn, cnn_options_from>,
     .size = size_of_labeller<cnn_options_from>,
     .learns = Learns::kLabelledPictures,
     .settings = kCnnSettings,
     .presets = kCnnPresets,
     .tokenizer = "",
     .decay_vectors = false},
    {.name = "vit",
     .what = "Transformer over patches, which labels pictures",
     .own_layout = false,
     .make = make<Vit, vit_options_from>,
     .size = size_of_labeller<vit_options_from>,
     .learns = Learns::kLabelledPictures,
     .settings = kVitSettings,
     .presets = kVitPresets,
     .tokenizer = "",
     .decay_vectors = false},
    {.name = "rowrnn",
     .what = "recurrent net over the rows of a picture, which labels pictures",
     .own_layout = true,
     .make = make<RowRnn, rowrnn_options_from>,
     .size = size_of_labeller<rowrnn_options_from>,
     .learns = Learns::kLabelledPictures,
     .settings = kRowRnnSettings,
     .presets = kRowRnnPresets,
     .tokenizer = "",
     .decay_vectors = false},
    {.name = "glimpse",
     .what = "eye that moves over a picture, and labels it by a few glimpses",
     .own_layout = true,
     .make = make<Glimpse, glimpse_options_from>,
     .size = size_of_labeller<glimpse_options_from>,
     .learns = Learns::kLabelledPictures,
     .settings = kGlimpseSettings,
     .presets = kGlimpsePresets,
     .tokenizer = "",
     .decay_vectors = false},
    {.name = "captioner",
     .what = "convolutions and a recurrent decoder, which says what it sees",
     .own_layout = true,
     .make = make<Captioner, captioner_options_from>,
     .size = [](const nlohmann::json& config) -> ModelSize {
       const CaptionerOptions o = captioner_options_from(config);
       return {o.decoder.target_vocab, o.decoder.target_vocab, static_cast<int64_t>(o.least_weights())};
     },
     .learns = Learns::kCaptionedPictures,
     .settings = kCaptionerSettings,
     .presets = kCaptionerPresets,
     .tokenizer = "word",
     .decay_vectors = false},
    {.name = "clip",
     .what = "texts and pictures, and how well they match",
     .own_layout = false,
     .make = make<Clip, clip_options_from>,
     .size = [](const nlohmann::json& config) -> ModelSize {
       const ClipOptions o = clip_options_from(config);
       return {o.text.vocab, o.text.vocab, static_cast<int64_t>(o.least_weights()), o.text.max_positions};
     },
     .learns = Learns::kNothing,
     .settings = {},
     .presets = {},
     .tokenizer = "bpe",
     .decay_vectors = false},
};

}  // namespace

const ModelKind& model_kind_of(const nlohmann::json& config) {
  const bool named = config.is_object() && config.contains("model_type") && config["model_type"].is_string();
  check(named, "model", "a config without model_type: expected {{\"model_type\": \"rnn\", ...}}");
  const std::string name = config["model_type"];
  const Layout* layout = find_layout(name);
  for (const ModelKind& kind : kTable)
    if (layout ? layout->model == kind.name : kind.own_layout && name == kind.name) return kind;
  const std::vector<std::string> types = model_types();
  if (const std::string hint = did_you_mean(name, types); !hint.empty())
    fail("model", "there is no model {}{} Known are {}", quote(name), hint, fmt::join(types, ", "));
  fail("model", "a model of the type {} is not supported; supported are {}", quote(name),
       fmt::join(types, ", "));
}

std::vector<std::string> model_types() {
  std::vector<std::string> names;
  for (const ModelKind& kind : kTable) {
    if (kind.own_layout) names.emplace_back(kind.name);
    for (std::string& type : layouts_of(kind.name)) names.push_back(std::move(type));
  }
  return names;
}

std::span<const ModelKind> model_table() { return kTable; }

const ModelKind& model_named(std::string_view name) {
  std::vector<std::string> names;
  for (const ModelKind& kind : kTable) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail("model", "there is no model {}{}", quote(name), near_or_all(name, names));
}

bool has_settings(const ModelKind& model, std::string_view group) {
  return std::ranges::find(model.settings, group) != model.settings.end();
}

std::unique_ptr<Net> make_net(const nlohmann::json& config, uint64_t seed) {
  return model_kind_of(config).make(config, seed);
}

ModelSize size_of_model(const nlohmann::json& config) { return model_kind_of(config).size(config); }

}  // namespace fovea::models
