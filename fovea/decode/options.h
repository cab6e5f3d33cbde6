// What every decoding method is told: how to choose, how long to go on, what to keep. One struct for translating and generating.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"
#include "fovea/decode/sampling.h"
#include "fovea/run/session.h"

namespace fovea::decode {

// What happens to the place of a hypothesis that ends: it is gone, as in Marian, and the search is over when none is left; or another
// prefix takes it, as in Hugging Face transformers, and the search is over when beam_size have ended and none that goes on is better now.
enum class EndedPlaces : uint8_t { kGone, kTaken };

// What happens to a sequence that is as long as the model can read.
enum class Full : uint8_t {
  kEnd,    // it is cut there, as at any limit of length
  kError,  // that is an error
  kWindow,  // the model goes on with the newest half of what it can read; only where it reads no source, with a beam of 1
};

struct Options {
  int64_t beam_size = 1;  // 1: greedy search
  EndedPlaces ended_places = EndedPlaces::kGone;
  int64_t n_best = 1;      // how many hypotheses to return, at most beam_size
  float normalize = 0.6f;  // score = log_prob / length^normalize, the end-of-sequence token counted
  float max_length_factor =
      3;  // with a source of S tokens (the end-of-sequence token among them): at most factor * S + 10
  int64_t min_tokens = 0;  // a hypothesis does not end before it has so many
  int64_t max_tokens = 0;  // not 0: at most so many, whatever the factor says
  Full full = Full::kEnd;
  bool allow_unk = false;   // a decoder that reads a source may write its unknown token
  bool ignore_end = false;  // end-of-sequence tokens are never chosen
  run::LookAt look = {};    // attention weights to keep for every token
  bool sample = false;      // draw; beam_size is then 1
  Sampling sampling = {};
  // Logits of tokens that are there already (of the prompt, too): divided by it where positive, else multiplied.
  float repetition_penalty = 1;
  std::vector<std::string> stop = {};          // a hypothesis ends where its text has one of these
  const data::Tokenizer* tokenizer = nullptr;  // of what is written; stop strings need it
  int64_t usable_ids = 0;          // not 0: ids from here on, which no tokenizer can write, are never chosen
  std::vector<int32_t> ends = {};  // end-of-sequence tokens beside the decoder's own
  run::SessionOptions session = {};

  bool looks() const { return look.encoder || look.self || look.cross; }
};

// Cross-attention of the last layer: what alignments are made of.
inline run::LookAt look_at_source() { return {.cross = true, .layers = {-1}}; }

// Throws Error for an option that is out of its range; `who` starts the message.
void check_options(const Options& options, std::string_view who);

// The most tokens that the target of a source may have, the end-of-sequence tokens of both counted.
int64_t most_tokens(int64_t source_length, const Options& options);

double normalized(double log_prob, int64_t length, const Options& options);

}  // namespace fovea::decode
