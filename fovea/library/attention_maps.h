// Where models looked, as maps with the tokens they belong to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/decode/generate.h"
#include "fovea/decode/translate.h"
#include "fovea/look/atlas.h"
#include "fovea/run/load.h"

namespace fovea::library {

// A target for a source line, by the model or by the user.
struct Target {
  std::string text;
  std::vector<int32_t> ids;         // without an end-of-sequence token
  std::vector<std::string> tokens;  // labels; "<eos>" last, where it ended with one
  std::vector<int32_t> word_of;     // by id: its word in the text
  Tensor
      weights;  // cross-attention of the last layer [H, T, S], T tokens; undefined where the model does not look
};
// What a search with decode::look_at_source() found.
Target target_of(const run::LoadedDecoder& model, const decode::Candidate& candidate);
// The user's own: the model reads it token by token, and looks as it would have to write it.
Target forced_target(const run::LoadedDecoder& model, std::string_view line, std::string_view text);

// A model whose attentions are many layers: what it sees is an atlas. Others have one attention, a map.
bool has_layers(const run::LoadedDecoder& model);

// One map of a translation, of target.weights. `words`: words instead of tokens.
look::Map map_of_translation(const run::LoadedDecoder& model, std::string_view line, const Target& target,
                             bool words);
// All attentions of a model that has_layers: cross, encoder self, decoder self. The model reads the pair once more.
look::Atlas atlas_of_translation(const run::LoadedDecoder& model, std::string_view line, const Target& target,
                                 bool words);

// Where a model that reads or continues texts looks in this one.
look::Atlas atlas_of_text(const run::Loaded& model, std::string_view text, bool words);

// Where each new token looked: at the prompt, and at what was written before it. At least one was written, and looked.
look::Atlas atlas_of_generated(const run::LoadedDecoder& model, const decode::Generated& made,
                               std::string_view prompt);

}  // namespace fovea::library
