#include "fovea/data/tokenizers/spm_pipeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/data/tokenizers/spm_model.h"

namespace fovea::data {
namespace {

using nlohmann::json;

// The fields of a message of protocol buffers: f(number, value of a varint, bytes of what has a length). False: it is none.
template <typename F>
bool for_each_field(std::string_view message, F&& f) {
  const auto varint = [&](uint64_t& x) {
    x = 0;
    for (int shift = 0; shift < 64 && !message.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(message.front());
      message.remove_prefix(1);
      x |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  };
  while (!message.empty()) {
    uint64_t tag = 0, x = 0;
    if (!varint(tag)) return false;
    size_t fixed = 0;
    switch (tag & 7) {
      case 0:
        if (!varint(x)) return false;
        f(tag >> 3, x, std::string_view());
        continue;
      case 1:
        fixed = 8;
        break;
      case 2:
        if (!varint(x) || x > message.size()) return false;
        f(tag >> 3, uint64_t{0}, message.substr(0, x));
        fixed = x;
        break;
      case 5:
        fixed = 4;
        break;
      default:
        return false;
    }
    if (fixed > message.size()) return false;
    message.remove_prefix(fixed);
  }
  return true;
}

// What sentencepiece_model.proto calls trainer_spec and normalizer_spec.
struct Spec {
  uint64_t model_type = 1;  // 1 unigram, 2 bpe
  bool prefix = true, squeezes_blanks = true, has_charsmap = false;
  std::vector<bool> given;  // of each piece: whoever trained the model named it, and it is never cut
};

Spec spec_of(std::string_view bytes, std::string_view source) {
  Spec spec;
  const bool whole = for_each_field(bytes, [&](uint64_t field, uint64_t, std::string_view part) {
    if (field == 1) {
      constexpr uint64_t kUserDefined = 4;
      spec.given.push_back(false);
      for_each_field(part, [&](uint64_t key, uint64_t x, std::string_view) {
        if (key == 3) spec.given.back() = x == kUserDefined;
      });
    }
    if (field == 2)
      for_each_field(part, [&](uint64_t key, uint64_t x, std::string_view) {
        if (key == 3) spec.model_type = x;
      });
    if (field == 3)
      for_each_field(part, [&](uint64_t key, uint64_t x, std::string_view text) {
        if (key == 2) spec.has_charsmap = !text.empty();
        if (key == 3) spec.prefix = x != 0;
        if (key == 4) spec.squeezes_blanks = x != 0;
      });
  });
  check(whole, "tokenizer", "{}: no model of SentencePiece", source);
  return spec;
}

struct Merge {
  double score;
  std::string left, right;
  int64_t left_length, right_length;  // in characters
};

// Every way to put a piece together from two others, the best pieces first.
json merges_of(const std::vector<std::string>& pieces, const std::vector<float>& scores) {
  std::unordered_map<std::string_view, int32_t> ids;
  for (size_t i = 0; i < pieces.size(); ++i) ids.emplace(pieces[i], static_cast<int32_t>(i));
  const auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  std::vector<Merge> merges;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i];
    const size_t first = merges.size();
    const auto all = std::count_if(piece.begin(), piece.end(), is_begin);
    int64_t before = 1;
    for (size_t at = 1; at < piece.size(); ++at) {
      if (!is_begin(piece[at])) continue;
      const std::string_view left = piece.substr(0, at), right = piece.substr(at);
      if (ids.contains(left) && ids.contains(right))
        merges.push_back({scores[i], std::string(left), std::string(right), before, all - before});
      ++before;
    }
    std::sort(merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end(),
              [&](const Merge& a, const Merge& b) {
                return std::pair(ids[a.left], ids[a.right]) < std::pair(ids[b.left], ids[b.right]);
              });
  }
  std::stable_sort(merges.begin(), merges.end(), [](const Merge& a, const Merge& b) {
    return std::tuple(a.score, a.left_length, a.right_length) >
           std::tuple(b.score, b.left_length, b.right_length);
  });
  json list = json::array();
  for (const Merge& merge : merges) list.push_back(json::array({merge.left, merge.right}));
  return list;
}

}  // namespace

json spm_pipeline(std::string_view bytes, std::string_view source) {
  const SpmModel model(bytes, source);
  const sentencepiece::SentencePieceProcessor& spm = model.processor();
  const Spec spec = spec_of(bytes, source);
  check(spec.model_type == 2 && !spec.has_charsmap && !spec.squeezes_blanks, "tokenizer",
        "{}: a SentencePiece model that is not byte-pair encoding of text as it is written, as Llama's is: "
        "save "
        "tokenizer.json with transformers, which is read, too",
        source);
  std::vector<std::string> pieces;
  std::vector<float> scores;
  json vocab = json::object(), added = json::array();
  bool has_bytes = false;
  for (int id = 0; id < spm.GetPieceSize(); ++id) {
    const std::string& piece = spm.IdToPiece(id);
    vocab[piece] = id;
    pieces.push_back(piece);
    scores.push_back(spm.GetScore(id));
    has_bytes = has_bytes || spm.IsByte(id);
    const bool special = spm.IsControl(id) || spm.IsUnknown(id);
    if (special || spec.given.at(static_cast<size_t>(id)))
      added.push_back({{"id", id},
                       {"content", piece},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", special}});
  }
  const std::string mark = "\u2581";
  json normalizers = json::array();
  if (spec.prefix) normalizers.push_back({{"type", "Prepend"}, {"prepend", mark}});
  normalizers.push_back({{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", mark}});
  json decoders = json::array({{{"type", "Replace"}, {"pattern", {{"String", mark}}}, {"content", " "}},
                               {{"type", "ByteFallback"}},
                               {{"type", "Fuse"}}});
  if (spec.prefix) decoders.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  json made = {{"version", "1.0"},
               {"added_tokens", added},
               {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
               {"pre_tokenizer", nullptr},
               {"post_processor", nullptr},
               {"decoder", {{"type", "Sequence"}, {"decoders", decoders}}},
               {"model",
                {{"type", "BPE"},
                 {"unk_token", spm.unk_id() >= 0 ? json(spm.IdToPiece(spm.unk_id())) : json()},
                 {"fuse_unk", true},
                 {"byte_fallback", has_bytes},
                 {"ignore_merges", false},
                 {"vocab", std::move(vocab)},
                 {"merges", merges_of(pieces, scores)}}}};
  if (spm.bos_id() >= 0) {
    const std::string& begin = spm.IdToPiece(spm.bos_id());
    const auto line = [](const char* name, int type) -> json {
      return {{"Sequence", {{"id", name}, {"type_id", type}}}};
    };
    const auto special = [&](int type) -> json {
      return {{"SpecialToken", {{"id", begin}, {"type_id", type}}}};
    };
    made["post_processor"] = {
        {"type", "TemplateProcessing"},
        {"single", json::array({special(0), line("A", 0)})},
        {"pair", json::array({special(0), line("A", 0), special(1), line("B", 1)})},
        {"special_tokens",
         {{begin, {{"id", begin}, {"ids", json::array({spm.bos_id()})}, {"tokens", json::array({begin})}}}}}};
  }
  return made;
}

}  // namespace fovea::data
