#include "fovea/cli/unknown_tokens.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "fovea/base/grouped.h"
#include "fovea/cli/terminal.h"
#include "fovea/library/labels.h"
#include "fovea/look/label.h"

namespace fovea::cli {
namespace {

// Without the mark of a word's first piece.
std::string_view text_of(std::string_view piece) {
  constexpr std::string_view kBlank = "▁";
  if (piece.size() > kBlank.size() && piece.starts_with(kBlank)) piece.remove_prefix(kBlank.size());
  return piece;
}

}  // namespace

void UnknownTokens::add(std::string_view line) {
  constexpr size_t kMostTexts = 8;
  const int32_t unknown = library::unknown_id(tokenizer_);
  const std::vector<int32_t> ids = tokenizer_.encode(line);
  tokens_ += static_cast<int64_t>(ids.size());
  const auto found = std::count(ids.begin(), ids.end(), unknown);
  unknown_ += found;
  if (found == 0 || more_) return;
  const std::vector<std::string> pieces = tokenizer_.pieces(line);
  for (size_t i = 0; i < ids.size() && !more_; ++i) {
    if (ids[i] != unknown) continue;
    const std::string text = look::elide(text_of(pieces[i]), 40);
    if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) continue;
    more_ = texts_.size() == kMostTexts;
    if (!more_) texts_.push_back(text);
  }
}

std::string UnknownTokens::summary() const {
  if (unknown_ == 0) return "";
  return fmt::format("{} of {} {} {} unknown to this model's vocabulary: {}{}", grouped(unknown_),
                     grouped(tokens_), what_, unknown_ == 1 ? "is" : "are", fmt::join(texts_, ", "),
                     more_ ? " and others" : "");
}

void UnknownTokens::say(std::string_view who) const {
  if (unknown_ > 0) fmt::print(stderr, "{}", terminal_text(fmt::format("[{}] {}", who, summary()), 2));
}

}  // namespace fovea::cli
