// From pictures that are drawn as they are needed to a batch for a model, and how fast that goes.
//   build/examples/example_pictures            of the built-in scenes
//   build/examples/example_pictures DIR TSV    of a directory of your own: PNG or JPEG, with lines of file, tab, caption
#include <fmt/format.h>

#include <chrono>

#include "fovea/base/error.h"
#include "fovea/data/picture_corpora.h"
#include "fovea/data/pictures/augment.h"
#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/prepare.h"
#include "fovea/data/pictures/resize.h"

using namespace fovea;

int main(int argc, char** argv) try {
  constexpr int64_t kBatch = 8, kSide = 32, kDrawn = 2000;
  const data::Normalise how{.mean = {0.5f, 0.5f, 0.5f}, .std = {0.5f, 0.5f, 0.5f}};
  Tensor batch = Tensor::empty({kBatch, kSide, kSide, 3});
  const auto put = [&](int64_t row, const data::Picture& picture) {
    data::normalise_into(picture, how, batch.slice(row, row + 1).span<float>());
  };

  if (argc == 3) {
    const data::PictureFolder folder(argv[1], argv[2]);
    for (int64_t i = 0; i < kBatch; ++i) {
      const int64_t row = i % folder.size();
      data::Picture picture = as_rgb(folder.picture(row));
      picture = data::resize_shorter_side(picture, kSide, data::Filter::kBicubic);
      picture = data::centre_crop(picture, kSide, kSide);
      put(i, data::augmented(picture, {.shift = 2, .colour = 0.1f}, /*seed=*/1, /*step=*/0,
                             static_cast<uint64_t>(i)));
      fmt::print("{}: {}\n", folder.row(row).file, folder.row(row).text);
    }
  } else {
    const data::PictureCorpusKind& scenes = data::picture_corpus_named("scenes");
    for (int64_t i = 0; i < kBatch; ++i) {
      const data::PictureSample sample = data::draw_sample(scenes, {.seed = 1}, data::Part::kTrain, i);
      put(i, sample.picture);
      fmt::print("{}\n", sample.text);
    }
    for (const data::PictureCorpusKind& kind : data::picture_corpus_table())
      for (const bool cluttered : {false, true}) {
        data::PictureCorpusOptions options;
        options.cluttered = cluttered;
        const auto begin = std::chrono::steady_clock::now();
        for (int64_t i = 0; i < kDrawn; ++i) data::draw_sample(kind, options, data::Part::kTrain, i);
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
        fmt::print("{}{}: {:.1f} microseconds a picture, on one thread\n", kind.name,
                   cluttered ? " --cluttered" : "", time.count() / kDrawn);
      }
  }
  fmt::print("a batch of {}, such as {:.2f}\n", batch.shape().str(), batch.data<float>()[0]);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
