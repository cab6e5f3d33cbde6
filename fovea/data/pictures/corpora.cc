// The table of picture corpora, and how their samples are drawn.
#include <array>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/data/picture_corpora.h"
#include "fovea/data/pictures/digits.h"
#include "fovea/data/pictures/scenes.h"

namespace fovea::data {
namespace {

constexpr int64_t kClutterOfScenes = 8;

uint8_t as_byte(float share) { return static_cast<uint8_t>(share * 255 + 0.5f); }

void draw_scene_sample(Random& random, const PictureCorpusOptions& options, PictureSample& sample) {
  const SceneOptions how{.min_shapes = options.min_shapes,
                         .max_shapes = options.max_shapes,
                         .clutter = options.cluttered ? kClutterOfScenes : 0,
                         .noise = options.noise};
  sample.scene = draw_scene(random, how);
  Sentence sentence = say_scene(sample.scene, static_cast<int>(random.below(kWordings)));
  sample.text = std::move(sentence.text);
  sample.object_of_word = std::move(sentence.object_of_word);
  std::vector<Coverage> masks;
  sample.picture = paint_scene(sample.scene, random, how, &masks);
  sample.mask = Picture(kSceneSide, kSceneSide, 3);
  for (size_t object = 0; object < masks.size(); ++object)
    for (size_t i = 0; i < masks[object].values().size(); ++i)
      sample.mask.pixels[3 * i + object] = as_byte(masks[object].values()[i]);
}

void draw_digit_sample(Random& random, const PictureCorpusOptions& options, PictureSample& sample) {
  sample.label = static_cast<int>(random.below(10));
  sample.text = std::to_string(sample.label);
  sample.picture = draw_digit(sample.label, random);
  sample.centre = ink_centre(sample.picture);
  if (options.cluttered) {
    Field field = scatter(sample.picture, random, [&](Random& more) {
      return draw_digit(static_cast<int>((sample.label + 1 + more.below(9)) % 10), more);
    });
    sample.picture = std::move(field.picture);
    sample.mask = std::move(field.mask);
    sample.centre = field.centre;
  }
  if (options.noise > 0) add_noise(sample.picture, options.noise, random);
}

}  // namespace

std::span<const PictureCorpusKind> picture_corpus_table() {
  static constexpr PictureCorpusKind kTable[] = {
      {.name = "scenes",
       .what = "pictures of one to three coloured shapes, with a sentence about each and what its words name",
       .captions = true,
       .classes = 0,
       .train = 10000,
       .valid = 500,
       .test = 1000,
       .draw = draw_scene_sample},
      {.name = "digits",
       .what = "handwritten digits, alone or among pieces of others",
       .captions = false,
       .classes = 10,
       .train = 10000,
       .valid = 500,
       .test = 1000,
       .draw = draw_digit_sample},
  };
  return kTable;
}

const PictureCorpusKind& picture_corpus_named(std::string_view name) {
  std::vector<std::string> names;
  for (const PictureCorpusKind& kind : picture_corpus_table()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  fail("corpus", "no built-in corpus of pictures is called {}; there are {}", quote(name),
       nearest_first(name, names));
}

std::string_view name_of(Part part) {
  constexpr std::string_view kNames[] = {"train", "valid", "test"};
  return kNames[static_cast<size_t>(part)];
}

// Eight bytes at a time, each multiplied into the rest as in FNV-1a, and MurmurHash3's end.
Part part_of(const Picture& picture) {
  uint64_t h = 0xCBF29CE484222325;
  for (size_t at = 0; at < picture.pixels.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, picture.pixels.data() + at, std::min<size_t>(8, picture.pixels.size() - at));
    h = (h ^ word) * 0x9E3779B97F4A7C15;
    h ^= h >> 32;
  }
  h = (h ^ (h >> 33)) * 0xFF51AFD7ED558CCD;
  h = (h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53;
  const uint64_t share = (h ^ (h >> 33)) % 100;
  return share < 90 ? Part::kTrain : share < 95 ? Part::kValid : Part::kTest;
}

PictureSample draw_sample(const PictureCorpusKind& kind, const PictureCorpusOptions& options, Part part,
                          int64_t index) {
  check(options.noise >= 0 && options.noise <= 1, "corpus", "noise of {}: expected 0 to 1", options.noise);
  Random random(options.seed, static_cast<uint64_t>(index) * 3 + static_cast<uint64_t>(part));
  PictureSample sample;
  do {
    sample = {};
    kind.draw(random, options, sample);
  } while (part_of(sample.picture) != part);
  return sample;
}

}  // namespace fovea::data
