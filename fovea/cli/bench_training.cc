// Whole training steps (cost, gradients, clipping, Adam), and greedy decoding, of the models that people train.
#include <array>
#include <memory>

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/random.h"
#include "fovea/cli/bench_cases.h"
#include "fovea/kernels/top_k.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/train/optimizer.h"

namespace fovea::cli {
namespace {

Tensor random_ids(int64_t rows, int64_t length, int64_t below, Random& random) {
  const Tensor ids = Tensor::empty({rows, length}, DType::kI32);
  for (int32_t& id : ids.span<int32_t>()) id = static_cast<int32_t>(random.below(below));
  return ids;
}

// Pairs of random words, every source and target as long as the others.
data::Batch random_batch(int64_t rows, int64_t source, int64_t target, int64_t vocabulary) {
  Random random(1);
  data::Batch batch;
  batch.source = {random_ids(rows, source, vocabulary, random),
                  Tensor::full({rows}, static_cast<double>(source), DType::kI32)};
  batch.target_in = random_ids(rows, target, vocabulary, random);
  batch.target_out = random_ids(rows, target, vocabulary, random);
  batch.target_lengths = Tensor::full({rows}, static_cast<double>(target), DType::kI32);
  batch.target_tokens = rows * target;
  return batch;
}

// A model, its optimiser and one batch; step() is one update.
struct Training {
  Training(std::unique_ptr<models::Seq2Seq> made, data::Batch pairs)
      : model(std::move(made)),
        parameters(model->parameters()),
        optimizer({.name = "adam", .learning_rate = 1e-3f, .clip_norm = 1}),
        batch(std::move(pairs)) {}

  void step() {
    autograd::Tape tape;
    const models::Cost cost =
        model->cost(batch, {.training = true, .step = ++count, .label_smoothing = 0.1f});
    for (autograd::Parameter* parameter : parameters) parameter->clear_grad();
    tape.backward(autograd::scale(cost.total, 1.0 / static_cast<double>(cost.tokens)));
    optimizer.step(parameters);
  }

  std::unique_ptr<models::Seq2Seq> model;
  nn::ParameterList parameters;
  train::Optimizer optimizer;
  data::Batch batch;
  uint64_t count = 0;
};

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
  return {.name = "train/gru_additive",
          .gflop = gru_gflop(64, 16, 16, 8000),
          .setup = []() -> std::function<void()> {
            const auto training = std::make_shared<Training>(
                std::make_unique<models::RnnSeq2Seq>(gru(8000), 1), random_batch(64, 16, 16, 8000));
            return [training] { training->step(); };
          }};
}

// The most probable word each time, 20 of them for each of 32 sentences of 15 words.
BenchCase decode_gru() {
  constexpr int64_t kRows = 32, kWords = 20, kVocabulary = 6000;
  return {.name = "decode/gru_greedy_b32",
          .gflop = gru_gflop(kRows, 15, kWords, kVocabulary) / 3,
          .setup = []() -> std::function<void()> {
            models::RnnOptions options = gru(kVocabulary);
            options.tied_embeddings_all = true;
            const auto model = std::make_shared<models::RnnSeq2Seq>(options, 1);
            const data::SourceBatch source = random_batch(kRows, 15, 1, kVocabulary).source;
            return [=] {
              const auto decoding = model->decode(source, 1);
              std::array<float, kRows> log_probs;
              const Tensor words = Tensor::full({kRows, 1}, 2, DType::kI32);
              for (int64_t t = 0; t < kWords; ++t) {
                const Tensor logits = decoding->step(words, nullptr);
                kernels::top_k_log_softmax(logits.data<float>(), kRows, kVocabulary, 1, {},
                                           words.data<int32_t>(), log_probs.data());
              }
            };
          }};
}

}  // namespace

std::vector<BenchCase> training_cases() { return {train_gru()}; }
std::vector<BenchCase> decoding_cases() { return {decode_gru()}; }

}  // namespace fovea::cli
