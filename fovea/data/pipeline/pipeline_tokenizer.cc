#include "fovea/data/pipeline/pipeline_tokenizer.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/data/pipeline/byte_characters.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/pipeline_files.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

// A piece to look at: a blank shows as "▁", a byte that is no text as "<0x0A>".
std::string label(std::string_view piece, bool byte_level) {
  const std::string bytes =
      byte_level ? bytes_of_piece(piece).value_or(std::string(piece)) : std::string(piece);
  std::string text;
  for_each_character(bytes, [&](std::string_view character, uint32_t code) {
    const auto byte = static_cast<unsigned char>(character[0]);
    if (is_blank(character[0]))
      text += kBlankLabel;
    else if (code < 0x20 || code == 0x7F || (code == 0xFFFD && character.size() == 1))
      text += fmt::format("<0x{:02X}>", byte);
    else
      text += character;
  });
  return text;
}

struct ModelType {
  std::string_view type, kind;
  std::unique_ptr<PieceModel> (*read)(const nlohmann::json& model, std::string_view source);
};
constexpr ModelType kModelTypes[] = {{"WordPiece", "wordpiece", read_wordpiece_model},
                                     {"BPE", "bpe", read_bpe_model},
                                     {"Unigram", "unigram", read_unigram_model}};

}  // namespace

PipelineTokenizer::PipelineTokenizer(NamedFiles files, std::string_view source) : files_(std::move(files)) {
  const PipelineFiles read = read_pipeline(files_, source);
  const nlohmann::json& model = value_of(read.tokenizer, "model");
  // Files from before the models had types: GPT-2's name merges, BERT's do not.
  const std::string type = text_of(model, "type", model.contains("merges") ? "BPE" : "WordPiece", source);
  const ModelType* known = std::ranges::find(kModelTypes, type, &ModelType::type);
  check(known != std::end(kModelTypes), "tokenizer",
        "{}: a model of the type {}: expected WordPiece, BPE or Unigram", source, quote(type));
  kind_ = known->kind;
  normalizer_ = read_normalizer(value_of(read.tokenizer, "normalizer"), source);
  pre_tokenizer_ = read_pre_tokenizer(value_of(read.tokenizer, "pre_tokenizer"), source);
  model_ = known->read(model, source);
  added_ = AddedTokens(value_of(read.tokenizer, "added_tokens"), model_->table(), normalizer_, source);
  size_ = model_->table().size();
  for (const AddedToken& token : added_.tokens()) size_ = std::max<int64_t>(size_, token.id + 1);
  check(size_ > 0, "tokenizer", "{}: the vocabulary is empty", source);
  around_ =
      read_post_processor(value_of(read.tokenizer, "post_processor"), static_cast<int32_t>(size_), source);
  decoder_ = read_decoder(value_of(read.tokenizer, "decoder"), source);
  if (const std::string_view end = model_->end_of_word(); !end.empty())
    decoder_.steps.push_back(words_end_with(std::string(end)));
  const auto id_of = [&](const std::string& name) {
    for (const AddedToken& token : added_.tokens())
      if (token.content == name) return token.id;
    return name.empty() ? -1 : model_->table().id_of(name);
  };
  const SpecialNames& names = read.names;
  specials_ = {id_of(names.pad), model_->unknown(), id_of(names.sos), id_of(names.eos),
               id_of(names.cls), id_of(names.sep),  id_of(names.mask)};
}

std::vector<int32_t> PipelineTokenizer::encode(std::string_view line) const {
  std::vector<int32_t> ids;
  std::vector<PieceToken> tokens;
  walk(
      line, false, [&](int32_t id, Span) { ids.push_back(id); },
      [&](const AlignedText& word) {
        tokens.clear();
        model_->tokenize(word.text, tokens);
        for (const PieceToken& token : tokens) ids.push_back(token.id);
      });
  return ids;
}

std::vector<Span> PipelineTokenizer::spans(std::string_view line) const {
  std::vector<Span> spans;
  // Two pieces of one character (an accent that fell off it) cannot both have its bytes: the first one does.
  const auto add = [&](Span place) {
    if (!spans.empty()) place.begin = std::max(place.begin, spans.back().end);
    place.end = std::max(place.begin, place.end);
    spans.push_back(place);
  };
  std::vector<PieceToken> tokens;
  walk(
      line, true, [&](int32_t, Span place) { add(place); },
      [&](const AlignedText& word) {
        tokens.clear();
        model_->tokenize(word.text, tokens);
        for (const PieceToken& token : tokens)
          add(word.place(static_cast<size_t>(token.begin), static_cast<size_t>(token.end)));
      });
  return spans;
}

std::vector<std::string> PipelineTokenizer::pieces(std::string_view line) const {
  const std::vector<int32_t> ids = encode(line);
  std::vector<Span> places;
  std::vector<std::string> pieces;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != model_->unknown()) {
      pieces.push_back(piece(ids[i]));
      continue;
    }
    if (places.empty()) places = spans(line);
    const auto [begin, end] = places[i];
    pieces.push_back(label(line.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)), false));
  }
  return pieces;
}

const std::string& PipelineTokenizer::content(int32_t id) const {
  check(id >= 0 && id < size_, "tokenizer", "id {}: expected 0 to {}", id, size_ - 1);
  const AddedToken* added = added_.find(id);
  return added != nullptr ? added->content : model_->table().piece(id);
}

std::string PipelineTokenizer::piece(int32_t id) const {
  return label(content(id), decoder_.byte_level && added_.find(id) == nullptr);
}

std::string PipelineTokenizer::decode(std::span<const int32_t> ids) const {
  std::vector<std::string> pieces;
  for (const int32_t id : ids) {
    const std::string& text = content(id);
    const AddedToken* added = added_.find(id);
    if (added == nullptr || !added->special) pieces.push_back(text);
  }
  return decoder_(std::move(pieces));
}

std::unique_ptr<Tokenizer> pipeline_from(std::string_view kind, std::string_view bytes,
                                         std::string_view source) {
  auto tokenizer = std::make_unique<PipelineTokenizer>(unbundle(bytes, source), source);
  check(tokenizer->kind() == kind, "tokenizer", "{}: a tokenizer of the kind {}: expected {}", source,
        tokenizer->kind(), kind);
  return tokenizer;
}

}  // namespace fovea::data
