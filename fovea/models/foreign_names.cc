#include "fovea/models/foreign_names.h"

#include <initializer_list>

namespace fovea::models {
namespace {

bool ends_with_any(const std::string& name, std::initializer_list<std::string_view> ends) {
  for (const std::string_view end : ends)
    if (name.ends_with(end)) return true;
  return false;
}

}  // namespace

bool is_hugging_face(std::string_view type) {
  return type == "gpt2" || type == "llama" || type == "bert" || type == "marian";
}

std::string usual_name(std::string_view type, const std::string& name) {
  const std::string_view prefix = type == "gpt2"    ? "transformer."
                                  : type == "bert"  ? "bert."
                                  : type == "llama" ? "model."
                                                    : "";
  if (prefix.empty()) return name;
  return name.starts_with(prefix) ? name.substr(prefix.size()) : std::string(prefix) + name;
}

bool is_left_out(std::string_view type, const std::string& name) {
  if (type == "gpt2") return ends_with_any(name, {".attn.bias", ".attn.masked_bias", "lm_head.weight"});
  if (type == "llama") return ends_with_any(name, {".rotary_emb.inv_freq", "lm_head.weight"});
  if (type == "marian")
    return ends_with_any(name, {".embed_positions.weight", ".embed_tokens.weight", "lm_head.weight"});
  if (type == "bert")
    return ends_with_any(name, {"embeddings.position_ids", "pooler.dense.weight", "pooler.dense.bias",
                                "cls.seq_relationship.weight", "cls.seq_relationship.bias",
                                "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"});
  return false;
}

}  // namespace fovea::models
