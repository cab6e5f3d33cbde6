#include "fovea/decode/stop_strings.h"

#include <algorithm>

namespace fovea::decode {

size_t find_stop(std::string_view text, std::span<const std::string> stop, size_t from) {
  size_t first = std::string_view::npos;
  for (const std::string& one : stop) first = std::min(first, text.find(one, from));
  return first;
}

StopStrings::StopStrings(const data::Tokenizer* tokenizer, std::span<const std::string> stop,
                         std::span<const int32_t> before)
    : tokenizer_(tokenizer), stop_(stop) {
  constexpr size_t kContext = 8;  // enough to say how the first new token is joined to the text before it
  if (stop.empty()) return;
  before_.assign(before.end() - static_cast<std::ptrdiff_t>(std::min(kContext, before.size())), before.end());
  skipped_ = tokenizer->decode(before_).size();
}

bool StopStrings::met(std::span<const int32_t> tokens) const {
  if (stop_.empty()) return false;
  std::vector<int32_t> all = before_;
  all.insert(all.end(), tokens.begin(), tokens.end());
  return find_stop(tokenizer_->decode(all), stop_, skipped_) != std::string::npos;
}

}  // namespace fovea::decode
