#include "fovea/data/pipeline/decoder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/byte_characters.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

using nlohmann::json;
using Pieces = std::vector<std::string>;

constexpr int64_t kMostStripped = 1000;

void replace_in(std::string& text, std::string_view from, std::string_view to) {
  size_t at = text.find(from);
  if (at == std::string::npos) return;
  std::string out;
  size_t kept = 0;
  for (; at != std::string::npos; at = text.find(from, kept)) {
    out.append(text, kept, at - kept).append(to);
    kept = at + from.size();
  }
  text = out.append(text, kept);
}

// English, as BERT's users know it.
void clean_up(std::string& text) {
  constexpr std::array<std::array<std::string_view, 2>, 11> kRows = {{{" .", "."},
                                                                      {" ?", "?"},
                                                                      {" !", "!"},
                                                                      {" ,", ","},
                                                                      {" ' ", "'"},
                                                                      {" n't", "n't"},
                                                                      {" 'm", "'m"},
                                                                      {" do not", " don't"},
                                                                      {" 's", "'s"},
                                                                      {" 've", "'ve"},
                                                                      {" 're", "'re"}}};
  for (const auto& [from, to] : kRows) replace_in(text, from, to);
}

Decoder::Step read_wordpiece(const json& step, std::string_view source) {
  return [mark = text_of(step, "prefix", "##", source),
          clean = flag_of(step, "cleanup", true, source)](Pieces& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      std::string& piece = pieces[i];
      if (i > 0 && piece.starts_with(mark))
        piece.erase(0, mark.size());
      else if (i > 0)
        piece.insert(0, " ");
      if (clean) clean_up(piece);
    }
  };
}

void from_byte_characters(Pieces& pieces) {
  std::string bytes, text;
  for (const std::string& piece : pieces) bytes += bytes_of_piece(piece).value_or(piece);
  append_lossy(text, bytes);
  pieces = {text};
}

Decoder::Step read_metaspace(const json& step, std::string_view source) {
  const std::string mark = text_of(step, "replacement", "\u2581", source);
  const bool prefixed = text_of(step, "prepend_scheme", "always", source) != "never" &&
                        flag_of(step, "add_prefix_space", true, source);
  check(!mark.empty(), "tokenizer", "{}: the replacement of Metaspace is empty", source);
  return [mark, prefixed](Pieces& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) replace_in(pieces[i], mark, i == 0 && prefixed ? "" : " ");
  };
}

Decoder::Step read_replace(const json& step, std::string_view source) {
  const json& pattern = value_of(step, "pattern");
  const std::string from = pattern.is_object() ? text_of(pattern, "String", "", source) : "";
  check(!from.empty(), "tokenizer",
        "{}: the decoder Replace has no pattern that is a string: regular expressions are not supported",
        source);
  return [from, to = text_of(step, "content", "", source)](Pieces& pieces) {
    for (std::string& piece : pieces) replace_in(piece, from, to);
  };
}

// The byte of "<0x0A>"; -1: it is another piece.
int byte_of(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  int byte = 0;
  for (const char c : piece.substr(3, 2)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                             : -1;
    if (digit < 0) return -1;
    byte = byte * 16 + digit;
  }
  return byte;
}

void from_fallback(Pieces& pieces) {
  Pieces out;
  std::string bytes;
  const auto flush = [&] {
    if (find_invalid_utf8(bytes) == std::string::npos) {
      if (!bytes.empty()) out.push_back(bytes);
    } else {
      out.insert(out.end(), bytes.size(), std::string(kReplacementCharacter));
    }
    bytes.clear();
  };
  for (std::string& piece : pieces) {
    if (const int byte = byte_of(piece); byte >= 0) {
      bytes += static_cast<char>(byte);
      continue;
    }
    flush();
    out.push_back(std::move(piece));
  }
  flush();
  pieces = std::move(out);
}

void fuse(Pieces& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  pieces = {all};
}

Decoder::Step read_strip(const json& step, std::string_view source) {
  const std::string content = text_of(step, "content", " ", source);
  const int64_t start = number_of(step, "start", 0, kMostStripped, source);
  const int64_t stop = number_of(step, "stop", 0, kMostStripped, source);
  check(!content.empty(), "tokenizer", "{}: the content of Strip is empty", source);
  return [=](Pieces& pieces) {
    for (std::string& piece : pieces) {
      for (int64_t i = 0; i < start && piece.starts_with(content); ++i) piece.erase(0, content.size());
      for (int64_t i = 0; i < stop && piece.ends_with(content); ++i)
        piece.resize(piece.size() - content.size());
    }
  };
}

void add_step(const json& step, std::string_view source, Decoder& decoder) {
  const std::string type = type_of(step, "decoder", source);
  if (type == "Sequence") {
    for (const json& next : list_of(step, "decoders", source)) add_step(next, source, decoder);
  } else if (type == "WordPiece") {
    decoder.steps.push_back(read_wordpiece(step, source));
  } else if (type == "ByteLevel") {
    decoder.steps.emplace_back(from_byte_characters);
    decoder.byte_level = true;
  } else if (type == "Metaspace") {
    decoder.steps.push_back(read_metaspace(step, source));
  } else if (type == "Replace") {
    decoder.steps.push_back(read_replace(step, source));
  } else if (type == "ByteFallback") {
    decoder.steps.emplace_back(from_fallback);
  } else if (type == "Fuse") {
    decoder.steps.emplace_back(fuse);
  } else if (type == "Strip") {
    decoder.steps.push_back(read_strip(step, source));
  } else {
    fail("tokenizer",
         "{}: the decoder {} is not supported: expected WordPiece, ByteLevel, Metaspace, Replace, "
         "ByteFallback, Fuse, "
         "Strip or Sequence",
         source, quote(type));
  }
}

}  // namespace

std::string Decoder::operator()(std::vector<std::string> pieces) const {
  for (const Step& step : steps) step(pieces);
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += between;
    text += pieces[i];
  }
  return text;
}

Decoder::Step words_end_with(std::string end) {
  return [end = std::move(end)](Pieces& pieces) {
    fuse(pieces);
    std::string& text = pieces.front();
    replace_in(text, end, " ");
    // As Python has it, U+001C to U+001F are white space, too.
    const auto is_space = [](uint32_t code) {
      return has_flag(code, kRegexSpace) || (code >= 0x1C && code <= 0x1F);
    };
    size_t first = text.size(), last = 0;  // of what stays
    for (size_t at = 0; at < text.size();) {
      const size_t from = at;
      if (is_space(next_code(text, at))) continue;
      first = std::min(first, from);
      last = at;
    }
    text = first < last ? text.substr(first, last - first) : "";
  };
}

Decoder read_decoder(const json& step, std::string_view source) {
  Decoder decoder;
  if (step.is_null())
    decoder.between = " ";
  else
    add_step(step, source, decoder);
  return decoder;
}

}  // namespace fovea::data
