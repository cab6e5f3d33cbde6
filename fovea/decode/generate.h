// Continues a text, token by token.
//
//   decode::Generator generator(run::load_decoder("gpt"), {.max_tokens = 100, .sample = true});
//   generator("To be, or", [](std::string_view text) { std::cout << text; return true; });
//
// Immutable once it is made; any number of threads may use one.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/hypothesis.h"
#include "fovea/decode/options.h"
#include "fovea/run/loaded.h"

namespace fovea::decode {

struct Generated {
  std::string text;                // what was written, up to a stop string
  std::vector<int32_t> ids;        // of what was written
  std::vector<int32_t> prompt;     // ids that were read first
  double log_prob = 0, score = 0;  // of what was written
  bool ended = false;              // by the model, or by a stop string
  // For each token written, and for the end-of-sequence token where it ended with one: what it saw.
  std::vector<run::Looked> looks;
  double read_seconds = 0, write_seconds = 0;
};

struct GenerateCalls {
  // Text as it comes, in whole characters, and nothing where a token completes none; false stops.
  std::function<bool(std::string_view)> text = [](std::string_view) { return true; };
  // The prompt: tokens read so far, of how many.
  std::function<void(int64_t, int64_t)> on_prefill = {};
  std::function<bool()> stop = {};  // asked before each step; true stops
};

class Generator {
 public:
  // options.max_tokens 0: as many as the model can read.
  Generator(run::LoadedDecoder model, Options options);

  // An empty prompt begins with the model's start token. What was written before it was stopped is returned. With a beam, the best
  // hypothesis is found first and then written at once.
  Generated operator()(std::string_view prompt, const std::function<bool(std::string_view)>& text) const {
    return (*this)(prompt_ids(prompt), {.text = text});
  }
  Generated operator()(std::vector<int32_t> prompt, const GenerateCalls& calls) const;
  // The n_best that a beam finds, best first; none where it was stopped.
  std::vector<Generated> best(std::vector<int32_t> prompt, const GenerateCalls& calls = {}) const;

  // The prompt as the model reads it. Throws for one that it cannot read.
  std::vector<int32_t> prompt_ids(std::string_view prompt) const;

  const run::LoadedDecoder& model() const { return model_; }

 private:
  Generated stream(std::vector<int32_t> prompt, const GenerateCalls& calls) const;

  run::LoadedDecoder model_;
  Options options_;
};

}  // namespace fovea::decode
