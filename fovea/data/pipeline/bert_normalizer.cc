#include "fovea/data/pipeline/bert_normalizer.h"

#include <algorithm>
#include <array>

#include "fovea/base/small_letters.h"
#include "fovea/base/utf8.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

// The blocks that BERT's first code names. It wrote 2B920 for 2B820, and the vocabularies were made so.
bool is_chinese(uint32_t code) {
  constexpr std::array<uint32_t, 2> kBlocks[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                                 {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                                 {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
  return code >= 0x3400 && std::any_of(std::begin(kBlocks), std::end(kBlocks), [&](const auto& block) {
           return code >= block[0] && code <= block[1];
         });
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Calls f(code, from, to) for each character of the text.
template <typename F>
void for_each_code(std::string_view text, F&& f) {
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const uint32_t code = next_code(text, at);
    f(code, from, at);
  }
}

void clean(AlignedText& text, bool control, bool chinese) {
  AlignedWriter out(text);
  for_each_code(text.text, [&](uint32_t code, size_t from, size_t to) {
    const uint8_t flags = character_flags()[code];
    if (control && (flags & kControl) != 0) return;
    if (control && (flags & kSpace) != 0) {
      out.put(" ", from, to);
    } else if (chinese && is_chinese(code)) {
      out.put(" ", from, from);
      out.keep(from, to);
      out.put(" ", to, to);
    } else {
      out.keep(from, to);
    }
  });
  text = out.take();
}

void strip_marks(AlignedText& text) {
  if (is_ascii(text.text)) return;
  AlignedWriter out(text);
  for_each_code(text.text, [&](uint32_t code, size_t from, size_t to) {
    if (!has_flag(code, kNonspacing)) out.keep(from, to);
  });
  text = out.take();
}

// A character that waits for the marks behind it.
struct Waiting {
  uint32_t code;
  uint8_t rank;
  size_t from, to;
};

}  // namespace

void fall_apart(AlignedText& text) {
  if (is_ascii(text.text)) return;
  AlignedWriter out(text);
  std::vector<Waiting> marks;
  const auto flush = [&] {
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Waiting& a, const Waiting& b) { return a.rank < b.rank; });
    for (const Waiting& mark : marks) {
      std::string bytes;
      append_utf8(bytes, mark.code);
      out.put(bytes, mark.from, mark.to);
    }
    marks.clear();
  };
  std::array<uint32_t, 4> parts;
  for_each_code(text.text, [&](uint32_t code, size_t from, size_t to) {
    const int n = decompose(code, parts);
    if (n == 1 && parts[0] == code && combining_rank(code) == 0) {
      flush();
      out.keep(from, to);
      return;
    }
    for (int i = 0; i < n; ++i) {
      const uint8_t rank = combining_rank(parts[static_cast<size_t>(i)]);
      if (rank == 0) flush();
      marks.push_back({parts[static_cast<size_t>(i)], rank, from, to});
      if (rank == 0) flush();
    }
  });
  flush();
  text = out.take();
}

void lowercase(AlignedText& text) {
  if (is_ascii(text.text)) {
    for (char& c : text.text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return;
  }
  AlignedWriter out(text);
  for_each_code(text.text, [&](uint32_t code, size_t from, size_t to) {
    const SmallLetters small = small_letters(code);
    if (small.first == code) return out.keep(from, to);
    std::string bytes;
    append_utf8(bytes, small.first);
    if (small.second != 0) append_utf8(bytes, small.second);
    out.put(bytes, from, to);
  });
  text = out.take();
}

void BertNormalizer::operator()(AlignedText& text) const {
  if (clean || space_chinese) data::clean(text, clean, space_chinese);
  if (strip_accents) {
    fall_apart(text);
    strip_marks(text);
  }
  if (lowercase) data::lowercase(text);
}

}  // namespace fovea::data
