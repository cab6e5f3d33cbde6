// A SentencePiece model: what the kinds spm and marian share.
#pragma once

#include <sentencepiece_processor.h>

#include <string>
#include <string_view>

#include "fovea/data/tokenizer.h"

namespace fovea::data {

class SpmModel {
 public:
  // Throws [tokenizer] SOURCE: ... for bytes that are no model.
  SpmModel(std::string_view bytes, std::string_view source);

  const std::string& bytes() const { return bytes_; }
  const sentencepiece::SentencePieceProcessor& processor() const { return processor_; }

  // Calls f(const std::string& piece, Span place in the line) for every piece; unknown ones are as they are written.
  template <typename F>
  void for_each_piece(std::string_view line, F&& f) const {
    const auto text = processor_.EncodeAsImmutableProto(line);
    for (size_t i = 0; i < text.pieces_size(); ++i) {
      const auto piece = text.pieces(static_cast<int>(i));
      f(piece.piece(), Span{static_cast<int32_t>(piece.begin()), static_cast<int32_t>(piece.end())});
    }
  }

 private:
  std::string bytes_;
  sentencepiece::SentencePieceProcessor processor_;
};

}  // namespace fovea::data
