// The kinds of tokenizer. table.cc lists them; outside of this folder fovea/data/tokenizer.h is all there is.
#pragma once

#include "fovea/data/pipeline/file_bundle.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

// train: `lines` are valid UTF-8, options.kind is this kind. from: throws for bytes that serialized() cannot
// have written.
std::unique_ptr<Tokenizer> train_word(std::span<const std::string> lines, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> word_from(std::string_view bytes, std::string_view source);

std::unique_ptr<Tokenizer> train_char(std::span<const std::string> lines, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> char_from(std::string_view bytes, std::string_view source);

std::unique_ptr<Tokenizer> train_byte(std::span<const std::string> lines, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> byte_from(std::string_view bytes, std::string_view source);

std::unique_ptr<Tokenizer> train_sentencepiece(std::span<const std::string> lines,
                                               const TokenizerOptions& options);
std::unique_ptr<Tokenizer> sentencepiece_from(std::string_view bytes, std::string_view source);

std::unique_ptr<Tokenizer> train_wordpiece(std::span<const std::string> lines,
                                           const TokenizerOptions& options);
std::unique_ptr<Tokenizer> wordpiece_from(std::string_view bytes, std::string_view source);

std::unique_ptr<Tokenizer> train_bpe(std::span<const std::string> lines, const TokenizerOptions& options);
std::unique_ptr<Tokenizer> bpe_from(std::string_view bytes, std::string_view source);

// Of the files of a MarianMT directory; the other kinds are learned, this one is only read.
std::unique_ptr<Tokenizer> make_marian(const NamedFiles& files, bool target, std::string_view source);
std::unique_ptr<Tokenizer> marian_from(std::string_view bytes, std::string_view source);

// How a blank is written in a label.
inline constexpr std::string_view kBlankLabel = "\xE2\x96\x81";  // U+2581, as SentencePiece has it

// Ids that decode() leaves out.
inline bool is_silent(int32_t id) { return id == kPad || id == kSos || id == kEos; }

}  // namespace fovea::data
