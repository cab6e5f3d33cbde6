// NFC: characters fall apart, and what a letter and its marks have one character for comes together.
#include <array>
#include <unordered_map>
#include <vector>

#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/bert_normalizer.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

// Characters that fall apart and never come together again: Unicode's composition exclusions.
constexpr uint32_t kExcluded[][2] = {
    {0x958, 0x95F},     {0x9DC, 0x9DD},    {0x9DF, 0x9DF}, {0xA33, 0xA33}, {0xA36, 0xA36},   {0xA59, 0xA5B},
    {0xA5E, 0xA5E},     {0xB5C, 0xB5D},    {0xF43, 0xF43}, {0xF4D, 0xF4D}, {0xF52, 0xF52},   {0xF57, 0xF57},
    {0xF5C, 0xF5C},     {0xF69, 0xF69},    {0xF76, 0xF76}, {0xF78, 0xF78}, {0xF93, 0xF93},   {0xF9D, 0xF9D},
    {0xFA2, 0xFA2},     {0xFA7, 0xFA7},    {0xFAC, 0xFAC}, {0xFB9, 0xFB9}, {0x2ADC, 0x2ADC}, {0xFB1D, 0xFB4E},
    {0x1D15E, 0x1D164}, {0x1D1BB, 0x1D1C0}};

uint64_t pair_key(uint32_t first, uint32_t second) { return uint64_t{first} << 32 | second; }

// Pairs of characters, and the one that both are together.
const std::unordered_map<uint64_t, uint32_t>& compositions() {
  static const auto table = [] {
    std::unordered_map<std::u32string, uint32_t> whole;  // what falls apart into it
    std::unordered_map<uint64_t, uint32_t> pairs;
    std::array<uint32_t, 4> parts;
    const auto excluded = [](uint32_t code) {
      for (const auto& [first, last] : kExcluded)
        if (code >= first && code <= last) return true;
      return false;
    };
    const auto each = [&](auto&& f) {
      for (uint32_t code = 0xC0; code < 0x30000; ++code)
        if (const int n = decompose(code, parts);
            n >= 2 && !excluded(code) && combining_rank(parts[0]) == 0 && (code < 0xAC00 || code > 0xD7A3))
          f(code, std::u32string(parts.begin(), parts.begin() + n));
    };
    each([&](uint32_t code, const std::u32string& text) { whole.emplace(text, code); });
    each([&](uint32_t code, const std::u32string& text) {
      const std::u32string front = text.substr(0, text.size() - 1);
      const auto found = whole.find(front);
      if (front.size() == 1)
        pairs.emplace(pair_key(front[0], text.back()), code);
      else if (found != whole.end())
        pairs.emplace(pair_key(found->second, text.back()), code);
    });
    return pairs;
  }();
  return table;
}

// 0: they stay two.
uint32_t together(uint32_t first, uint32_t second) {
  constexpr uint32_t kL = 0x1100, kV = 0x1161, kT = 0x11A7, kS = 0xAC00;  // Hangul
  if (first - kL < 19 && second - kV < 21) return kS + ((first - kL) * 21 + second - kV) * 28;
  if (first - kS < 11172 && (first - kS) % 28 == 0 && second - kT - 1 < 27) return first + second - kT;
  const auto found = compositions().find(pair_key(first, second));
  return found == compositions().end() ? 0 : found->second;
}

struct Character {
  uint32_t code;
  uint8_t rank;
  size_t from, to;
  bool changed = false;
};

}  // namespace

void come_together(AlignedText& text) {
  bool ascii = true;
  for (const char c : text.text) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
  if (ascii) return;
  fall_apart(text);
  std::vector<Character> characters;
  size_t starter = SIZE_MAX;  // the last character that is no mark
  uint8_t last = 0;           // the rank of what stands behind it
  for (size_t at = 0; at < text.text.size();) {
    const size_t from = at;
    const uint32_t code = next_code(text.text, at);
    const uint8_t rank = combining_rank(code);
    if (starter != SIZE_MAX) {
      const bool beside = starter + 1 == characters.size();
      const uint32_t one = beside || last < rank ? together(characters[starter].code, code) : 0;
      if (one != 0 && (beside || last != 0)) {
        characters[starter].code = one;
        characters[starter].to = std::max(characters[starter].to, at);
        characters[starter].changed = true;
        continue;
      }
    }
    if (rank == 0) starter = characters.size();
    last = rank;
    characters.push_back({code, rank, from, at});
  }
  AlignedWriter out(text);
  std::string bytes;
  for (const Character& c : characters) {
    bytes.clear();
    append_utf8(bytes, c.code);
    if (c.changed)
      out.put(bytes, c.from, c.to);
    else
      out.keep(c.from, c.to);
  }
  text = out.take();
}

}  // namespace fovea::data
