// Models with the tokenizers of their sides: what text goes into and comes out of.
#pragma once

#include <memory>

#include "fovea/data/tokenizer.h"
#include "fovea/run/decoder.h"
#include "fovea/run/encoder.h"

namespace fovea::run {

struct LoadedDecoder {
  std::shared_ptr<const Decoder> decoder;
  std::shared_ptr<const data::Tokenizer> source, target;  // may be one and the same
};

struct LoadedEncoder {
  std::shared_ptr<const Encoder> encoder;
  std::shared_ptr<const data::Tokenizer> tokenizer;
};

}  // namespace fovea::run
