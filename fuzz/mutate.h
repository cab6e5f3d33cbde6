// Inputs that are nearly right: a valid one, with a few things wrong.
#pragma once

#include <string>
#include <vector>

#include "fovea/base/random.h"

namespace fovea::fuzz {

// `seeds` are valid inputs; the result is one of them after some changes, or parts of two.
inline std::string mutated(const std::vector<std::string>& seeds, Random& random) {
  const auto pick = [&](size_t n) { return static_cast<size_t>(random.below(static_cast<int64_t>(n))); };
  std::string text = seeds[pick(seeds.size())];
  static const std::vector<std::string> kTokens = {"0",     "-1",   "4294967296", "9223372036854775807",
                                                   "1e999", "null", "[",          "]",
                                                   "{",     "}",    "\"",         ",",
                                                   ":",     "\n",   "\t",         "\xFF",
                                                   "\xC3",  "▁",    "##",         "[MASK]"};
  for (size_t changes = 1 + pick(4); changes > 0; --changes) {
    if (text.empty()) text = "x";
    const size_t at = pick(text.size());
    switch (pick(8)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << pick(8)));
        break;
      case 2:
        text.erase(at, 1 + pick(16));
        break;
      case 3:
        text.insert(at, kTokens[pick(kTokens.size())]);
        break;
      case 4:
        text.resize(at);
        break;
      case 5:
        text.insert(at, text.substr(at, 1 + pick(64)));
        break;  // twice
      case 6: {
        const std::string& other = seeds[pick(seeds.size())];
        if (!other.empty()) text.insert(at, other.substr(pick(other.size()), 1 + pick(64)));
        break;
      }
      default:
        text.insert(at, std::string(1 + pick(300), "[{0 "[pick(4)]));
    }
  }
  return text;
}

}  // namespace fovea::fuzz
