#include "fovea/data/alignment.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "fovea/data/blanks.h"

namespace fovea::data {
namespace {

// Takes a number of digits alone from the front of `text`.
bool take_number(std::string_view& text, int32_t& number) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return false;  // from_chars would take a sign
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return error == std::errc();
}

bool parse_link(std::string_view text, Link& link) {
  if (!take_number(text, link.source) || text.empty()) return false;
  const char mark = text[0];
  text.remove_prefix(1);
  link.sure = mark == '-';
  return (mark == '-' || mark == '?' || mark == 'p') && take_number(text, link.target) && text.empty();
}

}  // namespace

std::optional<std::vector<Link>> parse_links(std::string_view text) {
  std::vector<Link> links;
  bool good = true;
  for_each_word(text, [&](std::string_view word) {
    if (good) good = parse_link(word, links.emplace_back());
  });
  if (!good) return std::nullopt;
  return links;
}

const Link* find_misfit(const Pair& pair) {
  if (pair.links.empty()) return nullptr;
  const int32_t sources = count_words(pair.source), targets = count_words(pair.target);
  for (const Link& link : pair.links)
    if (link.source < 0 || link.source >= sources || link.target < 0 || link.target >= targets) return &link;
  return nullptr;
}

std::string format_links(std::span<const Link> links) {
  std::string text;
  for (const Link& link : links)
    fmt::format_to(std::back_inserter(text), "{}{}{}{}", text.empty() ? "" : " ", link.source,
                   link.sure ? '-' : '?', link.target);
  return text;
}

}  // namespace fovea::data
