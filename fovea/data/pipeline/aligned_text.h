// Text on its way through a tokenizer, and where each of its bytes comes from in the line. Following the places costs time,
// and only those who ask for spans do it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::data {

struct AlignedText {
  std::string text;
  bool followed = false;
  std::vector<Span> places;  // where followed: of each byte of the text
  int32_t begin = 0;         // where in the line this text began

  // The text of a line from `first` on.
  static AlignedText of(std::string_view line, int32_t first, bool followed) {
    AlignedText all{std::string(line), followed, {}, first};
    for (int32_t i = 0; followed && i < static_cast<int32_t>(line.size()); ++i)
      all.places.push_back({first + i, first + i + 1});
    return all;
  }
  AlignedText part(size_t from, size_t to) const {
    AlignedText some{text.substr(from, to - from), followed, {}, begin};
    if (followed)
      some.places.assign(places.begin() + static_cast<std::ptrdiff_t>(from),
                         places.begin() + static_cast<std::ptrdiff_t>(to));
    if (followed && from < to) some.begin = some.places.front().begin;
    if (!followed && from > 0)
      some.begin = begin + 1;  // somewhere behind: whether it is 0 is all that is asked then
    return some;
  }
  // Bytes [from, to) of the text as bytes of the line.
  Span place(size_t from, size_t to) const {
    Span span{places[from].begin, places[from].end};
    for (size_t i = from; i < to; ++i)
      span = {std::min(span.begin, places[i].begin), std::max(span.end, places[i].end)};
    return span;
  }
};

// Writes a new text while an old one is read.
class AlignedWriter {
 public:
  explicit AlignedWriter(const AlignedText& from) : from_(from) {
    to_.followed = from.followed;
    to_.begin = from.begin;
    to_.text.reserve(from.text.size() + from.text.size() / 8);
  }
  // Bytes [from, to) of the old text, as they are.
  void keep(size_t from, size_t to) {
    to_.text.append(from_.text, from, to - from);
    if (from_.followed)
      to_.places.insert(to_.places.end(), from_.places.begin() + static_cast<std::ptrdiff_t>(from),
                        from_.places.begin() + static_cast<std::ptrdiff_t>(to));
  }
  // Other text in the place of bytes [from, to) of the old one; with from == to it is new there.
  void put(std::string_view text, size_t from, size_t to) {
    to_.text += text;
    if (!from_.followed) return;
    Span place;
    if (from < to)
      place = from_.place(from, to);
    else if (from < from_.places.size())
      place = {from_.places[from].begin, from_.places[from].begin};
    else if (!from_.places.empty())
      place = {from_.places.back().end, from_.places.back().end};
    else
      place = {from_.begin, from_.begin};
    to_.places.insert(to_.places.end(), text.size(), place);
  }
  AlignedText take() { return std::move(to_); }

 private:
  const AlignedText& from_;
  AlignedText to_;
};

}  // namespace fovea::data
