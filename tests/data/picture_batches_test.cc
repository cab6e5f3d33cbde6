// Sets of pictures and their batches.
#include "fovea/data/picture_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fovea/data/pictures/digits.h"
#include "tests/error_message.h"

namespace fovea::data {
namespace {

using ::testing::HasSubstr;

PictureSetPtr digits(int64_t size, bool anew) {
  return corpus_pictures(picture_corpus_named("digits"), {.seed = 3}, Part::kTrain, size, anew);
}

PictureBatches small_batches() {
  PictureBatches options{.rows = 4, .seed = 5};
  options.input.size = 28;
  options.input.channels = 1;
  options.augment.shift = 2;
  return options;
}

TEST(PictureStream, FromAnyPositionTheBatchesAreTheSame) {
  const PictureSetPtr set = digits(10, true);
  const Targets targets = label_targets(set->labels());
  PictureStream whole(*set, small_batches(), targets);
  ASSERT_EQ(whole.epoch_size(), 3);
  for (int step = 0; step < 7; ++step) {
    const Position at = whole.position();
    const Batch one = whole.next();
    PictureStream again(*set, small_batches(), targets, at);
    const Batch other = again.next();
    EXPECT_EQ(one.pictures.values<float>(), other.pictures.values<float>()) << step;
    EXPECT_EQ(one.target_out.values<int32_t>(), other.target_out.values<int32_t>()) << step;
    EXPECT_EQ(one.lines, other.lines) << step;
    EXPECT_EQ(one.rows(), at.batch == 2 ? 2 : 4);
  }
  EXPECT_THAT(error_of([&] {
                PictureStream(*set, small_batches(), targets, {0, 3});
              }),
              HasSubstr("which has 3"));
}

TEST(PictureStream, AnEpochHasEveryPictureOnceAndEpochsDifferInOrder) {
  const PictureSetPtr set = digits(50, false);
  PictureStream stream(*set, small_batches(), label_targets(set->labels()));
  std::vector<int64_t> orders[2];
  for (std::vector<int64_t>& order : orders) {
    for (int64_t k = 0; k < stream.epoch_size(); ++k)
      for (const int64_t line : stream.next().lines) order.push_back(line);
    EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), 50u);
  }
  EXPECT_NE(orders[0], orders[1]);
}

TEST(PictureSet, ACorpusDrawsAnewOrKeepsItsPictures) {
  EXPECT_EQ(digits(10, false)->at(0, 3).picture, digits(10, false)->at(4, 3).picture);
  EXPECT_FALSE(digits(10, true)->at(0, 3).picture == digits(10, true)->at(1, 3).picture);
  EXPECT_NE(digits(10, true)->fingerprint(), digits(10, false)->fingerprint());
}

TEST(PictureSet, ScatteredPicturesLieSomewhereOnAFieldAmongPieces) {
  const PictureSetPtr set = digits(10, false), kept = scattered_pictures(set, 3, false, "test"),
                      anew = scattered_pictures(set, 3, true, "test");
  EXPECT_EQ(kept->side(), 60);
  EXPECT_EQ(kept->labels(), set->labels());
  EXPECT_EQ(kept->at(0, 3).picture, kept->at(4, 3).picture);
  EXPECT_FALSE(anew->at(0, 3).picture == anew->at(1, 3).picture);
  EXPECT_NE(kept->fingerprint(), anew->fingerprint());
  for (int64_t i = 0; i < set->size(); ++i) {
    const PictureSample sample = anew->at(2, i), alone = set->at(2, i);
    EXPECT_EQ(sample.text, alone.text);
    ASSERT_EQ(sample.mask.pixels.size(), 3600u);
    int64_t ink = 0, of_digit = 0, pieces = 0;
    for (const uint8_t value : alone.picture.pixels) ink += value;
    for (size_t k = 0; k < sample.mask.pixels.size(); ++k) {
      of_digit += sample.mask.pixels[k];
      pieces += sample.picture.pixels[k] > sample.mask.pixels[k];
    }
    EXPECT_EQ(of_digit, ink);
    EXPECT_GT(pieces, 0);
    const Point middle = ink_centre(sample.mask);
    EXPECT_EQ(middle.x, sample.centre.x);
    EXPECT_EQ(middle.y, sample.centre.y);
  }
  EXPECT_THAT(error_of([&] {
                scattered_pictures(
                    corpus_pictures(picture_corpus_named("scenes"), {}, Part::kTrain, 2, false), 3, true,
                    "test");
              }),
              HasSubstr("expected grey squares"));
}

TEST(PictureSet, ASplitHasEveryPictureOnOneSide) {
  const PictureSetPtr set = digits(300, false);
  const SplitPictures split = split_pictures(set, 0.2);
  EXPECT_EQ(split.others->size() + split.held_out->size(), 300);
  EXPECT_NEAR(static_cast<double>(split.held_out->size()), 60, 30);
  std::set<std::string> keys;
  for (const PictureSetPtr& part : {split.others, split.held_out})
    for (int64_t i = 0; i < part->size(); ++i) EXPECT_TRUE(keys.insert(part->key(i)).second);
}

TEST(LabelTargets, ALabelNeverSeenIsNamed) {
  Batch batch;
  const std::vector<std::string> texts = {"cat", "dgo"};
  EXPECT_THAT(error_of([&] {
                label_targets({"cat", "dog"})(texts, batch);
              }),
              HasSubstr("the label 'dgo' is none that training has seen; there are dog, cat"));
}

TEST(PictureInput, AnySizeAndChannelsBecomeWhatTheModelReads) {
  const PictureInput input{.size = 6, .channels = 1};
  const Picture pictures[] = {Picture(6, 6, 1, 255), Picture(9, 3, 3, 0)};
  const Tensor x = prepared(pictures, input);
  ASSERT_EQ(x.shape(), (Shape{2, 6, 6, 1}));
  EXPECT_FLOAT_EQ(x.data<float>()[0], 1);
  EXPECT_FLOAT_EQ(x.data<float>()[36], -1);
}

}  // namespace
}  // namespace fovea::data
