#include "fovea/metrics/bleu_tokenizers.h"

#include <algorithm>
#include <iterator>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/metrics/words.h"

namespace fovea::metrics {
namespace {

// The steps below are substitutions of regular expressions, left to right, where what was replaced is not looked
// at again. They work on bytes: all they look for is ASCII, which is no part of another character.

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_point(char c) { return c == '.' || c == ','; }

// ASCII punctuation but ' , - and .
bool is_separate(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// c -> " c " for punctuation
void space_punctuation(std::string_view in, std::string& out) {
  out.clear();
  for (const char c : in) {
    if (is_separate(c)) {
      out += {' ', c, ' '};
    } else {
      out += c;
    }
  }
}

// Replaces pairs of bytes ab with first(a) and second(b) by: before a between b after.
template <typename First, typename Second>
void space_pairs(std::string_view in, std::string& out, First&& first, Second&& second,
                 std::string_view before, std::string_view after) {
  out.clear();
  for (size_t i = 0; i < in.size(); ++i) {
    if (first(in[i]) && i + 1 < in.size() && second(in[i + 1])) {
      out.append(before) += {in[i], ' ', in[i + 1]};
      out.append(after);
      ++i;
    } else {
      out += in[i];
    }
  }
}

// The part for western languages of mteval-v13a. Leaves its result in `text`.
void separate_western(std::string& text) {
  const auto no_digit = [](char c) { return !is_digit(c); };
  thread_local std::string other;
  space_punctuation(text, other);
  space_pairs(other, text, no_digit, is_point, "", " ");  // a point, unless a digit stands before it
  space_pairs(text, other, is_point, no_digit, " ", "");  // or after it
  space_pairs(
      other, text, is_digit, [](char c) { return c == '-'; }, "", " ");  // a dash after a digit
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  size_t from = 0, at = text.find(what);
  if (at == std::string::npos) return;
  std::string out;
  for (; at != std::string::npos; at = text.find(what, from)) {
    out.append(text, from, at - from).append(by);
    from = at + what.size();
  }
  text = out.append(text, from);
}

void spaced_13a(std::string_view line, std::string& out) {
  out = line;
  replace_all(out, "<skipped>", "");
  replace_all(out, "-\n", "");
  replace_all(out, "\n", " ");
  replace_all(out, "&quot;", "\"");
  replace_all(out, "&amp;", "&");
  replace_all(out, "&lt;", "<");
  replace_all(out, "&gt;", ">");
  out.insert(0, 1, ' ') += ' ';  // so that a point at either end has a neighbour
  separate_western(out);
}

void spaced_none(std::string_view line, std::string& out) { out = line; }

void spaced_char(std::string_view line, std::string& out) {
  out.clear();
  for_each_character(line, [&](std::string_view character, uint32_t) { out.append(character) += ' '; });
}

// What sacreBLEU takes for Chinese. Its ranges for the supplementary planes, written with four hex digits, mean
// U+2001 to U+2A6D and U+2F81 to U+2FA1 instead; so they do here.
bool is_chinese(uint32_t code) {
  constexpr struct {
    uint32_t first, last;
  } kRanges[] = {{0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x303F},
                 {0x3100, 0x312F}, {0x31A0, 0x31BF}, {0x31C0, 0x31EF}, {0x3200, 0x33FF},
                 {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
                 {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
  return std::any_of(std::begin(kRanges), std::end(kRanges),
                     [&](const auto& range) { return code >= range.first && code <= range.last; });
}

void spaced_zh(std::string_view line, std::string& out) {
  out.clear();
  bool started = false;  // white space at the beginning goes, or a point there would have a neighbour
  for_each_character(line, [&](std::string_view character, uint32_t code) {
    if (!started && is_space(code)) return;
    started = true;
    if (is_chinese(code)) {
      (out += ' ').append(character) += ' ';
    } else {
      out += character;
    }
  });
  separate_western(out);
}

constexpr BleuTokenizer kTokenizers[] = {
    {"13a", "as mteval-v13a: punctuation stands alone", spaced_13a},
    {"none", "at white space only", spaced_none},
    {"char", "every character", spaced_char},
    {"zh", "every Chinese character, the rest as 13a", spaced_zh},
};

}  // namespace

std::span<const BleuTokenizer> bleu_tokenizers() { return kTokenizers; }

const BleuTokenizer& bleu_tokenizer_named(std::string_view name) {
  std::vector<std::string> names;
  for (const BleuTokenizer& tokenizer : kTokenizers) {
    if (tokenizer.name == name) return tokenizer;
    names.emplace_back(tokenizer.name);
  }
  fail("bleu", "{} is not a tokenizer of BLEU: expected {}", quote(name),
       fmt::format("{}", fmt::join(nearest(name, names, names.size()), ", ")));
}

}  // namespace fovea::metrics
