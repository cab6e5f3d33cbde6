#include "fovea/data/pipeline/pre_tokenizer.h"

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/byte_characters.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/pipeline/normalizer.h"
#include "fovea/data/pipeline/word_patterns.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

using nlohmann::json;

// Replaces every word by the parts that f(word, take) gives to take(from, to).
template <typename F>
void cut_words(std::vector<AlignedText>& words, F&& f) {
  std::vector<AlignedText> parts;
  for (AlignedText& word : words)
    f(std::string_view(word.text), [&](size_t from, size_t to) {
      if (from == 0 && to == word.text.size())
        parts.push_back(word);
      else if (from < to)
        parts.push_back(word.part(from, to));
    });
  words = std::move(parts);
}

// Cuts where characters have one of the flags: at `away` they vanish, at `alone` each is a word.
PreTokenizer cut_at(uint8_t away, uint8_t alone) {
  return [away, alone](std::vector<AlignedText>& words) {
    const uint8_t* flags = character_flags();
    cut_words(words, [&](std::string_view text, auto&& take) {
      size_t first = 0;
      for (size_t at = 0; at < text.size();) {
        const size_t from = at;
        const uint8_t flag = flags[next_code(text, at)];
        if ((flag & (away | alone)) == 0) continue;
        take(first, from);
        if ((flag & away) == 0) take(from, at);
        first = at;
      }
      take(first, text.size());
    });
  };
}

PreTokenizer by_pattern(const WordPattern& pattern) {
  return [pattern](std::vector<AlignedText>& words) {
    cut_words(words, [&](std::string_view text, auto&& take) {
      for (size_t at = 0; at < text.size();) {
        const size_t from = at;
        at = pattern.end_of_word(text, at);
        if (!pattern.leaves_out(text, from)) take(from, at);
      }
    });
  };
}

PreTokenizer read_byte_level(const json& step, std::string_view source) {
  const bool prefix = flag_of(step, "add_prefix_space", true, source);
  const bool cut = flag_of(step, "use_regex", true, source);
  return [prefix, cut, words_of = by_pattern(gpt2_pattern())](std::vector<AlignedText>& words) {
    for (AlignedText& word : words)
      if (prefix && !word.text.starts_with(' ')) prepend(word, " ");
    if (cut) words_of(words);
    for (AlignedText& word : words) to_byte_characters(word);
  };
}

PreTokenizer read_split(const json& step, std::string_view source) {
  const json& pattern = value_of(step, "pattern");
  const bool invert = flag_of(step, "invert", false, source);
  check(value_of(pattern, "Regex").is_string() &&
            text_of(step, "behavior", "", source) == (invert ? "Removed" : "Isolated"),
        "tokenizer",
        "{}: the pre_tokenizer Split is supported with a Regex and the behavior Isolated, or Removed with "
        "invert",
        source);
  const std::string expression = text_of(pattern, "Regex", "", source);
  const WordPattern* known = find_pattern(expression);
  check(known != nullptr && known->bare == invert, "tokenizer",
        "{}: the pre_tokenizer splits by the regular expression {}: only those of GPT-2, Llama 3 and Qwen 2, "
        "and CLIP's with invert, are supported",
        source, quote(expression));
  return by_pattern(*known);
}

PreTokenizer read_metaspace(const json& step, std::string_view source) {
  const std::string mark = text_of(step, "replacement", "\u2581", source);
  // add_prefix_space is how files said it before there was a scheme.
  const std::string scheme = text_of(
      step, "prepend_scheme", flag_of(step, "add_prefix_space", true, source) ? "always" : "never", source);
  check(scheme == "always" || scheme == "first" || scheme == "never", "tokenizer",
        "{}: the prepend_scheme of Metaspace is {}: expected always, first or never", source, quote(scheme));
  check(!mark.empty(), "tokenizer", "{}: the replacement of Metaspace is empty", source);
  const bool cut = flag_of(step, "split", true, source);
  return [=](std::vector<AlignedText>& words) {
    for (AlignedText& word : words) {
      replace_all(word, " ", mark);
      if (scheme == "never" || word.text.starts_with(mark)) continue;
      if (scheme == "always" || word.begin == 0) prepend(word, mark);
    }
    if (!cut) return;
    cut_words(words, [&](std::string_view text, auto&& take) {
      size_t first = 0;
      for (size_t at = text.find(mark); at != std::string_view::npos;
           at = text.find(mark, at + mark.size())) {
        take(first, at);
        first = at;
      }
      take(first, text.size());
    });
  };
}

PreTokenizer read_sequence(const json& step, std::string_view source) {
  std::vector<PreTokenizer> steps;
  for (const json& next : list_of(step, "pretokenizers", source))
    steps.push_back(read_pre_tokenizer(next, source));
  return [steps](std::vector<AlignedText>& words) {
    for (const PreTokenizer& next : steps) next(words);
  };
}

}  // namespace

PreTokenizer read_pre_tokenizer(const json& step, std::string_view source) {
  if (step.is_null()) return [](std::vector<AlignedText>&) {};
  const std::string type = type_of(step, "pre_tokenizer", source);
  if (type == "BertPreTokenizer") return cut_at(kSpace, kPunctuation);
  if (type == "WhitespaceSplit") return cut_at(kSpace, 0);
  if (type == "ByteLevel") return read_byte_level(step, source);
  if (type == "Split") return read_split(step, source);
  if (type == "Metaspace") return read_metaspace(step, source);
  if (type == "Sequence") return read_sequence(step, source);
  fail("tokenizer",
       "{}: the pre_tokenizer {} is not supported: expected BertPreTokenizer, ByteLevel, Metaspace, Split, "
       "WhitespaceSplit or Sequence",
       source, quote(type));
}

}  // namespace fovea::data
