// The search for target sentences: what a model says of given sources.
//   greedy   the most probable word at each step; beam search with one prefix
//   beam     the `beam_size` most probable prefixes go on together
//   sample   words are drawn: temperature, then top-k, then top-p
// What is found for a sentence does not depend on the sentences beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "fovea/decode/sampling.h"
#include "fovea/models/seq2seq.h"

namespace fovea::decode {

// What happens to the place of a hypothesis that ends: it is gone, as in Marian, and the search is over when none is left; or another
// prefix takes it, as in Hugging Face transformers, and the search is over when beam_size have ended and none that goes on is better now.
enum class EndedPlaces : uint8_t { kGone, kTaken };

struct SearchOptions {
  int64_t beam_size = 1;
  EndedPlaces ended_places = EndedPlaces::kGone;
  int64_t n_best = 1;           // how many to return for each sentence, at most beam_size
  float normalize = 0.6f;       // score = log_prob / length^normalize, <eos> counted
  float max_length_factor = 3;  // a target has at most factor * S + 10 words, S the source with its <eos>
  int64_t min_words = 0;        // it does not end before it has so many
  int64_t max_words = 0;        // not 0: at most so many, whatever the factor says
  bool allow_unk = false;       // <unk> may be said
  bool look = false;            // keep the weights with which each word looked at the source
  bool sample = false;          // draw; beam_size is then 1
  Sampling sampling = {};
};

// Throws Error for an option that is out of its range; `who` starts the message.
void check_options(const SearchOptions& options, std::string_view who);

struct Hypothesis {
  std::vector<int32_t> words;  // <eos> is not among them
  double log_prob = 0;         // of the words, and of <eos> where it ended
  double score = 0;            // normalised by length: what hypotheses are ranked by
  bool ended = false;          // with <eos>, not at the limit of length
  // f32 [H, T, S]: for each word, and for <eos> where it ended, the weights over the source with its <eos>.
  // Undefined where nobody asked, or the model does not look.
  Tensor look;
};
using NBest = std::vector<Hypothesis>;  // best first, at least one

// The best hypotheses of each source. `lines` numbers the sentences: draws are a function of (seed, line,
// position), whatever the batch. Empty: 0, 1, 2, ...
std::vector<NBest> search(models::Seq2Seq& model, const data::SourceBatch& source,
                          const SearchOptions& options, std::span<const int64_t> lines = {});

// The same for sources of any number and length, as ids without <eos>, in batches of at most `batch` that are near in
// length. found(i, n_best) is called once for each, in no given order. A source without ids has one
// empty hypothesis, which costs nothing.
void search_all(models::Seq2Seq& model, std::span<const std::vector<int32_t>> sources,
                const SearchOptions& options, int64_t batch, int64_t first_line,
                const std::function<void(size_t, NBest)>& found);

}  // namespace fovea::decode
