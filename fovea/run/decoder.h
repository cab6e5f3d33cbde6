// A model that writes tokens one after the other, ready to run: recurrent decoders, Transformers, GPT. Packed weights and nothing
// else; immutable, and safe to use from any number of threads. Session is what grows sequences over it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/pictures/input.h"
#include "fovea/data/tokenizer.h"
#include "fovea/run/cache.h"
#include "fovea/run/look.h"
#include "fovea/run/runner.h"

namespace fovea::run {

struct DecoderInfo {
  bool reads_source = false;    // ids, or a picture
  bool reads_pictures = false;  // the source is a picture
  int64_t source_vocab = 0, vocab = 0;
  int64_t longest_source = 0;  // tokens, the end-of-sequence token not counted; 0: any number
  int64_t longest = 0;         // tokens that can be fed; 0: any number
  int64_t layers = 0, heads = 0, encoder_layers = 0, encoder_heads = 0,
          cross_heads = 0;        // of attention; 0: has none
  bool hard = false;              // cross-attention reads one position: its weight is 1, those of others 0
  data::SpecialIds ids;           // those of the model's config; -1 where there is none
  int32_t source_eos = -1;        // end-of-sequence token of sources; -1: as ids.eos
  std::vector<int32_t> ends;      // tokens after which a text is over, ids.eos among them
  data::PictureInput input = {};  // reads_pictures: how they are prepared
  int64_t grid = 0;  // reads_pictures: cross-attention has a key for each of grid x grid places, row by row
};

// A source, read: what its sequences share.
struct Source {
  Source(Cache& cross, int64_t length) : keys(cross), length(length) {}
  CachedTokens keys;         // for cross-attention
  int64_t length;            // the end-of-sequence token included
  std::vector<float> state;  // recurrent: the summary, and the first state of the decoder
};

// One sequence.
struct State {
  explicit State(Cache& self) : keys(self) {}
  std::shared_ptr<const Source> source;
  CachedTokens keys;
  int64_t length = 0;        // tokens fed
  std::vector<float> state;  // recurrent
};

// What one advance feeds: rows are tokens, sequence after sequence.
struct Step {
  std::vector<int32_t> tokens, positions;  // [rows]
  std::vector<int32_t> starts;             // sequence i has rows starts[i] to before starts[i + 1]
  std::vector<State*>
      states;  // by sequence. Room for the new tokens is in keys; length is that before the step
  std::vector<int32_t> wanted;  // rows whose logits are wanted, ascending
  const LookAt* at = nullptr;
  std::vector<Looked>* looked = nullptr;  // by sequence

  int64_t rows() const { return static_cast<int64_t>(tokens.size()); }
  int64_t sequences() const { return static_cast<int64_t>(states.size()); }
};

class Decoder : public Runner {
 public:
  const DecoderInfo& info() const { return info_; }

 protected:
  friend class Session;
  // What keys and values of each layer look like: of self-attention, and of cross-attention.
  virtual std::vector<CacheShape> self_shapes() const { return {}; }
  virtual std::vector<CacheShape> cross_shapes() const { return {}; }
  // Reads sources (ids with their end-of-sequence token) into `cross`.
  virtual std::vector<std::shared_ptr<Source>> encode(std::span<const std::vector<int32_t>>, Cache&,
                                                      const LookAt*, std::vector<Looked>*) const {
    return {};
  }
  // The same of prepared pictures.
  virtual std::vector<std::shared_ptr<Source>> encode_pictures(const Tensor&, Cache&) const { return {}; }
  // Logits f32 [wanted, V]. Writes keys, values and states.
  virtual Tensor step(const Step& step) const = 0;

  DecoderInfo info_;
};

}  // namespace fovea::run
