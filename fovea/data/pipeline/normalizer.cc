#include "fovea/data/pipeline/normalizer.h"

#include <algorithm>
#include <vector>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/bert_normalizer.h"
#include "fovea/data/pipeline/charsmap.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/file_bundle.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

using nlohmann::json;

Normalizer read_bert(const json& step, std::string_view source) {
  BertNormalizer bert;
  bert.clean = flag_of(step, "clean_text", true, source);
  bert.space_chinese = flag_of(step, "handle_chinese_chars", true, source);
  bert.lowercase = flag_of(step, "lowercase", true, source);
  bert.strip_accents = flag_of(step, "strip_accents", bert.lowercase, source);
  return bert;
}

// Each stretch of white space becomes `to`.
void replace_space(AlignedText& text, std::string_view to) {
  AlignedWriter out(text);
  size_t kept = 0;
  for (size_t at = 0; at < text.text.size();) {
    const size_t from = at;
    size_t end = from;  // of white space
    while (at < text.text.size() && has_flag(next_code(text.text, at), kRegexSpace)) end = at;
    if (end == from) continue;
    out.keep(kept, from);
    out.put(to, from, end);
    at = kept = end;
  }
  out.keep(kept, text.text.size());
  text = out.take();
}

// Two blanks or more become `to`.
void replace_blanks(AlignedText& text, std::string_view to) {
  if (text.text.find("  ") == std::string::npos) return;
  AlignedWriter out(text);
  const std::string_view all = text.text;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find_first_not_of(' ', at), all.size());
    if (end - at >= 2) {
      out.put(to, at, end);
      at = end;
    } else {
      const size_t next = std::min(all.find("  ", at), all.size());
      out.keep(at, next);
      at = next;
    }
  }
  text = out.take();
}

Normalizer read_replace(const json& step, std::string_view source) {
  const json& pattern = value_of(step, "pattern");
  if (value_of(pattern, "Regex") == " {2,}")
    return [to = text_of(step, "content", "", source)](AlignedText& text) { replace_blanks(text, to); };
  if (value_of(pattern, "Regex") == "\\s+")
    return [to = text_of(step, "content", "", source)](AlignedText& text) { replace_space(text, to); };
  check(value_of(pattern, "String").is_string(), "tokenizer",
        "{}: the normalizer Replace has no pattern that is a string: regular expressions are not supported",
        source);
  const std::string from = text_of(pattern, "String", "", source), to = text_of(step, "content", "", source);
  check(!from.empty(), "tokenizer", "{}: the normalizer Replace has an empty pattern", source);
  return [from, to](AlignedText& text) { replace_all(text, from, to); };
}

Normalizer read_sequence(const json& step, std::string_view source) {
  std::vector<Normalizer> steps;
  for (const json& next : list_of(step, "normalizers", source))
    steps.push_back(read_normalizer(next, source));
  return [steps](AlignedText& text) {
    for (const Normalizer& next : steps) next(text);
  };
}

}  // namespace

Normalizer read_normalizer(const json& step, std::string_view source) {
  if (step.is_null()) return [](AlignedText&) {};
  const std::string type = type_of(step, "normalizer", source);
  if (type == "BertNormalizer") return read_bert(step, source);
  if (type == "Sequence") return read_sequence(step, source);
  if (type == "Replace") return read_replace(step, source);
  if (type == "Prepend")
    return [front = text_of(step, "prepend", "", source)](AlignedText& text) {
      if (!text.text.empty()) prepend(text, front);
    };
  if (type == "Lowercase") return lowercase;
  if (type == "NFD") return fall_apart;
  if (type == "NFC") return come_together;
  if (type == "Precompiled")
    return Charsmap(from_base64(text_of(step, "precompiled_charsmap", "", source), source), source);
  fail("tokenizer",
       "{}: the normalizer {} is not supported: expected BertNormalizer, Lowercase, NFC, NFD, Precompiled, "
       "Replace, "
       "Prepend or Sequence",
       source, quote(type));
}

void replace_all(AlignedText& text, std::string_view from, std::string_view to) {
  size_t at = text.text.find(from);
  if (at == std::string::npos) return;
  AlignedWriter out(text);
  size_t kept = 0;
  for (; at != std::string::npos; at = text.text.find(from, kept)) {
    out.keep(kept, at);
    out.put(to, at, at + from.size());
    kept = at + from.size();
  }
  out.keep(kept, text.text.size());
  text = out.take();
}

void prepend(AlignedText& text, std::string_view front) {
  AlignedWriter out(text);
  out.put(front, 0, 0);
  out.keep(0, text.text.size());
  text = out.take();
}

}  // namespace fovea::data
