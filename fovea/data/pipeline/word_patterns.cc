#include "fovea/data/pipeline/word_patterns.h"

#include <initializer_list>
#include <iterator>

#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

constexpr WordPattern kPatterns[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     true, 3},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     true, 1},
    {R"('s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)", false, 1, true},
    {R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)", false,
     1, true, true},
};

constexpr uint8_t kOther = 0;  // neither letter, number nor space
constexpr uint8_t kClasses = kLetter | kNumber | kRegexSpace;

// A place in the text, with the character there.
struct Cursor {
  std::string_view text;
  size_t at = 0, next = 0;
  uint32_t code = 0;
  uint8_t kind = kOther;

  Cursor(std::string_view t, size_t from) : text(t) { move(from); }
  bool there() const { return at < text.size(); }
  void move(size_t to) {
    at = next = to;
    if (!there()) return;
    code = next_code(text, next);
    kind = character_flags()[code] & kClasses;
  }
  void step() { move(next); }
  bool is_line_end() const { return there() && (code == '\r' || code == '\n'); }
  // Goes on while characters are of this kind, at most `most` of them.
  size_t skip(uint8_t wanted, int most = 0) {
    for (int n = 0; there() && kind == wanted && (most == 0 || n < most); ++n) step();
    return at;
  }
};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The length of 's, 't, 're, ... at the front; 0: none. Where case is ignored, the long s (U+017F) is an s too.
size_t contraction(std::string_view text, bool ignore_case) {
  if (text.size() < 2 || text[0] != '\'') return 0;
  for (const std::string_view end : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    if (text.size() < 1 + end.size()) continue;
    bool same = true;
    for (size_t i = 0; i < end.size(); ++i)
      same &= (ignore_case ? small(text[1 + i]) : text[1 + i]) == end[i];
    if (same) return 1 + end.size();
  }
  return ignore_case && text.substr(1).starts_with("\u017F") ? 3 : 0;
}

// White space at the cursor: up to its last line end where lines count; otherwise all of it, but for the last character
// where a word follows and there is more than one.
size_t end_of_space(Cursor c, bool lines) {
  size_t last = c.at, line_end = 0;
  bool several = false;
  const size_t first = c.at;
  for (; c.there() && c.kind == kRegexSpace; c.step()) {
    several = c.at > first;
    last = c.at;
    if (c.is_line_end()) line_end = c.next;
  }
  if (lines && line_end > 0) return line_end;
  return c.there() && several ? last : c.at;
}

}  // namespace

size_t WordPattern::end_of_word(std::string_view text, size_t at) const {
  for (const std::string_view mark : {"<|startoftext|>", "<|endoftext|>"})
    if (marks && text.substr(at).starts_with(mark)) return at + mark.size();
  if (const size_t length = contraction(text.substr(at), lines); length > 0) return at + length;
  Cursor here(text, at), behind(text, here.next);  // the first character and the second one
  const bool blank = !bare && here.code == ' ';
  if (here.kind == kLetter) return here.skip(kLetter);
  const bool may_lead = lines ? here.kind != kNumber && !here.is_line_end() : blank;
  if (may_lead && behind.there() && behind.kind == kLetter) return behind.skip(kLetter);
  if (here.kind == kNumber) return here.skip(kNumber, digits);
  if (digits == 0 && blank && behind.there() && behind.kind == kNumber) return behind.skip(kNumber);
  const bool other_behind = blank && behind.there() && behind.kind == kOther;
  if (here.kind == kOther || other_behind) {
    Cursor& c = other_behind ? behind : here;
    c.skip(kOther);
    while (lines && c.is_line_end()) c.step();
    return c.at;
  }
  return end_of_space(here, lines);
}

bool WordPattern::leaves_out(std::string_view text, size_t at) const {
  return bare && Cursor(text, at).kind == kRegexSpace;
}

const WordPattern& gpt2_pattern() { return kPatterns[0]; }
const WordPattern& clip_pattern() { return std::end(kPatterns)[-1]; }

const WordPattern* find_pattern(std::string_view expression) {
  for (const WordPattern& pattern : kPatterns)
    if (pattern.expression == expression) return &pattern;
  return nullptr;
}

}  // namespace fovea::data
