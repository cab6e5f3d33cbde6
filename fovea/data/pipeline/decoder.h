// The last step of a tokenizer.json: pieces back into text. Without one, pieces stand with a blank between them.
//   WordPiece      pieces that begin with the mark ("##") join the one before, others follow a blank; cleanup takes blanks away
//                  before punctuation and contractions
//   ByteLevel      GPT-2's alphabet back into bytes; bytes that are no UTF-8 become U+FFFD
//   Metaspace      marks ("▁") become blanks, those of the first piece vanish
//   Replace        each occurrence of a string by another (no regular expressions)
//   ByteFallback   pieces "<0x0A>" into bytes; those of a run that are no UTF-8 become U+FFFD each
//   Fuse           all pieces so far become one
//   Strip          a character away at both ends of each piece, so many times at most
//   Sequence       one after the other
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fovea::data {

struct Decoder {
  using Step = std::function<void(std::vector<std::string>&)>;

  std::vector<Step> steps;
  bool byte_level = false;  // pieces are in GPT-2's alphabet
  std::string between;      // written between the pieces that the steps leave

  std::string operator()(std::vector<std::string> pieces) const;
};

// Each `end` of a word becomes a blank; white space goes away at both ends of the text. CLIP's tokenizer does so without a step of its file.
Decoder::Step words_end_with(std::string end);

// `step` is the "decoder" of a tokenizer.json, or null. Throws for steps that are not in the list.
Decoder read_decoder(const nlohmann::json& step, std::string_view source);

}  // namespace fovea::data
