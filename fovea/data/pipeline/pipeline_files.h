// From the files of a Hugging Face directory to what a PipelineTokenizer is made of:
//   tokenizer.json             the whole tokenizer; where it is missing,
//   vocab.txt                  makes a BERT, and
//   vocab.json, merges.txt     make a GPT-2, or a CLIP where the vocabulary has ends of words
//   tokenizer_config.json      names of special tokens; flags (do_lower_case, strip_accents, tokenize_chinese_chars,
//                              add_prefix_space), which win over the tokenizer.json, as they do in transformers
//   added_tokens.json          tokens beside vocab.txt or vocab.json
//   special_tokens_map.json    names of special tokens that tokenizer_config.json does not say
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "fovea/data/pipeline/file_bundle.h"

namespace fovea::data {

// How special tokens are called; empty: there is none. sos and eos of a BERT are its [CLS] and [SEP].
struct SpecialNames {
  std::string pad, sos, eos, cls, sep, mask;
};

struct PipelineFiles {
  nlohmann::json tokenizer;  // as in a tokenizer.json
  SpecialNames names;
};

PipelineFiles read_pipeline(const NamedFiles& files, std::string_view source);

// The content of a tokenizer.json, without a vocabulary: "model" has "vocab" (and "merges") yet to be set.
nlohmann::json bert_json(bool lowercase);
nlohmann::json gpt2_json();
nlohmann::json clip_json();

}  // namespace fovea::data
