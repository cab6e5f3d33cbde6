// Text from a file or a user, made fit to stand in a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace fovea {

// In single quotes; control characters become '?', and what is longer than 60 bytes is cut at a character and
// ends in "...".
inline std::string quote(std::string_view text) {
  constexpr size_t kMax = 60;
  size_t cut = text.size();
  if (cut > kMax) {
    cut = kMax;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  }
  std::string out = "'";
  for (char c : text.substr(0, cut)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  if (cut < text.size()) out += "...";
  return out + "'";
}

}  // namespace fovea
