// Models that run: translation token by token, sentence vectors, text that is continued. Weights are random; the work is the same
// whatever they are, since every sentence is written to the same length.
#include <memory>

#include "fovea/base/random.h"
#include "fovea/cli/bench_cases.h"
#include "fovea/decode/search.h"
#include "fovea/models/bert.h"
#include "fovea/models/gpt.h"
#include "fovea/models/transformer.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

constexpr int64_t kTokens = 20;  // of every translation

// Sentences of 8 to 20 tokens, as captions are; the end-of-sequence token is left out.
std::vector<std::vector<int32_t>> rows(int64_t count, int64_t vocabulary) {
  Random random(1);
  std::vector<std::vector<int32_t>> rows;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int32_t>& row = rows.emplace_back();
    for (int64_t n = 8 + i * 5 % 13; n > 1; --n)
      row.push_back(static_cast<int32_t>(2 + random.below(vocabulary - 4)));
  }
  return rows;
}

// 6 + 6 layers of width 512: the "base" of Vaswani et al., as MarianMT has it.
std::shared_ptr<const run::Decoder> base(run::Precision precision) {
  models::TransformerOptions o;
  o.layout = "marian";
  o.source_vocab = o.target_vocab = 8001;
  o.norm = "post";
  o.activation = "silu";
  o.tied_embeddings_all = true;
  o.ids = {.pad = 8000, .unk = 1, .sos = 8000, .eos = 0};
  models::Transformer model(o, 1);
  return run::decoder_of(model, precision);
}

// The sentences, as requests.
std::vector<decode::Request> requests(int64_t count) {
  std::vector<decode::Request> all;
  for (std::vector<int32_t>& row : rows(count, 8001)) all.push_back({.source = std::move(row)});
  return all;
}

double decode_gflop(double rows, double beams) {
  const double E = 512, F = 2048, V = 8001, encoder = 6 * (4 * E * E + 2 * E * F),
               decoder = 6 * (6 * E * E + 2 * E * F) + E * V;
  return 2e-9 * rows * (14 * (encoder + 6 * 2 * E * E) + kTokens * beams * decoder);
}

// `count` sentences, `batch` at a time, with so many beams.
BenchCase decode_base(const char* name, int64_t count, int64_t batch, int64_t beams,
                      run::Precision precision) {
  return {.name = name,
          .gflop = decode_gflop(static_cast<double>(count), static_cast<double>(beams)),
          .setup = [=]() -> std::function<void()> {
            const auto model = base(precision);
            const std::vector<decode::Request> all = requests(count);
            decode::Options options;
            options.beam_size = beams;
            options.min_tokens = options.max_tokens = kTokens;
            return [=] {
              decode::search(*model, all, options, batch, {.found = [](size_t, const decode::NBest&) {}});
            };
          }};
}

// MiniLM-L6: 6 layers of width 384.
BenchCase embed_minilm(const char* name, int64_t batch) {
  constexpr int64_t kCount = 32;
  constexpr int32_t kSep = 102;
  const double E = 384, words = kCount * 14;
  return {.name = name,
          .gflop = 2e-9 * words * 6 * (4 * E * E + 8 * E * E),
          .setup = [=]() -> std::function<void()> {
            models::BertOptions o;
            o.vocab = 30522;
            o.layers = 6;
            o.heads = 12;
            o.width = 384;
            o.dim_ffn = 1536;
            models::Bert net(o, 1);
            const auto model = run::encoder_of(net);
            std::vector<std::vector<int32_t>> sentences = rows(kCount, o.vocab);
            for (std::vector<int32_t>& sentence : sentences) sentence.push_back(kSep);
            return [=] {
              for (size_t i = 0; i < sentences.size(); i += static_cast<size_t>(batch)) {
                std::vector<run::Text> texts;
                for (size_t k = i; k < std::min(sentences.size(), i + static_cast<size_t>(batch)); ++k)
                  texts.push_back({sentences[k]});
                model->embed(texts);
              }
            };
          }};
}

// GPT-2's smallest: 12 layers of width 768, 128 tokens after 16.
BenchCase generate_gpt2(const char* name, run::Precision precision) {
  constexpr int64_t kPrompt = 16, kNew = 128;
  const double E = 768, V = 50257;
  return {.name = name,
          .gflop = 2e-9 * kNew * (12 * 12 * E * E + E * V),
          .setup = [=]() -> std::function<void()> {
            models::GptOptions o;
            o.vocab = 50257;
            models::Gpt net(o, 1);
            const auto model = run::decoder_of(net, precision);
            const decode::Request request{.prompt = std::vector<int32_t>(kPrompt, 7)};
            const decode::Options options{.max_tokens = kNew, .ignore_end = true};
            return [=] { decode::search(*model, request, options); };
          }};
}

}  // namespace

std::vector<BenchCase> running_cases() {
  return {decode_base("decode/base_f32_b1", 8, 1, 1, run::Precision::kF32),
          decode_base("decode/base_f32_b32", 32, 32, 1, run::Precision::kF32),
          decode_base("decode/base_f32_b32_beam4", 32, 32, 4, run::Precision::kF32),
          decode_base("decode/base_int8_b1", 8, 1, 1, run::Precision::kInt8),
          generate_gpt2("generate/gpt2_f32", run::Precision::kF32),
          generate_gpt2("generate/gpt2_int8", run::Precision::kInt8)};
}

std::vector<BenchCase> embedding_cases() {
  return {embed_minilm("embed/minilm_b1", 1), embed_minilm("embed/minilm_b32", 32)};
}

}  // namespace fovea::cli
