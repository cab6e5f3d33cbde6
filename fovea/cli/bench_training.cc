// Whole training steps (cost, gradients, clipping, Adam), and greedy decoding, of the models that people train.
#include <memory>

#include "fovea/cli/bench_step.h"
#include "fovea/decode/search.h"
#include "fovea/models/gpt.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/models/transformer.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

// Translation is trained with Adam and label smoothing, a language model with AdamW.
StepRecipe translation() {
  return {.optimizer = {.name = "adam", .learning_rate = 1e-3f, .clip_norm = 1}, .label_smoothing = 0.1f};
}
StepRecipe language_model() {
  return {.optimizer = {
              .name = "adamw", .learning_rate = 1e-3f, .weight_decay = 0.1f, .clip_norm = 1, .beta2 = 0.99f}};
}

models::RnnOptions gru(int64_t vocabulary) {
  models::RnnOptions options;
  options.source_vocab = options.target_vocab = vocabulary;
  options.dim_readout = options.dim_emb;
  return options;
}

// Multiply-adds of the products, three passes over each, for E = H = 256, a vocabulary of V and B x S and B x T words.
double gru_gflop(double rows, double source, double target, double vocabulary) {
  const double E = 256, H = 256;
  const double encoder = rows * source * (E * 6 * H + H * 6 * H + 2 * H * H);
  const double decoder = rows * target * ((E + 2 * H + H) * 3 * H + H * H + 3 * H * E + E * vocabulary);
  return 3 * 2e-9 * (encoder + decoder);
}

BenchCase train_gru() {
  return step_case(
      "train/gru_additive", gru_gflop(64, 16, 16, 8000),
      [] { return std::make_unique<models::RnnSeq2Seq>(gru(8000), 1); },
      [] { return random_batch(64, 16, 16, 8000); }, translation());
}

// 4 + 4 layers of width 128, trained on 64 pairs of 16 words.
BenchCase train_transformer_tiny() {
  constexpr double kRows = 64 * 16, E = 128, F = 256, V = 8000, T = 16;
  const double layer = 4 * E * E + 2 * E * F + 2 * T * E, cross = 4 * E * E + 2 * T * E;
  return step_case(
      "train/transformer_tiny", 3 * 2e-9 * kRows * (4 * layer + 4 * (layer + cross) + E * V),
      [] {
        models::TransformerOptions o;
        o.source_vocab = o.target_vocab = 8000;
        o.dim_model = 128;
        o.heads = 4;
        o.dim_ffn = 256;
        o.enc_depth = o.dec_depth = 4;
        o.norm = "post";
        o.tied_embeddings_all = true;
        o.dropout = o.dropout_attention = o.dropout_ffn = 0.1;
        return std::make_unique<models::Transformer>(o, 1);
      },
      [] { return random_batch(64, 16, 16, 8000); }, translation());
}

// The recipe of nanoGPT on characters: no biases, exact GELU.
BenchCase train_gpt(const char* name, int64_t layers, int64_t heads, int64_t width, int64_t block,
                    int64_t rows) {
  constexpr int64_t kCharacters = 65;
  const auto E = static_cast<double>(width), L = static_cast<double>(block), N = static_cast<double>(layers);
  const double words = static_cast<double>(rows * block);
  return step_case(
      name, 3 * 2e-9 * words * (N * (12 * E * E + L * E) + E * kCharacters),
      [=] {
        models::GptOptions o;
        o.vocab = kCharacters;
        o.n_layer = layers;
        o.n_head = heads;
        o.n_embd = width;
        o.block_size = block;
        o.activation = "gelu";
        o.bias = false;
        return std::make_unique<models::Gpt>(o, 1);
      },
      [=] { return random_batch(rows, 1, block, kCharacters); }, language_model());
}

// The most probable token each time, 20 of them for each of 32 sentences of 15.
BenchCase decode_gru() {
  constexpr int64_t kRows = 32, kTokens = 20, kVocabulary = 6000;
  return {.name = "decode/gru_greedy_b32",
          .gflop = gru_gflop(kRows, 15, kTokens, kVocabulary) / 3,
          .setup = []() -> std::function<void()> {
            models::RnnOptions options = gru(kVocabulary);
            options.tied_embeddings_all = true;
            models::RnnSeq2Seq net(options, 1);
            const auto model = run::decoder_of(net);
            const Tensor ids = random_batch(kRows, 15, 1, kVocabulary).source.ids;
            std::vector<decode::Request> requests(kRows);
            for (int64_t b = 0; b < kRows; ++b) {  // the end-of-sequence token is added
              const int32_t* row = ids.data<int32_t>() + b * 15;
              requests[static_cast<size_t>(b)].source.assign(row, row + 14);
            }
            const decode::Options search{.min_tokens = kTokens, .max_tokens = kTokens};
            return [=] {
              decode::search(*model, requests, search, kRows, {.found = [](size_t, const decode::NBest&) {}});
            };
          }};
}

}  // namespace

std::vector<BenchCase> training_cases() {
  return {train_gru(), train_transformer_tiny(), train_gpt("train/gpt_small", 4, 4, 128, 64, 12),
          train_gpt("train/gpt_medium", 6, 6, 384, 256, 16)};
}
std::vector<BenchCase> decoding_cases() {
  std::vector<BenchCase> cases = {decode_gru()};
  for (BenchCase& one : running_cases()) cases.push_back(std::move(one));
  return cases;
}

}  // namespace fovea::cli
