// Tokenizers as Hugging Face keeps them in a model's directory, read and written with the same ids:
//   tokenizer.json                    wordpiece (BERT), bpe (GPT-2, Llama, CLIP) or unigram
//   tokenizer.model                   bpe of SentencePiece (Llama), where there is no tokenizer.json
//   vocab.txt                         wordpiece, where there is no tokenizer.json
//   vocab.json, merges.txt            bpe, where there is no tokenizer.json
//   source.spm, target.spm, vocab.json   marian
// and beside them tokenizer_config.json and special_tokens_map.json, which say how special tokens are called.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::data {

struct TokenizerPair {
  std::shared_ptr<const Tokenizer> source, target;  // one and the same but for Marian
};

// Whether the directory holds files of a tokenizer that read_hf_tokenizer() knows by their names.
bool has_hf_tokenizer(const std::string& dir);
// Throws [tokenizer] DIR/FILE: ... where there are none, or none that can be used.
TokenizerPair read_hf_tokenizer(const std::string& dir);

// The id that MarianMT's order (</s> <unk> first, <pad> last) has for an id of ours (<pad> <unk> <sos> <eos> first).
inline int32_t marian_id(int32_t id, int64_t size) {
  if (id == kPad) return static_cast<int32_t>(size - 1);
  return id == kEos ? 0 : id == kUnk ? 1 : id == kSos ? 2 : id - 1;
}

}  // namespace fovea::data
