// What every built-in corpus of pictures promises; digits; files.
#include "fovea/data/picture_corpora.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "fovea/base/file.h"
#include "fovea/base/parallel.h"
#include "fovea/data/built_in.h"
#include "fovea/data/pictures/digits.h"
#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/handwriting.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Part kParts[] = {Part::kTrain, Part::kValid, Part::kTest};

struct Choice {
  std::string name;
  bool cluttered;
  friend void PrintTo(const Choice& choice, std::ostream* out) {
    *out << choice.name << (choice.cluttered ? " cluttered" : "");
  }
};
std::vector<Choice> all_choices() {
  std::vector<Choice> all;
  for (const PictureCorpusKind& kind : picture_corpus_table())
    for (const bool cluttered : {false, true}) all.push_back({kind.name, cluttered});
  return all;
}
class EveryPictureCorpus : public ::testing::TestWithParam<Choice> {
 protected:
  const PictureCorpusKind& kind_ = picture_corpus_named(GetParam().name);
  PictureCorpusOptions options(uint64_t seed = 1) const {
    PictureCorpusOptions options;
    options.seed = seed;
    options.cluttered = GetParam().cluttered;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(All, EveryPictureCorpus, ::testing::ValuesIn(all_choices()), [](const auto& given) {
  return given.param.name + (given.param.cluttered ? "_cluttered" : "");
});

TEST_P(EveryPictureCorpus, PartsNeverShareAPictureWhateverTheSeed) {
  std::map<std::vector<uint8_t>, Part> part_with;
  for (const uint64_t seed : {1, 2})
    for (const Part part : kParts)
      for (int64_t i = 0; i < 300; ++i) {
        const PictureSample sample = draw_sample(kind_, options(seed), part, i);
        EXPECT_EQ(part_of(sample.picture), part);
        EXPECT_TRUE(part_with.emplace(sample.picture.pixels, part).second) << "twice: " << seed << " " << i;
      }
}

TEST_P(EveryPictureCorpus, ASampleIsAFunctionOfSeedPartAndIndex) {
  const PictureSample one = draw_sample(kind_, options(), Part::kTest, 17);
  draw_sample(kind_, options(), Part::kTest, 18);
  const PictureSample again = draw_sample(kind_, options(), Part::kTest, 17);
  EXPECT_EQ(again.picture, one.picture);
  EXPECT_EQ(again.text, one.text);
  EXPECT_EQ(again.mask, one.mask);
  EXPECT_NE(draw_sample(kind_, options(2), Part::kTest, 17).picture, one.picture);
}

TEST_P(EveryPictureCorpus, FilesAreWhatSamplesAre) {
  const TemporaryDirectory directory;
  PictureCorpusOptions how = options(3);
  how.train = 70;
  how.valid = 3;
  how.test = 0;
  int64_t told = 0;
  const auto parts = write_picture_corpus(kind_, how, directory / "out", [&](int64_t done, int64_t all) {
    EXPECT_EQ(all, 73);
    EXPECT_GT(done, told);
    told = done;
  });
  EXPECT_EQ(told, 73);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_FALSE(fs::exists(directory / "out/test") || fs::exists(directory / "out/train.new"));
  const std::string table = kind_.captions ? "/captions.tsv" : "/labels.tsv";
  for (const PicturePart& part : parts) {
    const PictureFolder folder(part.directory, part.directory + table);
    ASSERT_EQ(folder.size(), part.pictures);
    for (int64_t i = 0; i < folder.size(); ++i) {
      const PictureSample sample = draw_sample(kind_, how, part.part, i);
      EXPECT_EQ(folder.picture(i), sample.picture);
      EXPECT_EQ(folder.row(i).text, sample.text);
      EXPECT_EQ(fs::exists(part.directory + "/masks/" + folder.row(i).file), !sample.mask.pixels.empty());
      if (!sample.mask.pixels.empty()) {
        EXPECT_EQ(read_picture(part.directory + "/masks/" + folder.row(i).file), sample.mask);
      }
    }
    EXPECT_EQ(fs::exists(part.directory + "/words.tsv"), kind_.captions);
    EXPECT_EQ(fs::exists(part.directory + "/centres.tsv"), !kind_.captions && GetParam().cluttered);
  }
}

TEST_P(EveryPictureCorpus, FilesHaveTheSameBytesOnAnyNumberOfThreads) {
  const TemporaryDirectory directory;
  PictureCorpusOptions how = options();
  how.train = 5;
  how.valid = how.test = 0;
  const int before = threads();
  for (const int n : {1, 3}) {
    set_threads(n);
    write_picture_corpus(kind_, how, directory / std::to_string(n));
  }
  set_threads(before);
  for (const char* file : {"/train/000004.png", "/train/000000.png"})
    EXPECT_EQ(read_file(directory / "1" + file), read_file(directory / "3" + file));
}

TEST(PictureCorpora, AreNotWrittenOverWhatIsThere) {
  const TemporaryDirectory directory;
  fs::create_directories(directory / "valid");
  std::ofstream(directory / "valid/mine.txt") << "mine";
  PictureCorpusOptions how;
  how.train = how.valid = how.test = 2;
  EXPECT_EQ(error_of([&] { write_picture_corpus(picture_corpus_named("digits"), how, directory.path()); }),
            "[corpus] " + directory / "valid is there already: give another directory, or remove it");
  EXPECT_FALSE(fs::exists(directory / "train") || fs::exists(directory / "train.new"));
  EXPECT_TRUE(fs::exists(directory / "valid/mine.txt"));
}

TEST(PictureCorpora, ExplainWhatCannotBe) {
  EXPECT_THAT(error_of([] { picture_corpus_named("digit"); }),
              HasSubstr("'digit'; there are digits, scenes"));
  EXPECT_THAT(error_of([] { built_in_named("scenery"); }), HasSubstr("there are scenes, "));
  PictureCorpusOptions how;
  how.noise = 2;
  const PictureCorpusKind& kind = picture_corpus_named("scenes");
  EXPECT_THAT(error_of([&] { draw_sample(kind, how, Part::kTrain, 0); }), HasSubstr("noise of 2"));
  how.noise = 0;
  how.train = 10'000'000;
  EXPECT_THAT(error_of([&] { write_picture_corpus(kind, how, "nowhere"); }), HasSubstr("at most 1000000"));
}

TEST(PictureCorpora, AreFoundByNameBesideThoseOfLines) {
  EXPECT_TRUE(built_in_named("scenes").pictures);
  EXPECT_TRUE(built_in_named("grammar").lines);
  EXPECT_EQ(built_in_corpora().size(), corpus_table().size() + picture_corpus_table().size());
}

TEST(SceneSamples, HaveATrueSentenceAndItsMasks) {
  const PictureCorpusKind& kind = picture_corpus_named("scenes");
  for (int64_t i = 0; i < 300; ++i) {
    const PictureSample sample = draw_sample(kind, {}, Part::kTrain, i);
    EXPECT_TRUE(says_all(parse_scene(sample.text).value(), sample.scene)) << sample.text;
    // The middle of every shape is wholly its own; channels of shapes that are not there are black.
    for (size_t k = 0; k < 3; ++k) {
      int most = 0;
      for (size_t p = k; p < sample.mask.pixels.size(); p += 3)
        most = std::max<int>(most, sample.mask.pixels[p]);
      EXPECT_EQ(most, k < sample.scene.objects.size() ? 255 : 0);
      if (k >= sample.scene.objects.size()) continue;
      const SceneObject& object = sample.scene.objects[k];
      EXPECT_EQ(sample.mask.at(static_cast<int64_t>(object.y), static_cast<int64_t>(object.x))[k], 255);
    }
  }
}

TEST(Digits, AreInkInsideABlackEdge) {
  for (int i = 0; i < 1000; ++i) {
    Random random(2, static_cast<uint64_t>(i));
    const Picture digit = draw_digit(i % 10, random);
    int ink = 0;
    for (int64_t y = 0; y < kDigitSide; ++y)
      for (int64_t x = 0; x < kDigitSide; ++x) {
        ink += *digit.at(y, x) >= 128;
        if (y == 0 || x == 0 || y == kDigitSide - 1 || x == kDigitSide - 1) {
          EXPECT_EQ(*digit.at(y, x), 0) << i;
        }
      }
    EXPECT_GT(ink, 15) << i;
    EXPECT_LT(ink, 300) << i;
  }
  EXPECT_THAT(error_of([] {
                Random random(1);
                draw_digit(10, random);
              }),
              HasSubstr("expected 0 to 9"));
}

// The nearest mean picture of a class is a poor reader, which finds most digits where they look like digits, and few where they do not;
// one that finds all would say that hands hardly differ.
TEST(Digits, DifferByClassAndByHand) {
  constexpr int kPixels = kDigitSide * kDigitSide;
  const PictureCorpusKind& kind = picture_corpus_named("digits");
  std::vector<std::array<double, kPixels>> means(10);
  std::array<int, 10> counts{};
  for (int64_t i = 0; i < 3000; ++i) {
    const PictureSample sample = draw_sample(kind, {}, Part::kTrain, i);
    ++counts[static_cast<size_t>(sample.label)];
    for (size_t p = 0; p < kPixels; ++p)
      means[static_cast<size_t>(sample.label)][p] += static_cast<double>(sample.picture.pixels[p]);
  }
  for (size_t c = 0; c < 10; ++c) {
    EXPECT_GT(counts[c], 200);
    for (double& value : means[c]) value /= counts[c];
  }
  int right = 0;
  constexpr int kTests = 500;
  for (int64_t i = 0; i < kTests; ++i) {
    const PictureSample sample = draw_sample(kind, {}, Part::kTest, i);
    size_t best = 0;
    double least = 1e18;
    for (size_t c = 0; c < 10; ++c) {
      double distance = 0;
      for (size_t p = 0; p < kPixels; ++p) {
        const double off = means[c][p] - static_cast<double>(sample.picture.pixels[p]);
        distance += off * off;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    right += static_cast<int>(best) == sample.label;
  }
  std::cout << "nearest mean: " << 100.0 * right / kTests << " % right\n";
  EXPECT_GT(right, kTests * 60 / 100);
  EXPECT_LT(right, kTests * 95 / 100);
}

TEST(Digits, AreWrittenInSeveralWays) {
  for (int digit = 0; digit < 10; ++digit) EXPECT_GE(ways_to_write(digit), 2) << digit;
}

TEST(ClutteredDigits, LieAnywhereWithTheirCentreTold) {
  const PictureCorpusKind& kind = picture_corpus_named("digits");
  PictureCorpusOptions how;
  how.cluttered = true;
  float least = 60, most = 0;
  for (int64_t i = 0; i < 300; ++i) {
    const PictureSample sample = draw_sample(kind, how, Part::kTrain, i);
    EXPECT_EQ(sample.picture.height, 60);
    EXPECT_EQ(sample.picture.width, 60);
    const Point centre = ink_centre(sample.mask);
    EXPECT_EQ(centre.x, sample.centre.x);
    EXPECT_EQ(centre.y, sample.centre.y);
    least = std::min({least, centre.x, centre.y});
    most = std::max({most, centre.x, centre.y});
    int pieces = 0;
    for (size_t p = 0; p < sample.mask.pixels.size(); ++p) {
      ASSERT_GE(sample.picture.pixels[p], sample.mask.pixels[p]);
      pieces += sample.picture.pixels[p] > sample.mask.pixels[p];
    }
    EXPECT_GT(pieces, 0);
    EXPECT_LE(pieces, kPieces * kPieceSide * kPieceSide);
  }
  EXPECT_LT(least, 16);
  EXPECT_GT(most, 44);
}

TEST(ClutteredDigits, TakeOnlyPicturesThatFit) {
  Random random(1);
  const auto small = [](Random&) { return Picture(4, 4, 1); };
  EXPECT_THAT(error_of([&] { scatter(Picture(61, 5, 1), random, small); }), HasSubstr("[digits] "));
  EXPECT_THAT(error_of([&] { scatter(Picture(28, 28, 1), random, small); }), HasSubstr("8 x 8 or more"));
}

}  // namespace
}  // namespace fovea::data
