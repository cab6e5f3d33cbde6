#include "fovea/data/pipeline/charsmap.h"

#include <algorithm>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/base/utf8.h"
#include "fovea/data/grapheme_marks.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

// A unit of a double-array trie (Darts-clone).
bool has_leaf(uint32_t unit) { return (unit >> 8 & 1) != 0; }
uint32_t value(uint32_t unit) { return unit & 0x7FFFFFFF; }
uint32_t label(uint32_t unit) { return unit & 0x800000FF; }
uint32_t offset(uint32_t unit) { return (unit >> 10) << ((unit & 1U << 9) >> 6); }

constexpr size_t kShort = 6;  // characters together are looked up as one below so many bytes

// Marks, joiners and what else is written on or around the character before it.
bool follows(uint32_t code) {
  const auto* found = std::upper_bound(std::begin(kGraphemeMarks), std::end(kGraphemeMarks), code,
                                       [](uint32_t c, const GraphemeRun& run) { return c < run.first; });
  return found != std::begin(kGraphemeMarks) && code <= (found - 1)->last;
}
bool is_control(uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD; }

}  // namespace

Charsmap::Charsmap(std::string_view bytes, std::string_view source) {
  uint32_t size = 0;
  const bool begins = bytes.size() >= sizeof(size);
  if (begins) std::memcpy(&size, bytes.data(), sizeof(size));
  check(begins && size % sizeof(uint32_t) == 0 && size > 0 && size <= bytes.size() - sizeof(size),
        "tokenizer", "{}: precompiled_charsmap is no table of characters", source);
  units_.resize(size / sizeof(uint32_t));
  std::memcpy(units_.data(), bytes.data() + sizeof(size), size);
  strings_ = bytes.substr(sizeof(size) + size);
  check(find_invalid_utf8(strings_) == std::string_view::npos, "tokenizer",
        "{}: precompiled_charsmap has strings that are not UTF-8", source);
}

bool Charsmap::find(std::string_view text, std::string_view& becomes) const {
  uint32_t node = offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return false;
    node ^= byte;
    if (node >= units_.size() || label(units_[node]) != byte) return false;
    const uint32_t unit = units_[node];
    node ^= offset(unit);
    if (node >= units_.size()) return false;
    if (!has_leaf(unit)) continue;
    const size_t at = value(units_[node]);
    if (at > strings_.size()) return false;
    becomes = std::string_view(strings_).substr(at, strings_.find('\0', at) - at);
    return true;
  }
  return false;
}

void Charsmap::operator()(AlignedText& text) const {
  AlignedWriter out(text);
  const std::string_view all = text.text;
  std::string_view becomes;
  const auto one_by_one = [&](size_t from, size_t to) {
    for (size_t at = from; at < to;) {
      size_t next = at;
      next_code(all, next);
      if (find(all.substr(at, next - at), becomes))
        out.put(becomes, at, next);
      else
        out.keep(at, next);
      at = next;
    }
  };
  for (size_t at = 0; at < all.size();) {
    size_t end = at;
    const uint32_t first = next_code(all, end);
    if (first == '\r' && end < all.size() && all[end] == '\n') {
      ++end;
    } else if (!is_control(first)) {
      for (size_t next = end; next < all.size(); end = next)
        if (!follows(next_code(all, next))) break;
    }
    if (end - at < kShort && find(all.substr(at, end - at), becomes))
      out.put(becomes, at, end);
    else
      one_by_one(at, end);
    at = end;
  }
  text = out.take();
}

}  // namespace fovea::data
