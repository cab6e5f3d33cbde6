// fovea logits: what a model computes from given ids, or from a picture, as numbers, for comparing with other programs.
#include <charconv>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/cli/options.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/pictures/read.h"
#include "fovea/decode/logits.h"
#include "fovea/run/decoder.h"
#include "fovea/run/load.h"
#include "fovea/tensor/npy.h"
#include "fovea/tensor/shape_ops.h"

namespace fovea::cli {
namespace {

// "1,2,3".
std::vector<int32_t> ids_of(const std::string& text, const char* flag) {
  std::vector<int32_t> ids;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
    expect_usage(error == std::errc() && stop == text.data() + end && id >= 0,
                 "{}: '{}' is no list of ids such as 1,2,3", flag, text);
    ids.push_back(id);
    at = end + 1;
  }
  return ids;
}

Tensor picture_of(const std::string& path, const data::PictureInput& input) {
  const data::Picture picture = data::read_picture(path, data::Alpha::kOnWhite, "logits");
  return data::prepared({&picture, 1}, input);
}

// Channels go to the end, where pictures have them here.
Tensor pixels_of(const std::string& path, const data::PictureInput& input) {
  Tensor x = read_npy(path);
  if (x.rank() == 4 && x.dim(0) == 1) x = x.reshape({x.dim(1), x.dim(2), x.dim(3)});
  check(x.dtype() == DType::kF32 && x.shape() == Shape{input.channels, input.size, input.size}, "logits",
        "{} is {} {}: this model reads f32 [{}, {}, {}]", path, name_of(x.dtype()), x.shape().str(),
        input.channels, input.size, input.size);
  return tensor::permute(x, {1, 2, 0}).reshape({1, input.size, input.size, input.channels});
}

}  // namespace

int logits(int argc, char** argv) {
  std::string model, ids, source, picture, pixels, out;
  Arguments app(
      "Writes what a model computes from ids: logits [T, V] of the token after each (of labels, for a model "
      "that "
      "classifies), or the last hidden states [T, E] of a model without a head. From a picture: logits [1, "
      "labels], or "
      "the last hidden states [1, tokens, E].",
      "fovea logits");
  app.add_option("-m,--model", model, "directory of the model")->required()->type_name("DIR");
  app.add_option("--ids", ids,
                 "what it reads: 1,2,3; of a model that translates, the target after its start token")
      ->type_name("IDS");
  app.add_option("--source-ids", source,
                 "the source and its end-of-sequence token, for a model that translates")
      ->type_name("IDS");
  app.add_option("--picture", picture, "what it looks at, prepared as the model's directory says")
      ->type_name("FILE");
  app.add_option("--pixels", pixels,
                 "the prepared picture itself: f32 [channels, height, width], as Hugging Face has it, or [1, "
                 "channels, "
                 "height, width]")
      ->type_name("FILE.npy");
  app.add_option("-o,--out", out, "array to write")->required()->type_name("FILE.npy");
  add_threads(app);
  app.footer(
      "Example:\n"
      "  fovea logits -m gpt2 --ids 464,3290 --out logits.npy\n"
      "  fovea logits -m opus-mt-en-de --source-ids 31,7,0 --ids 58100,12 --out logits.npy\n"
      "  fovea logits -m vit-base-patch16-224 --picture cat.jpg --out logits.npy");
  if (!parse(app, argc, argv)) return 0;
  expect_usage(!ids.empty() + !picture.empty() + !pixels.empty() == 1,
               "give one of --ids, --picture and --pixels");
  if (ids.empty()) {
    expect_usage(source.empty(), "--source-ids is about texts, and there are no --ids");
    const std::shared_ptr<const run::PictureEncoder> encoder =
        run::as_picture_encoder(run::load_runner(model));
    expect_usage(encoder != nullptr, "{} looks at no pictures: give --ids", model);
    write_npy(out, decode::logits_of_pictures(*encoder, picture.empty()
                                                            ? pixels_of(pixels, encoder->info().input)
                                                            : picture_of(picture, encoder->info().input)));
    return 0;
  }
  const std::vector<int32_t> read = ids_of(ids, "--ids"),
                             from = source.empty() ? std::vector<int32_t>() : ids_of(source, "--source-ids");
  const std::shared_ptr<const run::Runner> runner = run::load_runner(model);
  const auto* decoder = dynamic_cast<const run::Decoder*>(runner.get());
  const bool reads_source = decoder && decoder->info().reads_source;
  expect_usage(reads_source == !from.empty(), "this model {}",
               reads_source ? "turns one sequence into another: give its source by --source-ids"
                            : "reads no source: leave out --source-ids");
  write_npy(out, decode::logits_of(*runner, read, from));
  return 0;
}

}  // namespace fovea::cli
