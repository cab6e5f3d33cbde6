#include "fovea/train/scene_metrics.h"

#include <gtest/gtest.h>

namespace fovea::train {
namespace {

// A scene of two objects and a true caption of it, whose words look at the places that `look(object)` says.
struct Example {
  data::PictureSample sample;
  SceneCaption caption;
};

template <typename F>
Example example(F&& look) {
  constexpr int64_t kGrid = 8, kPlaces = kGrid * kGrid;
  Example e;
  e.sample = data::draw_sample(data::picture_corpus_named("scenes"), {.min_shapes = 2, .max_shapes = 2},
                               data::Part::kValid, 5);
  const auto words = static_cast<int64_t>(e.sample.object_of_word.size());
  e.caption.text = e.sample.text;
  e.caption.grid = kGrid;
  e.caption.weights = Tensor::zeros({1, words + 1, kPlaces});
  for (int64_t w = 0; w < words; ++w)
    if (const int object = e.sample.object_of_word[static_cast<size_t>(w)]; object >= 0)
      e.caption.weights.data<float>()[w * kPlaces + look(e.sample, object)] = 1;
  return e;
}

// A place in the middle of an object.
int64_t place_of(const data::PictureSample& sample, int object) {
  const data::SceneObject& one = sample.scene.objects[static_cast<size_t>(object)];
  return static_cast<int64_t>(one.y) / 4 * 8 + static_cast<int64_t>(one.x) / 4;
}

TEST(SceneMetrics, LookingAtWhatIsNamedPointsRight) {
  Example e = example([](const auto& sample, int object) { return place_of(sample, object); });
  e.caption.truth = &e.sample;
  EXPECT_EQ(meaning_of({&e.caption, 1}), 100);
  EXPECT_EQ(pointing_of({&e.caption, 1}), 100);
  EXPECT_EQ(variation_of({&e.caption, 1}), 1);
}

TEST(SceneMetrics, OneMapForAllWordsVariesNot) {
  Example e = example([](const auto& sample, int) { return place_of(sample, 0); });
  e.caption.truth = &e.sample;
  EXPECT_NEAR(pointing_of({&e.caption, 1}), 50, 1e-9);
  EXPECT_EQ(variation_of({&e.caption, 1}), 0);
}

TEST(SceneMetrics, WhatIsWrongOrNoSentenceHasNoMeaning) {
  Example e = example([](const auto& sample, int object) { return place_of(sample, object); });
  e.caption.truth = &e.sample;
  for (const char* text : {"", "a circle", "there is nothing"}) {
    e.caption.text = text;
    EXPECT_EQ(meaning_of({&e.caption, 1}), 0) << text;
  }
  e.caption.text = "there is nothing";
  EXPECT_EQ(pointing_of({&e.caption, 1}), 0);
}

}  // namespace
}  // namespace fovea::train
