// Lines of text in, translations out.
//
//   decode::Translator translator(models::load_model("en-ko"), {.search = {.beam_size = 5, .look = true}});
//   const decode::Translation said = translator.translate("I am a student .");
//   said.best().text       // 나는 학생 이다 .
//   said.best().weights    // where each piece looked, [H, T, S]
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/search.h"
#include "fovea/models/model_dir.h"

namespace fovea::decode {

struct TranslateOptions {
  SearchOptions search = {};
  int64_t batch = 32;         // sentences side by side
  int64_t max_length = 1000;  // a source line has at most so many pieces
  bool crop = false;          // a longer one is cut there; without it, it is an error
};

// One way to say it.
struct Candidate {
  std::string text;
  std::vector<int32_t> ids;         // without <eos>
  std::vector<std::string> pieces;  // one for each id, and "<eos>" where it ended: the rows of weights
  double log_prob = 0, score = 0;
  bool ended = false;  // false: the limit of length cut it
  Tensor weights;      // f32 [H, T, S], T pieces, S source_pieces; undefined unless looked for
};

struct Translation {
  std::vector<std::string> source_pieces;  // as written in the line, and "<eos>": the columns of weights
  std::vector<Candidate> candidates;       // best first, n_best at most

  const Candidate& best() const { return candidates.front(); }
};

class Translator {
 public:
  Translator(models::Model model, TranslateOptions options);

  Translation translate(std::string_view line) const;
  // In the order of the lines, which are UTF-8. The first has number `first_line`: it stands in messages and seeds the
  // draws. A line without words has an empty translation.
  std::vector<Translation> translate(std::span<const std::string> lines, int64_t first_line = 0) const;
  // The same, handed over as it is found, in no given order: whoever wants little of each holds little.
  void translate(std::span<const std::string> lines, int64_t first_line,
                 const std::function<void(size_t, Translation)>& found) const;

  const models::Model& model() const { return model_; }
  const TranslateOptions& options() const { return options_; }

 private:
  models::Model model_;
  TranslateOptions options_;
};

}  // namespace fovea::decode
