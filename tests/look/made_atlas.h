// Atlases for tests, with the patterns that heads of trained models have.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "fovea/look/atlas.h"

namespace fovea::look {

inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

inline const char* const kSentence = "The animal didn't cross the street because it was too tired";

// Head h of layer l looks at: itself, the token before, the first token, the next token, everything, or one word far
// away; deeper layers less sharply. With `causal`, later keys are hidden. Rows sum to 1.
inline Stack made_stack(const std::string& name, int layers, int heads, const std::string& queries,
                        const std::string& keys, bool causal = false) {
  Stack stack;
  stack.name = name;
  stack.rows = words_of(queries);
  stack.columns = words_of(keys);
  const auto t = static_cast<int>(stack.rows.size()), s = static_cast<int>(stack.columns.size());
  stack.weights = Tensor::zeros({layers, heads, t, s});
  float* w = stack.weights.data<float>();
  for (int l = 0; l < layers; ++l)
    for (int h = 0; h < heads; ++h)
      for (int r = 0; r < t; ++r, w += s) {
        const int kind = (h + 5 * l) % 6;
        const double own = static_cast<double>(r) * s / t;
        const double sharp = 3.0 - 2.0 * l / layers;
        const auto score = [&](int c) {
          switch (kind) {
            case 0:
              return -sharp * std::abs(c - own);
            case 1:
              return -sharp * std::abs(c - (own - 1));
            case 2:
              return c == 0 ? sharp : 0.0;
            case 3:
              return -sharp * std::abs(c - (own + 1));
            case 4:
              return 0.3 * std::sin(1.7 * c + r);
            default:
              return (c * 7 + 3) % s == (r * 5 + h) % s ? sharp + 1 : c == s - 1 ? 1.0 : 0.0;
          }
        };
        const int last = causal ? std::min(r, s - 1) : s - 1;
        double sum = 0;
        for (int c = 0; c <= last; ++c) sum += std::exp(score(c));
        for (int c = 0; c <= last; ++c) w[c] = static_cast<float>(std::exp(score(c)) / sum);
      }
  return stack;
}

// A model with one attention, as BERT has.
inline Atlas made_encoder(int layers, int heads, const std::string& sentence = kSentence) {
  return {sentence, {made_stack("self", layers, heads, sentence, sentence)}};
}

// A model with three, as the Transformer has.
inline Atlas made_translator(int layers, int heads) {
  const std::string target = "<bos> 그 동물은 너무 피곤해서 길을 건너지 않았다";
  Atlas atlas{std::string(kSentence) + " → " + target.substr(6),
              {made_stack("encoder self", layers, heads, kSentence, kSentence),
               made_stack("decoder self", layers, heads, target, target, true),
               made_stack("cross", layers, heads, target, kSentence)}};
  atlas.stacks[2].row_name = "target";
  atlas.stacks[2].column_name = "source";
  return atlas;
}

}  // namespace fovea::look
