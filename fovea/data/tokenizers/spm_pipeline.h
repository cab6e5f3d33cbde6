// A SentencePiece model of byte-pair encoding as the tokenizer.json that Hugging Face makes of it: Llama's tokenizer.model.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace fovea::data {

// Throws for a model of another kind, and for one that normalises text.
nlohmann::json spm_pipeline(std::string_view bytes, std::string_view source);

}  // namespace fovea::data
