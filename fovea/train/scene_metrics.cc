#include "fovea/train/scene_metrics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fovea/data/blanks.h"

namespace fovea::train {
namespace {

// A content word: the object of the scene that it names, and its map [grid * grid], the mean over heads.
struct ContentWord {
  size_t object;
  std::vector<float> map;
};

std::vector<float> map_of_word(const Tensor& weights, int64_t word) {
  const int64_t heads = weights.dim(0), steps = weights.dim(1), places = weights.dim(2);
  std::vector<float> map(static_cast<size_t>(places));
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < places; ++i)
      map[static_cast<size_t>(i)] +=
          weights.data<float>()[(h * steps + word) * places + i] / static_cast<float>(heads);
  return map;
}

// In the order in which they stand. None where the caption is not true, or where tokens are not words.
std::vector<ContentWord> content_words(const SceneCaption& caption) {
  std::vector<ContentWord> words;
  if (!caption.weights.defined() || caption.weights.dim(1) < data::count_words(caption.text)) return words;
  const std::optional<data::Description> said = data::parse_scene(caption.text);
  if (!said) return words;
  const std::optional<std::vector<size_t>> objects = data::match(*said, caption.truth->scene);
  if (!objects) return words;
  for (size_t i = 0; i < said->objects.size(); ++i)
    for (int64_t w = 0; w < said->objects[i].words; ++w)
      words.push_back({(*objects)[i], map_of_word(caption.weights, said->objects[i].first_word + w)});
  return words;
}

bool lies_on(const data::Picture& mask, size_t object, int64_t place, int64_t grid) {
  constexpr int kHalf = 127;
  const int64_t side = mask.height / grid, top = place / grid * side, left = place % grid * side;
  for (int64_t y = top; y < top + side; ++y)
    for (int64_t x = left; x < left + side; ++x)
      if (mask.at(y, x)[object] > kHalf) return true;
  return false;
}

}  // namespace

double meaning_of(std::span<const SceneCaption> captions) {
  int64_t right = 0;
  for (const SceneCaption& one : captions) {
    const std::optional<data::Description> said = data::parse_scene(one.text);
    right += said && data::says_all(*said, one.truth->scene);
  }
  return 100.0 * static_cast<double>(right) / static_cast<double>(captions.size());
}

double pointing_of(std::span<const SceneCaption> captions) {
  int64_t right = 0, all = 0;
  for (const SceneCaption& one : captions)
    for (const ContentWord& word : content_words(one)) {
      const auto place = std::max_element(word.map.begin(), word.map.end()) - word.map.begin();
      right += lies_on(one.truth->mask, word.object, place, one.grid);
      ++all;
    }
  return all > 0 ? 100.0 * static_cast<double>(right) / static_cast<double>(all) : 0;
}

double variation_of(std::span<const SceneCaption> captions) {
  double sum = 0;
  int64_t pairs = 0;
  for (const SceneCaption& one : captions) {
    const std::vector<ContentWord> words = content_words(one);
    for (size_t i = 1; i < words.size(); ++i) {
      if (words[i].object == words[i - 1].object) continue;
      double distance = 0;
      for (size_t p = 0; p < words[i].map.size(); ++p)
        distance += std::abs(static_cast<double>(words[i].map[p]) - static_cast<double>(words[i - 1].map[p]));
      sum += distance / 2;
      ++pairs;
    }
  }
  return pairs > 0 ? sum / static_cast<double>(pairs) : 0;
}

}  // namespace fovea::train
