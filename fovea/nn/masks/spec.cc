#include "fovea/nn/masks/spec.h"

#include <algorithm>
#include <charconv>

#include "fovea/base/quote.h"

namespace fovea::nn {
namespace {

constexpr const char* kWho = "mask";
constexpr int64_t kMost = 1'000'000'000;

// The parts of text between separators; one part where there is none.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int64_t number_of(std::string_view text, const MaskKind& kind, const MaskKind::Number& number) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc() && end == text.data() + text.size() && value >= number.least && value <= kMost,
        kWho, "{} in a mask {}: expected a whole number of {} or more", quote(text), kind.written,
        number.least);
  return value;
}

MaskTerm term_of(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const MaskKind& kind = mask_named(parts[0]);
  check(parts.size() - 1 <= kind.numbers.size(), kWho, "{} is too long: expected {}", quote(text),
        kind.written);
  MaskTerm term{&kind, {}, 0};
  for (size_t i = 0; i < kind.numbers.size(); ++i) {
    const MaskKind::Number& number = kind.numbers[i];
    check(i + 1 < parts.size() || number.usual != MaskKind::kNone, kWho, "{} lacks a number: expected {}",
          quote(text), kind.written);
    term.numbers[i] = i + 1 < parts.size() ? number_of(parts[i + 1], kind, number) : number.usual;
  }
  if (kind.arrays) term.learned = kind.arrays(term.numbers, {.heads = 1, .width = 1}).size();
  return term;
}

const char* name_of(Place place) {
  return place == Place::kEncoder   ? "the self-attention of an encoder"
         : place == Place::kDecoder ? "the self-attention of a decoder"
                                    : "cross-attention";
}

}  // namespace

MaskSpec::MaskSpec(std::string_view text) {
  if (text.empty() || text == "none") return;
  for (const std::string_view part : split(text, '+')) {
    const MaskTerm term = term_of(part);
    check(!has(term.kind->name), kWho, "{} says {} twice", quote(text), term.kind->name);
    terms_.push_back(term);
  }
}

bool MaskSpec::has(std::string_view kind) const {
  return std::any_of(terms_.begin(), terms_.end(), [&](const MaskTerm& t) { return kind == t.kind->name; });
}

std::string MaskSpec::text() const {
  std::string text;
  for (const MaskTerm& term : terms_) {
    text += fmt::format("{}{}", text.empty() ? "" : "+", term.kind->name);
    for (size_t i = 0; i < term.kind->numbers.size(); ++i) text += fmt::format(":{}", term.numbers[i]);
  }
  return text.empty() ? "none" : text;
}

void MaskSpec::check_at(Place place) const {
  for (const MaskTerm& term : terms_)
    if (const char* reason = term.kind->why_not(place))
      fail(kWho, "{} in {}: {}", term.kind->name, name_of(place), reason);
}

std::vector<MaskArray> MaskSpec::arrays(const MaskSizes& sizes) const {
  std::vector<MaskArray> all;
  for (const MaskTerm& term : terms_)
    if (term.kind->arrays)
      for (const MaskArray& array : term.kind->arrays(term.numbers, sizes)) all.push_back(array);
  return all;
}

Mask MaskSpec::mask(Place place, std::span<const Var> arrays) const {
  check_at(place);
  Mask mask;
  if (place == Place::kDecoder && !has("prefix")) mask = causal();
  for (const MaskTerm& term : terms_) {
    check(term.learned <= arrays.size(), kWho, "{} lacks an array that it learns", term.kind->name);
    mask = mask & term.kind->make(term.numbers, place, arrays.first(term.learned));
    arrays = arrays.subspan(term.learned);
  }
  if (!arrays.empty()) fail(kWho, "{} arrays more than {} learns", arrays.size(), quote(text()));
  return mask;
}

}  // namespace fovea::nn
