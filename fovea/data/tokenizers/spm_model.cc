#include "fovea/data/tokenizers/spm_model.h"

#include "fovea/base/error.h"

namespace fovea::data {

SpmModel::SpmModel(std::string_view bytes, std::string_view source) : bytes_(bytes) {
  const auto status = processor_.LoadFromSerializedProto(bytes_);
  check(status.ok(), "tokenizer", "{}: not a SentencePiece model", source);
}

}  // namespace fovea::data
