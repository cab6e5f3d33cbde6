// A tokenizer that a tokenizer.json describes:
//   line -> added tokens found -> normalizer -> pre_tokenizer -> model -> ids         ids -> pieces -> decoder -> line
// Its kind is wordpiece or bpe, after the model. Truncation and padding, which a file may ask for, are not its work.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fovea/data/pipeline/added_tokens.h"
#include "fovea/data/pipeline/decoder.h"
#include "fovea/data/pipeline/file_bundle.h"
#include "fovea/data/pipeline/piece_model.h"
#include "fovea/data/pipeline/post_processor.h"
#include "fovea/data/pipeline/pre_tokenizer.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

class PipelineTokenizer : public Tokenizer {
 public:
  // `files` are those of a Hugging Face directory: read_pipeline() says which. `source` stands in messages.
  PipelineTokenizer(NamedFiles files, std::string_view source);

  std::string_view kind() const override { return kind_; }
  int64_t size() const override { return size_; }
  SpecialIds special_ids() const override { return specials_; }
  std::vector<int32_t> encode(std::string_view line) const override;
  std::vector<int32_t> with_specials(std::span<const int32_t> ids) const override { return around_(ids); }
  std::vector<int32_t> with_specials(std::span<const int32_t> first,
                                     std::span<const int32_t> second) const override {
    return around_(first, second);
  }
  std::vector<int32_t> segments(size_t first, size_t second) const override {
    return around_.segments(first, second);
  }
  std::string decode(std::span<const int32_t> ids) const override;
  std::vector<std::string> pieces(std::string_view line) const override;
  std::string piece(int32_t id) const override;
  std::vector<Span> spans(std::string_view line) const override;
  std::string serialized() const override { return bundle(files_); }
  std::vector<std::pair<std::string, std::string>> hf_files() const override {
    return {files_.begin(), files_.end()};
  }

  // Calls f(std::string_view word) for what the model would cut into pieces: what a vocabulary is learned from.
  template <typename F>
  void for_each_word(std::string_view line, F&& f) const {
    walk(
        line, false, [](int32_t, Span) {}, [&](const AlignedText& word) { f(std::string_view(word.text)); });
  }

 private:
  // Gives added tokens to token(id, place in the line) and words to word(AlignedText), in their order.
  template <typename Token, typename Word>
  void walk(std::string_view line, bool followed, Token&& token, Word&& word) const;
  const std::string& content(int32_t id) const;

  NamedFiles files_;
  std::string kind_;
  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  std::unique_ptr<PieceModel> model_;
  AddedTokens added_;
  PostProcessor around_;
  Decoder decoder_;
  SpecialIds specials_;
  int64_t size_ = 0;
};

// Reads what serialized() wrote. Throws where it is of another kind.
std::unique_ptr<Tokenizer> pipeline_from(std::string_view kind, std::string_view bytes,
                                         std::string_view source);

template <typename Token, typename Word>
void PipelineTokenizer::walk(std::string_view line, bool followed, Token&& token, Word&& word) const {
  std::vector<AlignedText> words;
  for (const Stretch& raw : added_.cut(line, false)) {
    const auto first = static_cast<int32_t>(raw.begin);
    if (raw.id >= 0) {
      token(raw.id, Span{first, static_cast<int32_t>(raw.end)});
      continue;
    }
    AlignedText text = AlignedText::of(line.substr(raw.begin, raw.end - raw.begin), first, followed);
    normalizer_(text);
    for (const Stretch& some : added_.cut(text.text, true)) {
      if (some.id >= 0) {
        token(some.id, followed ? text.place(some.begin, some.end) : Span{});
        continue;
      }
      words.clear();
      words.push_back(some.begin == 0 && some.end == text.text.size() ? text
                                                                      : text.part(some.begin, some.end));
      pre_tokenizer_(words);
      for (const AlignedText& one : words) word(one);
    }
  }
}

}  // namespace fovea::data
