// A decoder with the tokenizers of its two sides: what turns text into text.
#pragma once

#include <memory>

#include "fovea/data/tokenizer.h"
#include "fovea/run/decoder.h"

namespace fovea::run {

struct LoadedDecoder {
  std::shared_ptr<const Decoder> decoder;
  std::shared_ptr<const data::Tokenizer> source, target;  // may be one and the same
};

}  // namespace fovea::run
