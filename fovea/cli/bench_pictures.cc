// Training steps of models that look at pictures, 64 of them at a time: a captioner of scenes with Bahdanau's attention, the cnn of
// `fovea train --model cnn --corpus digits`, and a vit of 6 layers of ViT-Tiny's width. Convolutions count as products of
// their windows with their weights, whatever form they run in.
#include <algorithm>

#include "fovea/cli/bench_step.h"
#include "fovea/models/captioner.h"
#include "fovea/models/cnn.h"
#include "fovea/models/vit.h"

namespace fovea::cli {
namespace {

constexpr int64_t kPictures = 64;

const std::vector<std::string> kDigits = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

StepRecipe adamw(float learning_rate, float weight_decay, float beta2) {
  return {.optimizer = {.name = "adamw",
                        .learning_rate = learning_rate,
                        .weight_decay = weight_decay,
                        .clip_norm = 1,
                        .beta2 = beta2}};
}

Tensor random_pictures(const models::PictureOptions& o) {
  return normal_numbers(kPictures * o.picture_size * o.picture_size * o.channels, 1)
      .reshape({kPictures, o.picture_size, o.picture_size, o.channels});
}

data::Batch labelled(const models::PictureOptions& o) {
  data::Batch batch = random_batch(kPictures, 1, 1, static_cast<int64_t>(kDigits.size()));
  batch.pictures = random_pictures(o);
  return batch;
}

// Captions of 5 to 21 tokens, <eos> counted, as those of scenes: the longest of a batch gives its steps.
data::Batch captioned(const models::CaptionerOptions& o) {
  constexpr int64_t kFewest = 5, kMost = 21;
  data::Batch batch = random_batch(kPictures, 1, kMost, o.decoder.target_vocab);
  batch.pictures = random_pictures(o);
  batch.target_tokens = 0;
  for (int64_t b = 0; b < kPictures; ++b) {
    const int64_t length = kFewest + b % (kMost - kFewest + 1);
    batch.target_lengths.data<int32_t>()[b] = static_cast<int32_t>(length);
    batch.target_tokens += length;
    int32_t* row = batch.target_out.data<int32_t>() + b * kMost;
    std::fill(row + length, row + kMost, data::kIgnore);
  }
  return batch;
}

// Multiply-adds for one picture.
double of_convolutions(const models::PictureOptions& picture, const models::ConvOptions& o) {
  double sum = 0;
  int64_t in = picture.channels;
  for (int64_t stage = 0; stage < o.conv_stages; ++stage)
    for (int64_t d = 0; d < o.conv_depth; ++d) {
      const int64_t side = picture.picture_size >> stage;
      sum += static_cast<double>(side * side * 9 * in * o.width(stage));
      in = o.width(stage);
    }
  return sum;
}

BenchCase train_captioner() {
  models::CaptionerOptions o;
  o.decoder.target_vocab = 31;
  o.decoder.cell = "lstm";
  o.decoder.dim_emb = 64;
  const double E = 64, H = 256, C = 128, S = 64, T = 21, V = 31;
  const double step = 4 * H * (E + C + H) + H * H + (H + C) * V + S * (H + C);
  return step_case(
      "train/captioner", 3 * 2e-9 * kPictures * (of_convolutions(o, o) + S * C * H + C * 2 * H + T * step),
      [=] { return std::make_unique<models::Captioner>(o, 1); }, [=] { return captioned(o); },
      adamw(2e-3f, 0.01f, 0.99f));
}

BenchCase train_vit() {
  models::VitOptions o;
  o.dim_model = 192;
  o.heads = 3;
  o.dim_ffn = 768;
  o.labels = kDigits;
  const double E = 192, L = 65, patches = 64 * 4 * 4 * 3 * E;
  return step_case(
      "train/vit", 3 * 2e-9 * kPictures * (patches + 6 * L * (12 * E * E + 2 * L * E)),
      [=] { return std::make_unique<models::Vit>(o, 1); }, [=] { return labelled(o); },
      adamw(1e-3f, 0.05f, 0.999f));
}

BenchCase train_cnn() {
  models::CnnOptions o;
  o.picture_size = 28;
  o.channels = 1;
  o.labels = kDigits;
  return step_case(
      "train/cnn", 3 * 2e-9 * kPictures * of_convolutions(o, o),
      [=] { return std::make_unique<models::Cnn>(o, 1); }, [=] { return labelled(o); },
      adamw(2e-3f, 0.01f, 0.999f));
}

}  // namespace

std::vector<BenchCase> picture_cases() { return {train_captioner(), train_vit(), train_cnn()}; }

}  // namespace fovea::cli
