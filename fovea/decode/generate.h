// Continues a text, word by word.
//
//   decode::Generator generator(models::load_language_model("gpt"), {.words = 100, .sampling = {.temperature = 0.8f}});
//   generator("To be, or", [](std::string_view text) { std::cout << text; return true; });
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/search.h"
#include "fovea/models/model_dir.h"

namespace fovea::decode {

struct GenerateOptions {
  int64_t words = 128;  // tokens to write at the most
  bool greedy = false;  // the most probable token each time; sampling is then not looked at
  Sampling sampling = {};
  float repetition_penalty =
      1;  // logits of tokens that are there already: divided by it where positive, else multiplied
  std::vector<std::string> stop = {};  // the text ends before the first of these
  bool ignore_end = false;             // goes on after the model's own end of a text
  bool window =
      false;  // a text longer than the model can read: it reads the newest part; without it, that is an error
  bool fit = false;   // without a window, a text as long as the model can read is at its end, and no error
  bool look = false;  // keep the weights of every token
};

struct Generated {
  std::string text;             // what was written
  std::vector<int32_t> ids;     // of what was written
  std::vector<int32_t> prompt;  // ids that were read first
  bool ended = false;           // by the model, or by a stop string
  std::vector<Tensor> looks;    // for each token written: f32 [layers, H, tokens before it]
  double read_seconds = 0, write_seconds = 0;
};

// The most probable continuations of a text by beam search, best first; sampling is not looked at. options.max_words says how
// long they may be.
NBest continue_best(models::LanguageModel& model, std::span<const int32_t> prompt,
                    const data::SpecialIds& ids, const SearchOptions& options);

class Generator {
 public:
  Generator(models::TextModel model, GenerateOptions options);

  // `said` gets the text as it comes, in whole characters, and nothing where a token completes none; false stops. An empty prompt begins with the model's mark of a beginning.
  Generated operator()(std::string_view prompt, const std::function<bool(std::string_view)>& said) const {
    return (*this)(prompt_ids(prompt), said);
  }
  Generated operator()(std::vector<int32_t> prompt, const std::function<bool(std::string_view)>& said) const;

  // The prompt as the model reads it. Throws for one that it cannot read.
  std::vector<int32_t> prompt_ids(std::string_view prompt) const;

  const models::TextModel& model() const { return model_; }

 private:
  models::TextModel model_;
  GenerateOptions options_;
};

}  // namespace fovea::decode
