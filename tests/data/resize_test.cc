// Pictures of other sizes, cut, normalised and augmented.
#include "fovea/data/pictures/resize.h"

#include <gmock/gmock.h>

#include <set>

#include "fovea/base/random.h"
#include "fovea/data/pictures/augment.h"
#include "fovea/data/pictures/prepare.h"
#include "tests/error_message.h"
#include "tests/golden_file.h"

namespace fovea::data {
namespace {

using ::testing::HasSubstr;

Picture random_picture(int64_t height, int64_t width, int64_t channels, uint64_t seed = 1) {
  Random random(seed);
  Picture picture(height, width, channels);
  for (uint8_t& value : picture.pixels) value = static_cast<uint8_t>(random.below(256));
  return picture;
}

Picture picture_of(const Tensor& array) {
  Picture picture(array.dim(0), array.dim(1), array.rank() == 3 ? array.dim(2) : 1);
  std::ranges::copy(array.span<uint8_t>(), picture.pixels.begin());
  return picture;
}

TEST(Resize, GivesPillowsPixelsToTheBit) {
  const testing::GoldenFile goldens(FOVEA_TESTS_DIR "/goldens/pictures.safetensors");
  int cases = 0;
  for (const std::string& name : goldens.names("resize/")) {
    const size_t slash = name.rfind('/');
    if (name.substr(slash) == "/in") continue;
    const Picture from = picture_of(goldens.array(name.substr(0, slash) + "/in"));
    const Picture want = picture_of(goldens.array(name));
    EXPECT_EQ(resize(from, want.height, want.width, filter_named(name.substr(slash + 1))), want) << name;
    ++cases;
  }
  EXPECT_EQ(cases, 48);
}

TEST(Resize, KeepsAFlatPictureFlatAndTheSameSizeTheSame) {
  const Picture picture = random_picture(9, 14, 3);
  for (const Filter filter : {Filter::kArea, Filter::kBilinear, Filter::kBicubic}) {
    EXPECT_EQ(resize(picture, 9, 14, filter), picture);
    EXPECT_EQ(resize(Picture(5, 7, 1, 131), 31, 2, filter), Picture(31, 2, 1, 131));
  }
}

TEST(Resize, ByAreaIsTheMeanOfWholeBlocks) {
  const Picture picture = random_picture(8, 12, 1);
  const Picture half = resize(picture, 8, 4, Filter::kArea);
  for (int64_t x = 0; x < 4; ++x) {
    const int sum = *picture.at(3, 3 * x) + *picture.at(3, 3 * x + 1) + *picture.at(3, 3 * x + 2);
    EXPECT_NEAR(*half.at(3, x), sum / 3.0, 0.5001);
  }
}

TEST(Resize, ToAShorterSideKeepsTheProportions) {
  EXPECT_EQ(resize_shorter_side(Picture(40, 61, 1), 20, Filter::kBilinear).width, 30);
  EXPECT_EQ(resize_shorter_side(Picture(61, 40, 1), 20, Filter::kBilinear).height, 30);
}

TEST(Resize, RefusesSizesAndFiltersThatCannotBe) {
  const Picture picture(4, 4, 1);
  EXPECT_THAT(error_of([&] { resize(picture, 0, 4, Filter::kArea); }), HasSubstr("[resize] "));
  EXPECT_THAT(error_of([&] { resize(picture, 4, -4, Filter::kArea); }), HasSubstr("-4 x 4 pixels"));
  EXPECT_THAT(error_of([&] { resize(picture, 60000, 60000, Filter::kArea); }), HasSubstr("100 million"));
  EXPECT_THAT(error_of([&] { resize(Picture(), 2, 2, Filter::kArea); }), HasSubstr("0 x 0 pixels"));
  EXPECT_THAT(error_of([&] { filter_named("cubic"); }), HasSubstr("'cubic'; there are bicubic"));
}

TEST(Crop, TakesThePartAskedForAndNothingElse) {
  const Picture picture = random_picture(6, 9, 3);
  const Picture part = crop(picture, 2, 3, 4, 5);
  for (int64_t y = 0; y < 4; ++y)
    for (int64_t x = 0; x < 5; ++x) EXPECT_EQ(part.at(y, x)[1], picture.at(y + 2, x + 3)[1]);
  EXPECT_THAT(error_of([&] { crop(picture, 3, 3, 4, 5); }), HasSubstr("expected a part of it"));
  EXPECT_THAT(error_of([&] { crop(picture, -1, 0, 1, 1); }), HasSubstr("[crop]"));
}

TEST(Crop, OfTheCentreFillsUpWhereThePictureIsSmaller) {
  const Picture picture = random_picture(5, 8, 1);
  EXPECT_EQ(centre_crop(picture, 3, 4), crop(picture, 1, 2, 3, 4));
  const Picture larger = centre_crop(picture, 8, 4);
  EXPECT_EQ(*larger.at(0, 0), 0);
  EXPECT_EQ(crop(larger, 2, 0, 5, 4), crop(picture, 0, 2, 5, 4));
}

TEST(Normalised, ScalesAndShiftsEveryChannel) {
  const Picture picture = random_picture(2, 3, 3);
  const Tensor x =
      normalised(picture, {.scale = 1.0f / 255, .mean = {0.1f, 0.2f, 0.3f}, .std = {0.5f, 0.6f, 0.7f}});
  EXPECT_EQ(x.shape(), (Shape{2, 3, 3}));
  for (size_t i = 0; i < 18; ++i)
    EXPECT_NEAR(x.data<float>()[i],
                (static_cast<float>(picture.pixels[i]) / 255 - 0.1f * static_cast<float>(i % 3 + 1)) /
                    (0.5f + 0.1f * static_cast<float>(i % 3)),
                1e-6);
  EXPECT_THAT(error_of([&] { normalised(picture, {.std = {1, 0, 1}}); }), HasSubstr("more than 0"));
}

TEST(Augmented, IsAFunctionOfSeedStepAndIndex) {
  const Picture picture = random_picture(12, 10, 3);
  const Augment how{.shift = 3, .flip = true, .colour = 0.3f};
  const Picture one = augmented(picture, how, 1, 2, 3);
  EXPECT_EQ(augmented(picture, how, 1, 2, 3), one);
  EXPECT_NE(augmented(picture, how, 2, 2, 3), one);
  EXPECT_NE(augmented(picture, how, 1, 3, 3), one);
  EXPECT_NE(augmented(picture, how, 1, 2, 4), one);
  EXPECT_EQ(augmented(picture, {}, 1, 2, 3), picture);
}

TEST(Augmented, ShiftsEveryWayAndFlipsHalf) {
  const Picture picture = random_picture(9, 9, 1);
  std::set<std::vector<uint8_t>> seen;
  int flips = 0;
  for (uint64_t step = 0; step < 400; ++step) {
    seen.insert(augmented(picture, {.shift = 1}, 1, step, 0).pixels);
    flips += augmented(picture, {.flip = true}, 1, step, 0) == flipped(picture);
  }
  EXPECT_EQ(seen.size(), 9u);
  EXPECT_TRUE(seen.contains(shifted(picture, 1, -1).pixels));
  EXPECT_GT(flips, 150);
  EXPECT_LT(flips, 250);
}

TEST(Augmented, SingleChangesAreWhatTheySay) {
  const Picture picture = random_picture(4, 5, 3);
  EXPECT_EQ(flipped(flipped(picture)), picture);
  const Picture moved = shifted(picture, 1, 2);
  EXPECT_EQ(moved.at(2, 3)[0], picture.at(1, 1)[0]);
  EXPECT_EQ(moved.at(0, 0)[2], picture.at(0, 0)[2]);
  EXPECT_EQ(recoloured(picture, 1, 1, 1), picture);
  const Picture grey = recoloured(picture, 1, 1, 0);
  EXPECT_EQ(grey.at(1, 1)[0], grey.at(1, 1)[2]);
  EXPECT_EQ(recoloured(Picture(2, 2, 1, 100), 1.5f, 1, 1), Picture(2, 2, 1, 150));
  EXPECT_THAT(error_of([&] { augmented(picture, {.shift = -1}, 1, 1, 1); }), HasSubstr("[augment]"));
}

}  // namespace
}  // namespace fovea::data
