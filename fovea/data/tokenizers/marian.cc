// MarianMT (transformers' MarianTokenizer): pieces by a SentencePiece model for each side, ids by a vocab.json that both sides
// share (or by one each, where tokenizer_config.json says separate_vocabs). A code of the language to write, ">>de<<", may stand
// before the text. As a file: the files of the directory, and which side this is.
#include <algorithm>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"
#include "fovea/data/blanks.h"
#include "fovea/data/pipeline/added_tokens.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/tokenizers/spm_model.h"
#include "fovea/data/tokenizers/tokenizers.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

using nlohmann::json;

constexpr const char* kSide = "side";  // the entry of the file that is not the directory's

const std::string& file_of(const NamedFiles& files, const std::string& name, std::string_view source) {
  const auto found = files.find(name);
  check(found != files.end(), "tokenizer",
        "{}: {} is missing: a MarianMT tokenizer needs source.spm, target.spm and vocab.json", source, name);
  return found->second;
}

json config_of(const NamedFiles& files, std::string_view source) {
  const auto found = files.find("tokenizer_config.json");
  return found == files.end()
             ? json::object()
             : parse_json(found->second, "tokenizer", fmt::format("{}/tokenizer_config.json", source));
}

// White space as Python's str.strip() knows it.
bool is_stripped(uint32_t code) { return has_flag(code, kSpace) || (code >= 0x1C && code <= 0x1F); }

std::string stripped(std::string_view text) {
  size_t begin = 0, end = 0;
  bool any = false;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    if (is_stripped(next_code(text, at))) continue;
    if (!std::exchange(any, true)) begin = from;
    end = at;
  }
  return std::string(text.substr(begin, end - begin));
}

// The length of a code of a language at the front, ">>de<<"; 0: none.
size_t code_length(std::string_view text) {
  if (!text.starts_with(">>")) return 0;
  const size_t end = text.find("<<");
  return end == std::string_view::npos ? 0 : end + 2;
}

class MarianTokenizer : public Tokenizer {
 public:
  MarianTokenizer(const NamedFiles& files, bool target, std::string_view source)
      : MarianTokenizer(files, target, source, config_of(files, source)) {}

  std::string_view kind() const override { return "marian"; }
  int64_t size() const override { return table_.size(); }
  SpecialIds special_ids() const override { return {pad_, unk_, pad_, eos_}; }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    walk(line, [&](int32_t id, std::string_view, Span) { ids.push_back(id); });
    return ids;
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> pieces;
    walk(line, [&](int32_t, std::string_view piece, Span) { pieces.push_back(label(piece)); });
    return pieces;
  }
  std::vector<Span> spans(std::string_view line) const override {
    std::vector<Span> spans;
    walk(line, [&](int32_t, std::string_view, Span place) { spans.push_back(place); });
    return spans;
  }
  std::vector<int32_t> with_specials(std::span<const int32_t> ids) const override {
    return with_specials(ids, {});
  }
  std::vector<int32_t> with_specials(std::span<const int32_t> first,
                                     std::span<const int32_t> second) const override {
    std::vector<int32_t> all = Tokenizer::with_specials(first, second);
    all.push_back(eos_);
    return all;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<std::string> said;
    for (const int32_t id : ids) {
      check_id(id);
      if (id != pad_ && id != eos_ && id != unk_) said.push_back(table_.piece(id));
    }
    std::string line;
    const auto status = model_.processor().Decode(said, &line);
    check(status.ok(), "tokenizer", "SentencePiece cannot write these pieces: {}", status.message());
    for (size_t at = 0; (at = line.find(kBlankLabel, at)) != std::string::npos; ++at)
      line.replace(at, kBlankLabel.size(), " ");
    return stripped(line);
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return label(table_.piece(id));
  }
  std::string serialized() const override {
    NamedFiles all = files_;
    all[kSide] = target_ ? "target" : "source";
    return bundle(all);
  }
  std::vector<std::pair<std::string, std::string>> hf_files() const override {
    return {files_.begin(), files_.end()};
  }

 private:
  MarianTokenizer(const NamedFiles& files, bool target, std::string_view source, const json& config)
      : files_(files),
        target_(target),
        model_(file_of(files, target ? "target.spm" : "source.spm", source),
               fmt::format("{}/{}.spm", source, target ? "target" : "source")),
        table_(read_table(
            files,
            target && flag_of(config, "separate_vocabs", false, source) ? "target_vocab.json" : "vocab.json",
            source)) {
    files_.erase(kSide);
    json added = json::array();
    const auto special = [&](const char* key, const char* usual) {
      const json& named = value_of(config, key);
      const std::string name =
          named.is_object() ? text_of(named, "content", usual, source) : text_of(config, key, usual, source);
      const int32_t id = table_.id_of(name);
      check(id >= 0, "tokenizer", "{}: the vocabulary has no {}, the {} of a MarianMT model", source,
            quote(name), key);
      added.push_back({{"content", name}, {"id", id}, {"special", true}});
      return id;
    };
    eos_ = special("eos_token", "</s>");
    unk_ = special("unk_token", "<unk>");
    pad_ = special("pad_token", "<pad>");
    added_ = AddedTokens(
        added, table_, [](AlignedText&) {}, source);
  }

  static PieceTable read_table(const NamedFiles& files, const std::string& name, std::string_view source) {
    const std::string path = fmt::format("{}/{}", source, name);
    return PieceTable::read(parse_json(file_of(files, name, source), "tokenizer", path), path);
  }
  static std::string label(std::string_view piece) {
    std::string text;
    for (const char c : piece) text += is_blank(c) ? std::string(kBlankLabel) : std::string(1, c);
    return text;
  }
  void check_id(int32_t id) const {
    check(id >= 0 && id < size(), "tokenizer", "id {}: expected 0 to {}", id, size() - 1);
  }

  // Calls f(id, piece, place in the line).
  template <typename F>
  void walk(std::string_view line, F&& f) const {
    for (const Stretch& some : added_.cut(line, false)) {
      std::string_view text = line.substr(some.begin, some.end - some.begin);
      auto at = static_cast<int32_t>(some.begin);
      const auto say = [&](std::string_view piece, Span place) {
        const int32_t id = table_.id_of(piece);
        f(id < 0 ? unk_ : id, piece, place);
      };
      if (some.id >= 0) {
        say(text, {at, static_cast<int32_t>(some.end)});
        continue;
      }
      if (const size_t code = code_length(text); code > 0) {
        say(text.substr(0, code), {at, at + static_cast<int32_t>(code)});
        text.remove_prefix(code);
        at += static_cast<int32_t>(code);
      }
      model_.for_each_piece(text, [&](const std::string& piece, Span place) {
        say(piece, {at + place.begin, at + place.end});
      });
    }
  }

  NamedFiles files_;
  bool target_;
  SpmModel model_;
  PieceTable table_;
  AddedTokens added_;
  int32_t eos_ = -1, unk_ = -1, pad_ = -1;
};

}  // namespace

std::unique_ptr<Tokenizer> make_marian(const NamedFiles& files, bool target, std::string_view source) {
  return std::make_unique<MarianTokenizer>(files, target, source);
}

std::unique_ptr<Tokenizer> marian_from(std::string_view bytes, std::string_view source) {
  const NamedFiles files = unbundle(bytes, source);
  const auto side = files.find(kSide);
  check(side != files.end() && (side->second == "source" || side->second == "target"), "tokenizer",
        "{}: not the file of a MarianMT tokenizer: it does not say which side it is", source);
  return make_marian(files, side->second == "target", source);
}

}  // namespace fovea::data
