// The functions of Model that are about pictures.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/pictures/read.h"
#include "fovea/decode/caption.h"
#include "fovea/decode/classify_pictures.h"
#include "fovea/library/guarded.h"
#include "fovea/library/loaded_model.h"
#include "fovea/library/map_contents.h"
#include "fovea/library/picture_maps.h"
#include "fovea/library/results.h"

namespace fovea {
namespace {

constexpr size_t kAtOnce = 64;  // pictures that are held in memory

// One of the file, or of the pixels.
data::Picture picture_of(const Picture& given, const char* who) {
  if (!given.path.empty()) return data::read_picture(given.path, data::Alpha::kOnWhite, who);
  data::check_picture_size(given.height, given.width, "the pixels", who);
  check(given.channels == 1 || given.channels == 3, who, "{} channels: expected 1, grey, or 3, RGB",
        given.channels);
  const int64_t expected = given.height * given.width * given.channels;
  check(static_cast<int64_t>(given.pixels.size()) == expected, who,
        "a picture of {} x {} x {} with {} bytes: expected {}", given.height, given.width, given.channels,
        given.pixels.size(), expected);
  data::Picture picture;
  picture.height = given.height;
  picture.width = given.width;
  picture.channels = given.channels;
  picture.pixels = given.pixels;
  return picture;
}

// use(i, pictures i, i + 1, ...) for all of them in turn, some at once.
template <typename F>
void in_parts(std::span<const Picture> pictures, const char* who, F&& use) {
  for (size_t begin = 0; begin < pictures.size(); begin += kAtOnce) {
    std::vector<data::Picture> part;
    for (const Picture& one : pictures.subspan(begin, std::min(kAtOnce, pictures.size() - begin)))
      part.push_back(picture_of(one, who));
    use(begin, part);
  }
}

}  // namespace

Classification Model::classify(const Picture& picture) const {
  return std::move(classify({&picture, 1}).front());
}

std::vector<Classification> Model::classify(std::span<const Picture> pictures) const {
  return library::guarded("classify", [&] {
    const run::PictureEncoder& model = loaded().labeller("classify");
    std::vector<Classification> all;
    in_parts(pictures, "classify", [&](size_t, const std::vector<data::Picture>& part) {
      for (decode::LabelValues& values : decode::classify_pictures(model, part))
        all.push_back(
            library::classification_of(model.info().labels, {.line = std::move(values), .words = {}}));
    });
    return all;
  });
}

Caption Model::caption(const Picture& picture, const CaptionOptions& options) const {
  return std::move(caption({&picture, 1}, options).front());
}

std::vector<Caption> Model::caption(std::span<const Picture> pictures, const CaptionOptions& options) const {
  return library::guarded("caption", [&] {
    const run::LoadedDecoder model = loaded().captioner("caption");
    decode::CaptionOptions how;
    how.batch = options.batch;
    how.search.beam_size = options.beam_size;
    how.search.n_best = options.n_best;
    how.search.normalize = options.normalize;
    if (options.look) how.search.look = decode::look_at_source();
    std::vector<Caption> all;
    in_parts(pictures, "caption", [&](size_t begin, const std::vector<data::Picture>& part) {
      const Tensor prepared = data::prepared(part, model.decoder->info().input);
      const auto said = decode::caption_pictures(model, prepared, how, options.cancelled);
      if (!said) throw Cancelled("[caption] it was cancelled");
      for (size_t i = 0; i < part.size(); ++i) {
        Caption& one = all.emplace_back();
        const std::vector<decode::Candidate>& found = (*said)[i];
        static_cast<Hypothesis&>(one) = library::hypothesis_of(found.front());
        for (const decode::Candidate& candidate : found)
          one.n_best.push_back(library::hypothesis_of(candidate));
        if (found.front().weights.defined())
          one.map = library::make_map(library::map_of_caption(model, part[i], found.front(),
                                                              pictures[begin + i].path, options.words));
      }
    });
    return all;
  });
}

Map Model::look(const Picture& picture, const LookOptions& options) const {
  return library::guarded("look", [&] {
    loaded().expect(loaded().info.reads_pictures, "look");
    check(can("look"), "look", "this model does not look at parts of a picture: it has no attention");
    check(options.target.empty(), "look", "a target is about models that translate");
    if (loaded().pictures)
      return library::make_map(
          library::map_of_patches(*loaded().pictures, picture_of(picture, "look"), picture.path));
    return caption(picture, {.beam_size = options.beam_size, .look = true, .words = options.words}).map;
  });
}

}  // namespace fovea
