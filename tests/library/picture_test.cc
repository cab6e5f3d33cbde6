// Pictures through the public interface, against the rooms that it stands on.
#include <gmock/gmock.h>

#include <sstream>
#include <thread>

#include "fovea/data/pictures/read.h"
#include "fovea/decode/caption.h"
#include "fovea/decode/classify_pictures.h"
#include "fovea/fovea.h"
#include "fovea/look/rollout.h"
#include "fovea/run/load.h"
#include "tests/error_message.h"
#include "tests/library/models.h"
#include "tests/look/made_picture_map.h"

namespace fovea::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class PictureLibrary : public LibraryModels {
 protected:
  PictureLibrary() {
    write_atomically(file_, data::to_png(made_));
    pixels_ = {.height = made_.height, .width = made_.width, .pixels = made_.pixels};
  }
  std::string captioner(const nlohmann::json& changes = {}) {
    write_untrained_captioner(folder_ / "captioner", changes);
    return folder_ / "captioner";
  }
  std::string labeller(const std::string& kind) {
    write_untrained_labeller(folder_ / kind, kind);
    return folder_ / kind;
  }

  data::Picture made_ = look::made_picture(40, 32);
  std::string file_ = folder_ / "picture.png";
  Picture pixels_;
};

TEST_F(PictureLibrary, CaptionsAsTheDecoderDoesFromAFileAndFromPixels) {
  const std::string dir = captioner();
  const Model model = load(dir);
  EXPECT_TRUE(model.info().reads_pictures);
  EXPECT_TRUE(model.can("caption"));
  EXPECT_TRUE(model.can("look"));
  const Picture pictures[] = {{.path = file_}, pixels_};
  const std::vector<Caption> said = model.caption(pictures, {.beam_size = 3, .n_best = 2, .look = true});
  const auto expected =
      decode::caption_pictures(run::load_captioner(dir), {&made_, 1},
                               {.search = {.beam_size = 3, .n_best = 2, .look = decode::look_at_source()}});
  ASSERT_THAT(said, SizeIs(2));
  for (const Caption& one : said) {
    EXPECT_EQ(one.text, expected[0][0].text);
    EXPECT_EQ(one.log_prob, expected[0][0].log_prob);
    ASSERT_EQ(one.n_best.size(), expected[0].size());
    EXPECT_EQ(one.n_best.back().ids, expected[0].back().ids);
    const std::vector<Map::Attention> all = one.map.attentions();
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].rows, expected[0][0].pieces);
    EXPECT_EQ(all[0].grid_height, 4);
    EXPECT_EQ(all[0].grid_width, 4);
    EXPECT_EQ(all[0].columns[6], "1,2");
    EXPECT_EQ(all[0].weights.numbers()[17], expected[0][0].weights.data<float>()[17]);
  }
  const Caption plain = model.caption({.path = file_}, {.beam_size = 3});
  EXPECT_EQ(plain.text, said[0].text);
  EXPECT_TRUE(plain.map.empty());
  EXPECT_THAT(model.caption(std::vector<Picture>{}), SizeIs(0));
}

TEST_F(PictureLibrary, AMapOfAPictureShowsItselfInEveryForm) {
  const Map map = load(captioner()).caption({.path = file_}, {.look = true}).map;
  EXPECT_THAT(map.svg(), HasSubstr("picture.png → "));
  EXPECT_TRUE(map.png(1).starts_with("\x89PNG"));
  EXPECT_THAT(map.html(), HasSubstr("data:image/png;base64,"));
  EXPECT_THAT(map.json(), HasSubstr("\"grid\":[4,4]"));
  EXPECT_THAT(map.text(60, Map::Color::kTrue), HasSubstr("▀"));
  std::ostringstream out;
  out << map;
  EXPECT_EQ(out.str(), map.text());
  EXPECT_THAT(out.str(), HasSubstr("the first is the picture"));
  const Map word = map.select({.token = "#1"});
  EXPECT_EQ(word.attentions()[0].grid_width, 4);
  EXPECT_NE(word.svg(), map.svg());
}

TEST_F(PictureLibrary, LabelsPictures) {
  for (const char* kind : {"cnn", "vit"}) {
    const std::string dir = labeller(kind);
    const Model model = load(dir);
    EXPECT_TRUE(model.info().reads_pictures);
    EXPECT_TRUE(model.can("classify"));
    EXPECT_FALSE(model.can("embed")) << "it has vectors of lines alone";
    EXPECT_EQ(model.can("look"), kind == std::string("vit"));
    const Picture pictures[] = {pixels_, {.path = file_}, pixels_};
    const std::vector<Classification> all = model.classify(pictures);
    const auto expected = decode::classify_pictures(*run::load_picture_encoder(dir), {&made_, 1});
    ASSERT_THAT(all, SizeIs(3));
    for (const Classification& one : all) {
      ASSERT_THAT(one.all, SizeIs(2));
      EXPECT_EQ(one.all[1].label, "seven");
      EXPECT_EQ(one.all[1].probability, expected[0].values[1]);
      EXPECT_EQ(one.label, one.all[expected[0].best()].label);
    }
    EXPECT_EQ(model.classify(pixels_).probability, all[0].probability);
    EXPECT_THAT(error_of([&] { model.caption(pixels_); }), HasSubstr("labels them"));
  }
}

TEST_F(PictureLibrary, ATransformerOverPatchesShowsItsClassTokenAndItsRollout) {
  const std::string dir = labeller("vit");
  const Map map = load(dir).look({.path = file_});
  const auto all = map.attentions();
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_EQ(all[0].name, "class token");
  EXPECT_THAT(all[0].weights.shape(), ElementsAre(2, 2, 1, 16));
  EXPECT_EQ(all[1].name, "rollout");
  EXPECT_THAT(all[1].weights.shape(), ElementsAre(2, 1, 1, 16));
  const auto encoder = run::load_picture_encoder(dir);
  const run::Looked looked =
      encoder->look(data::prepared({&made_, 1}, encoder->info().input), {.encoder = true}).front();
  ASSERT_THAT(looked, SizeIs(2));
  const Tensor rolled = look::rollout({looked[0].weights, looked[1].weights});
  for (int64_t layer = 0; layer < 2; ++layer)
    for (int64_t place = 0; place < 16; ++place) {
      for (int64_t head = 0; head < 2; ++head)
        EXPECT_EQ(all[0].weights.data()[(layer * 2 + head) * 16 + place],
                  looked[static_cast<size_t>(layer)].weights.data<float>()[head * 17 * 17 + 1 + place]);
      EXPECT_EQ(all[1].weights.data()[layer * 16 + place], rolled.data<float>()[layer * 17 + 1 + place]);
    }
  EXPECT_THAT(map.select({.attention = "rollout", .layers = {1}}).attentions()[0].layers, ElementsAre(1));
}

TEST_F(PictureLibrary, WhatCannotBeIsOneLine) {
  const Model model = load(captioner());
  EXPECT_THAT(error_of([&] { model.caption({.path = folder_ / "none.png"}); }), HasSubstr("none.png"));
  EXPECT_EQ(error_of([&] { model.caption({.height = 2, .width = 2, .pixels = std::vector<uint8_t>(11)}); }),
            "[caption] a picture of 2 x 2 x 3 with 11 bytes: expected 12");
  EXPECT_THAT(error_of([&] {
                model.caption({.height = 2, .width = 2, .channels = 4, .pixels = std::vector<uint8_t>(16)});
              }),
              HasSubstr("4 channels: expected 1, grey, or 3, RGB"));
  EXPECT_THAT(error_of([&] { model.caption(Picture{}); }), HasSubstr("[caption] the pixels"));
  EXPECT_THAT(error_of([&] { model.caption({.height = int64_t{1} << 40, .width = int64_t{1} << 40}); }),
              HasSubstr("expected 65,535 or fewer on a side"));
  EXPECT_THAT(error_of([&] { model.caption(pixels_, {.beam_size = 0}); }), HasSubstr("beam"));
  EXPECT_THAT(error_of([&] { model.look("a text"); }), HasSubstr("says what it sees"));
  EXPECT_THAT(error_of([&] { model.classify(pixels_); }), HasSubstr("says what it sees"));
  EXPECT_THAT(error_of([&] { load(gpt()).caption(pixels_); }), HasSubstr("continues texts"));
  EXPECT_THAT(error_of([&] { load(gpt()).look(pixels_); }), HasSubstr("continues texts"));
  EXPECT_THAT(error_of([&] { load(labeller("cnn")).look(pixels_); }), HasSubstr("it has no attention"));
  EXPECT_THROW(model.caption(pixels_, {.cancelled = [] { return true; }}), Cancelled);
  const Map none = load(captioner({{"attention", "bottleneck"}})).caption(pixels_, {.look = true}).map;
  EXPECT_TRUE(none.empty());
}

TEST_F(PictureLibrary, ManyThreadsGetTheSameBits) {
  const Model says = load(captioner()), labels = load(labeller("vit"));
  const auto all = [&] {
    const Caption said = says.caption(pixels_, {.beam_size = 2, .look = true});
    std::ostringstream out;
    out << said.text << said.log_prob << said.map.json() << labels.classify(pixels_).probability
        << labels.look(pixels_).json();
    return out.str();
  };
  const std::string alone = all();
  std::vector<std::string> got(4);
  std::vector<std::thread> threads;
  for (std::string& one : got) threads.emplace_back([&] { one = all(); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& one : got) EXPECT_EQ(one, alone);
}

}  // namespace
}  // namespace fovea::testing
