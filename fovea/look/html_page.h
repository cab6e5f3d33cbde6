// What the pages of this room are made of: a frame of page/, filled with a title, styles, data and scripts.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/look/atlas.h"

namespace fovea::look {

// Weights of one page: up to the first number they are exact, up to the second rounded (html.h); more throw.
inline constexpr int64_t kMostExact = 4'000'000, kMostWeights = 48'000'000;
void check_page_weights(int64_t weights);

// "[text(items[0]),text(items[1]),...]"
template <typename T, typename F>
std::string json_list(const T& items, F&& text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text(item);
  }
  return out += ']';
}

// A stack as weights.js reads it.
std::string stack_data(const Stack& stack, bool exact);
// ,"scale":[...],"colors":[...]: those of weights and of heads.
std::string color_data();

// A file of page/ with @TITLE@ (twice), @STYLE@, @DATA@ and @SCRIPT@ filled in: files of page/, one after the other.
std::string filled_page(std::string_view frame, std::string_view title,
                        std::initializer_list<std::string_view> styles, std::string_view data,
                        std::initializer_list<std::string_view> scripts);

}  // namespace fovea::look
