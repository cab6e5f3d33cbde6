// Lines of text in, translations out.
//
//   decode::Translator translator(run::load_decoder("en-ko"), {.search = {.beam_size = 5, .look = decode::look_at_source()}});
//   const decode::Translation said = translator.translate("I am a student .");
//   said.best().text       // 나는 학생 이다 .
//   said.best().weights    // where each token looked, [H, T, S]
//
// Immutable once it is made; any number of threads may use one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/hypothesis.h"
#include "fovea/decode/options.h"
#include "fovea/run/loaded.h"

namespace fovea::decode {

struct TranslateOptions {
  Options search = {};
  int64_t batch = 32;         // sentences side by side
  int64_t max_length = 1000;  // a source line has at most so many tokens
  bool crop = false;          // a longer one is cut there; without it, it is an error
};

// One way to say it.
struct Candidate {
  std::string text;          // up to a stop string
  std::vector<int32_t> ids;  // without an end-of-sequence token
  std::vector<std::string>
      pieces;  // a label for each id, and "<eos>" where it ended with one: the rows of weights
  double log_prob = 0, score = 0;
  bool ended = false;  // false: the limit of length cut it
  Tensor
      weights;  // cross-attention f32 [H, T, S] of the last layer that was looked at, T pieces, S source_pieces
  run::Looked looks;  // all that was looked at, rows as in weights
};

struct Translation {
  std::vector<std::string> source_pieces;  // as written in the line, and "<eos>": the columns of weights
  std::vector<Candidate> candidates;       // best first, n_best at most

  const Candidate& best() const { return candidates.front(); }
};

// A hypothesis in words.
Candidate candidate_of(const run::LoadedDecoder& model, const Options& search, Hypothesis hypothesis);

class Translator {
 public:
  Translator(run::LoadedDecoder model, TranslateOptions options);

  Translation translate(std::string_view line) const;
  // In the order of the lines, which are UTF-8. The first has number `first_line`: it stands in messages and seeds the
  // draws. A line without words has an empty translation.
  std::vector<Translation> translate(std::span<const std::string> lines, int64_t first_line = 0) const;
  // The same, handed over as it is found, in no given order: whoever wants little of each holds little. `stop` is asked before each
  // step; false where it ended the work.
  bool translate(std::span<const std::string> lines, int64_t first_line,
                 const std::function<void(size_t, Translation)>& found,
                 const std::function<bool()>& stop = {}) const;

  const run::LoadedDecoder& model() const { return model_; }
  const TranslateOptions& options() const { return options_; }

 private:
  std::vector<int32_t> source_ids(std::string_view line, int64_t number) const;

  run::LoadedDecoder model_;
  TranslateOptions options_;
};

}  // namespace fovea::decode
