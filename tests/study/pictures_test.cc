// Studies of pictures from end to end, with models that are trained in the blink of an eye.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/study/kinds.h"
#include "fovea/study/picture_parts.h"
#include "fovea/study/run.h"
#include "tests/temporary_directory.h"

namespace fovea::study {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// The trials of a study, made small.
template <Kind (*study)()>
std::vector<Trial> tiny_trials() {
  std::vector<Trial> trials = study().trials();
  for (Trial& trial : trials) {
    train::Settings& s = trial.settings;
    s.mini_batch = 8;
    s.lr_warmup = {0, 'u'};
    if (s.model != "vit" && s.model != "rowrnn") s.conv_channels = s.model == "captioner" ? 4 : 2;
    if (s.model != "vit" && s.model != "cnn") s.dim_rnn = 8;
    if (s.model == "vit") s.dim_model = s.dim_ffn = 8;
  }
  return trials;
}

template <Kind (*study)()>
Kind tiny() {
  Kind kind = study();
  kind.trials = tiny_trials<study>;
  kind.updates = 240;  // 2 in kQuick
  return kind;
}
constexpr double kQuick = 0.1;

class PictureStudy : public ::testing::Test {
 protected:
  Options options(const std::string& name) const {
    Options o;
    o.out = directory_ / name;
    o.threads = 1;
    o.minutes = kQuick;
    return o;
  }
  Json figures(const std::string& name) const {
    Json json = Json::parse(read_file(directory_ / name + "/study.json"));
    for (Json& trial : json.at("trials")) {  // what depends on the machine, or on the directory
      trial.erase("time");
      for (const char* key : {"out", "images", "labels"}) trial.at("settings").erase(key);
    }
    return json;
  }
  // n pictures of 8 x 8 with labels 0 to 2, sorted by their labels.
  std::vector<std::string> own_pictures(int n) const {
    const auto header = [&](std::initializer_list<int> shape) {
      std::string text = {0, 0, 8, static_cast<char>(shape.size())};
      for (const int size : shape)
        for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift);
      return text;
    };
    std::string images = header({n, 8, 8}), labels = header({n});
    for (int i = 0; i < n; ++i) {
      for (int p = 0; p < 64; ++p) images += static_cast<char>(i * (p + 1) + p * p);
      labels += static_cast<char>(3 * i / n);
    }
    write_atomically(directory_ / "images", images);
    write_atomically(directory_ / "labels", labels);
    return {directory_ / "images", directory_ / "labels"};
  }
  static std::string error_of(const Kind& kind, const Options& options) {
    try {
      run(kind, options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  // Stopped ever later, until it is done. How often it was stopped.
  int run_with_stops(const Kind& kind, const Options& o, int more) const {
    int stops = 0;
    for (int patience = 3; stops < 200; patience += more, ++stops) {
      int asked = 0;
      if (run(kind, o, [&] { return ++asked > patience; })) break;
      EXPECT_FALSE(fs::exists(o.out + "/study.json"));
    }
    return stops;
  }
  TemporaryDirectory directory_;
};

TEST_F(PictureStudy, SamplesWritesFiguresTableAndPlots) {
  const auto report = run(tiny<samples_study>(), options("a"));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->table.rows.size(), 5U);
  const Json json = figures("a");
  EXPECT_EQ(json.at("pictures"), (Json{{"train", 10000}, {"test", 100}}));
  EXPECT_EQ(json.at("trials").size(), 30U);
  const Json& first = json.at("trials").at(0);
  EXPECT_EQ(first.at("name"), "cnn-100");
  EXPECT_EQ(first.at("updates"), 2);
  EXPECT_EQ(first.at("settings").at("corpus-size"), "100");
  EXPECT_GT(first.at("quality").at("parameters"), 0);
  EXPECT_EQ(json.at("trials").back().at("settings").at("corpus-size"), "10000");
  for (const char* name : {"table.md", "samples.svg", "samples.png", "runs/vit-all-shift/last/config.json"})
    EXPECT_TRUE(fs::exists(directory_ / "a/" + name)) << name;
}

TEST_F(PictureStudy, SamplesGoesOnWhereItStopped) {
  const Kind kind = tiny<samples_study>();
  run(kind, options("whole"));
  EXPECT_GE(run_with_stops(kind, options("stopped"), 60), 2);
  EXPECT_EQ(figures("stopped"), figures("whole"));
}

TEST_F(PictureStudy, SamplesTakesPicturesOfYourOwn) {
  Options own = options("a");
  own.data = own_pictures(400);
  const auto report = run(tiny<samples_study>(), own);
  ASSERT_TRUE(report.has_value());
  const Json json = figures("a");
  EXPECT_EQ(json.at("data"), Json(own.data));
  const int train = json.at("pictures").at("train"), test = json.at("pictures").at("test");
  EXPECT_EQ(train + test, 400);
  EXPECT_NEAR(test, 40, 25);
  EXPECT_EQ(report->table.rows.size(), 3U) << "100, 300 and all";
  EXPECT_EQ(report->table.rows.back()[0], std::to_string(train));
  EXPECT_EQ(json.at("trials").size(), 18U);
  const data::IdxPictures some =
      data::read_idx_pictures(directory_ / "a/data/train-100-images", directory_ / "a/data/train-100-labels");
  EXPECT_EQ(some.size(), 100);
  EXPECT_EQ(some.classes(), 3) << "pictures are drawn from all of the file";
}

TEST_F(PictureStudy, PartsNeverShareAPictureAndFewerPicturesAreTheFirstOfMore) {
  const std::vector<std::string> files = own_pictures(1500);  // i and i + 256 are the same picture
  const PictureParts parts = picture_parts(files[0], files[1], 7);
  std::set<std::vector<uint8_t>> train;
  for (const int64_t i : parts.train) train.insert(parts.all.picture(i).pixels);
  EXPECT_LT(train.size(), 256U);
  for (const data::PictureSample& sample : parts.test) EXPECT_FALSE(train.contains(sample.picture.pixels));
  fs::create_directory(directory_ / "data");
  const IdxFiles few = write_training(parts, 10, directory_ / "data"),
                 more = write_training(parts, 20, directory_ / "data");
  const data::IdxPictures a = data::read_idx_pictures(few.images, few.labels),
                          b = data::read_idx_pictures(more.images, more.labels);
  for (int64_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a.picture(i), b.picture(i));
    EXPECT_EQ(a.label(i), b.label(i));
  }
}

TEST_F(PictureStudy, TooFewPicturesAreRefused) {
  Options own = options("a");
  own.data = own_pictures(1);
  EXPECT_EQ(
      error_of(samples_study(), own),
      "[study] " + own.data[0] + " has 1 pictures, too few to teach and test with: expected some hundreds");
  own.data = {directory_ / "none", directory_ / "none"};
  EXPECT_THAT(error_of(samples_study(), own), HasSubstr("[study] " + (directory_ / "none")));
}

TEST_F(PictureStudy, LookAtPicturesMeasuresWhatIsReadAndTheNoiseOfGradients) {
  const auto report = run(tiny<look_at_pictures_study>(), options("a"));
  ASSERT_TRUE(report.has_value());
  const Json json = figures("a");
  EXPECT_EQ(json.at("pictures"), (Json{{"test", 100}}));
  for (const Json& trial : json.at("trials")) {
    const Json& quality = trial.at("quality");
    const bool soft = trial.at("name") == "soft";
    if (soft) {
      EXPECT_GT(quality.at("places_per_word"), 1.5);
      EXPECT_LE(quality.at("places_per_word"), 64.001);
      EXPECT_NEAR(quality.at("gradient").at("variance"), 0, 1e-12) << "nothing is drawn";
    } else {
      EXPECT_NEAR(quality.at("places_per_word"), 1, 1e-6) << trial.at("name");
    }
    EXPECT_GT(quality.at("gradient").at("squared_mean"), 0);
  }
  EXPECT_GT(json.at("trials").at(1).at("quality").at("gradient").at("variance"), 0) << "reinforce draws";
}

TEST_F(PictureStudy, LookAtPicturesGoesOnWhereItStopped) {
  const Kind kind = tiny<look_at_pictures_study>();
  run(kind, options("whole"));
  EXPECT_GE(run_with_stops(kind, options("stopped"), 200), 2);
  EXPECT_EQ(figures("stopped"), figures("whole"));
  run(kind, options("whole"));
  EXPECT_EQ(figures("stopped"), figures("whole")) << "tested again, with weights from the disk";
}

TEST_F(PictureStudy, DataIsRefusedWhereThereIsNoUseForIt) {
  Options own = options("a");
  own.data = {"a", "b"};
  EXPECT_EQ(error_of(look_at_pictures_study(), own),
            "[study] look-at-pictures has a built-in corpus and takes no data of your own: leave out --data");
  EXPECT_FALSE(fs::exists(own.out));
}

}  // namespace
}  // namespace fovea::study
