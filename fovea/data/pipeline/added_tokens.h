// Words that a tokenizer.json adds to its model's: they are found in the text before anything else is, and are never cut.
// "[MASK]" in a line is one id.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fovea/data/pipeline/byte_trie.h"
#include "fovea/data/pipeline/normalizer.h"
#include "fovea/data/pipeline/piece_model.h"

namespace fovea::data {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool special = false;                 // stands for no text: decoding leaves it out
  bool single_word = false;             // only where no letter or digit is beside it
  bool lstrip = false, rstrip = false;  // takes the white space before, behind it
  bool normalized = true;               // looked for in the normalised text, in its own normalised form
};

// A stretch of text; an added token where id is 0 or more.
struct Stretch {
  int32_t id = -1;
  size_t begin = 0, end = 0;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // `list` is "added_tokens" of a tokenizer.json. A token has the id of the model's piece of this name, or the next id after
  // those of the model and of the tokens before it.
  AddedTokens(const nlohmann::json& list, const PieceTable& table, const Normalizer& normalizer,
              std::string_view source);

  const std::vector<AddedToken>& tokens() const { return tokens_; }
  // Null where the id is none of these.
  const AddedToken* find(int32_t id) const;

  // Cuts a text at the tokens that are looked for in raw text, or in normalised text. Of several that fit at one place the
  // longest is taken. The stretches follow each other; none is empty but for an empty text, which has none.
  std::vector<Stretch> cut(std::string_view text, bool normalized) const;

 private:
  std::vector<AddedToken> tokens_;  // in the order of their ids
  ByteTrie raw_, normalized_;       // numbers are places in tokens_
};

}  // namespace fovea::data
