// SentencePiece's table of normalised forms (nmt_nfkc, for instance), the step "Precompiled" of a tokenizer.json: a double-array trie of
// strings, each with the place of what it becomes. Characters that belong together (an e and its accent) are looked up as one where they
// are short, then one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/pipeline/aligned_text.h"

namespace fovea::data {

class Charsmap {
 public:
  // `bytes`: the size of the trie, the trie, and zero-terminated strings. Throws for what is none.
  Charsmap(std::string_view bytes, std::string_view source);

  void operator()(AlignedText& text) const;

 private:
  // What the shortest entry that the text begins with becomes; false: there is none.
  bool find(std::string_view text, std::string_view& becomes) const;

  std::vector<uint32_t> units_;
  std::string strings_;
};

}  // namespace fovea::data
