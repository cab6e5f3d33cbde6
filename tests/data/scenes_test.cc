// Scenes: what is drawn, what is said about it, and what is understood of that.
#include "fovea/data/pictures/scenes.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "tests/error_message.h"

namespace fovea::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line)
    if (c == ' ')
      words.emplace_back();
    else
      words.back() += c;
  return words;
}

// A red circle, right of it a blue square, below that a green star.
Scene three() {
  Scene scene;
  scene.objects = {{ShapeKind::kCircle, Colour::kRed, ShapeSize::kSmall, 6, 8, 3, 0, {}},
                   {ShapeKind::kSquare, Colour::kBlue, ShapeSize::kLarge, 22, 9, 6, 0, {}},
                   {ShapeKind::kStar, Colour::kGreen, ShapeSize::kSmall, 20, 26, 3, 0, {}}};
  return scene;
}
Scene first_of(Scene scene, size_t n) {
  scene.objects.resize(n);
  return scene;
}

TEST(SceneSentences, AreSaidInFourWordings) {
  const Scene scene = three();
  EXPECT_EQ(say_scene(scene, 0).text,
            "a small red circle left of a large blue square which is above a small green star");
  EXPECT_EQ(say_scene(scene, 1).text,
            "there is a large blue square right of a small red circle and above a small green star");
  EXPECT_EQ(say_scene(scene, 2).text,
            "a small red circle and right of it a large blue square and below it a small green star");
  EXPECT_EQ(say_scene(scene, 3).text,
            "above a small green star is a large blue square and left of it is a small red circle");
  EXPECT_EQ(say_scene(first_of(scene, 2), 3).text, "left of a large blue square is a small red circle");
  EXPECT_EQ(say_scene(first_of(scene, 1), 2).text, "only a small red circle");
  EXPECT_THAT(error_of([&] { say_scene(scene, 4); }), HasSubstr("[scenes] "));
  EXPECT_THAT(error_of([&] { say_scene(Scene{}, 0); }), HasSubstr("0 objects"));
}

TEST(SceneSentences, TellForEveryWordWhichObjectItNames) {
  EXPECT_THAT(say_scene(first_of(three(), 2), 1).object_of_word,
              ElementsAre(-1, -1, -1, 1, 1, 1, -1, -1, -1, 0, 0, 0));
}

TEST(SceneSentences, AreUnderstoodInEveryWordingOfTenThousandScenes) {
  for (uint64_t i = 0; i < 10'000; ++i) {
    Random random(5, i);
    const Scene scene = draw_scene(random);
    Scene moved = scene;
    std::swap(moved.objects[0].kind, moved.objects.back().kind);
    moved.objects[0].colour = static_cast<Colour>((static_cast<int>(scene.objects[0].colour) + 1) % kColours);
    for (int wording = 0; wording < kWordings; ++wording) {
      const Sentence said = say_scene(scene, wording);
      const auto description = parse_scene(said.text);
      ASSERT_TRUE(description) << said.text;
      ASSERT_TRUE(says_all(*description, scene)) << said.text << ", scene " << i;
      ASSERT_FALSE(holds(*description, moved)) << said.text << ", scene " << i;
      const std::vector<std::string> words = words_of(said.text);
      ASSERT_EQ(said.object_of_word.size(), words.size());
      // What the parser says about words is what the writer said.
      std::vector<int> understood(words.size(), -1);
      const std::vector<size_t> matched = match(*description, scene).value();
      for (size_t k = 0; k < matched.size(); ++k)
        for (int64_t w = 0; w < description->objects[k].words; ++w)
          understood[static_cast<size_t>(description->objects[k].first_word + w)] =
              static_cast<int>(matched[k]);
      ASSERT_EQ(understood, said.object_of_word) << said.text;
    }
  }
}

TEST(ParseScene, TakesMixedWordingsAndPartsOfDescriptions) {
  const Scene scene = three();
  for (const char* line :
       {"a circle", "a red circle", "a small circle .", "there is a blue square below a circle",
        "a star below a square which is right of a circle.", "a circle left of a square and below it a star"})
    EXPECT_TRUE(parse_scene(line)) << line;
  EXPECT_TRUE(holds(*parse_scene("a red circle"), scene));
  EXPECT_FALSE(says_all(*parse_scene("a red circle"), scene));
  EXPECT_FALSE(says_all(*parse_scene("a red circle"), first_of(scene, 1)));
  EXPECT_TRUE(says_all(*parse_scene("a small red circle"), first_of(scene, 1)));
  EXPECT_FALSE(holds(*parse_scene("a large red circle"), scene));
  EXPECT_FALSE(holds(*parse_scene("a small red circle right of a large blue square"), scene));
  EXPECT_FALSE(holds(*parse_scene("a circle left of a circle"), scene));
}

TEST(ParseScene, GivesNothingForWhatIsNoSentence) {
  for (const char* line :
       {"", ".", "a", "red circle", "a circle red", "a circle a square", "a circle left a square",
        "a circle left of", "a circle left of a square and", "a circle and a square", "is a circle",
        "above a circle a square", "a circle which above a square", "a circle left of it",
        "a small small circle", "a circle left of a square above a star", "the red circle", "a red circle !"})
    EXPECT_FALSE(parse_scene(line)) << line;
}

TEST(Relations, AreClearOrNone) {
  const auto at = [](float x, float y) {
    SceneObject object;
    object.x = x;
    object.y = y;
    return object;
  };
  EXPECT_EQ(relation_between(at(5, 5), at(10, 8)), Relation::kLeftOf);
  EXPECT_EQ(relation_between(at(10, 8), at(5, 5)), Relation::kRightOf);
  EXPECT_EQ(relation_between(at(5, 5), at(6, 9)), Relation::kAbove);
  EXPECT_EQ(relation_between(at(6, 9), at(5, 5)), Relation::kBelow);
  EXPECT_EQ(relation_between(at(5, 5), at(9, 9)), std::nullopt);
  EXPECT_EQ(relation_between(at(5, 5), at(5, 5)), std::nullopt);
  for (int i = 0; i < kRelations; ++i)
    EXPECT_EQ(opposite(opposite(static_cast<Relation>(i))), static_cast<Relation>(i));
}

TEST(Scenes, HaveEveryKindColourSizeAndRelationOften) {
  std::map<std::string, int> counts;
  constexpr int kScenes = 6000;
  for (uint64_t i = 0; i < kScenes; ++i) {
    Random random(7, i);
    for (const std::string& word :
         words_of(say_scene(draw_scene(random), static_cast<int>(i % kWordings)).text))
      ++counts[word];
  }
  for (const char* word : {"circle", "square", "triangle", "star", "small", "large", "red", "green", "blue",
                           "yellow", "purple", "orange", "left", "right", "above", "below"})
    EXPECT_GT(counts[word], kScenes / 10) << word;
  // Three large shapes find their places, too.
  EXPECT_GT(counts["large"] * 10, counts["small"] * 9);
  EXPECT_LT(counts["large"] * 10, counts["small"] * 11);
}

TEST(Scenes, LieInThePictureApartFromEachOther) {
  for (uint64_t i = 0; i < 500; ++i) {
    Random random(9, i);
    const Scene scene = draw_scene(random);
    std::vector<Coverage> masks;
    paint_scene(scene, random, {}, &masks);
    ASSERT_EQ(masks.size(), scene.objects.size());
    for (size_t k = 0; k < masks.size(); ++k) {
      float area = 0;
      for (int64_t y = 0; y < kSceneSide; ++y)
        for (int64_t x = 0; x < kSceneSide; ++x) {
          const float share = masks[k].at(y, x);
          area += share;
          for (size_t j = 0; j < k; ++j) ASSERT_TRUE(share == 0 || masks[j].at(y, x) == 0) << i;
        }
      // A disc has an area of 3.14 r^2, a square 3.1, a triangle 1.69, a star 1.49.
      const float r = scene.objects[k].radius;
      EXPECT_GT(area, 1.4f * r * r) << i;
      EXPECT_LT(area, 3.2f * r * r) << i;
    }
  }
}

TEST(Scenes, MasksCoverWhatIsDrawnAndNothingElse) {
  for (uint64_t i = 0; i < 200; ++i) {
    Random random(11, i);
    const Scene scene = draw_scene(random);
    std::vector<Coverage> masks;
    const Picture picture = paint_scene(scene, random, {}, &masks);
    const uint8_t ground = *std::max_element(picture.at(0, 0), picture.at(0, 0) + 3);  // corners are empty
    for (int64_t y = 0; y < kSceneSide; ++y)
      for (int64_t x = 0; x < kSceneSide; ++x) {
        float share = 0;
        const SceneObject* whose = nullptr;
        for (size_t k = 0; k < masks.size(); ++k)
          if (masks[k].at(y, x) > 0) {
            share = masks[k].at(y, x);
            whose = &scene.objects[k];
          }
        for (size_t c = 0; c < 3; ++c) {
          const auto colour = static_cast<float>(whose ? whose->rgb[c] : ground);
          const auto back = static_cast<float>(ground);
          ASSERT_NEAR(picture.at(y, x)[c], back + share * (colour - back), 0.51) << i;
        }
      }
  }
}

TEST(Scenes, HaveNoiseAndClutterWhereTheyAreAskedFor) {
  const Scene scene = three();
  const auto painted = [&](const SceneOptions& options) {
    Random random(3);
    return paint_scene(scene, random, options);
  };
  const Picture plain = painted({}), noisy = painted({.noise = 0.1f}), cluttered = painted({.clutter = 8});
  double sum = 0;
  int changed = 0;
  for (size_t i = 0; i < plain.pixels.size(); ++i) {
    const double off = int{noisy.pixels[i]} - int{plain.pixels[i]};
    if (plain.pixels[i] > 60 && plain.pixels[i] < 195) {  // far from where values are cut
      sum += off * off;
      ++changed;
    }
  }
  EXPECT_GT(changed, 20);
  EXPECT_NEAR(std::sqrt(sum / changed), 25.5, 8);
  EXPECT_NE(cluttered, plain);
  EXPECT_THAT(error_of([&] { painted({.noise = -1}); }), HasSubstr("[scenes] "));
  EXPECT_THAT(error_of([] {
                Random random(1);
                draw_scene(random, {.min_shapes = 2, .max_shapes = 4});
              }),
              HasSubstr("2 to 4 shapes"));
}

TEST(Noise, HasTheDeviationAskedForAndMeanZero) {
  Picture picture(100, 100, 1, 128);
  Random random(1);
  add_noise(picture, 0.1f, random);
  double sum = 0, squares = 0;
  for (const uint8_t value : picture.pixels) {
    sum += value - 128.0;
    squares += (value - 128.0) * (value - 128.0);
  }
  EXPECT_NEAR(sum / 1e4, 0, 1);
  EXPECT_NEAR(std::sqrt(squares / 1e4), 25.5, 1);
}

}  // namespace
}  // namespace fovea::data
