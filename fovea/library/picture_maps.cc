#include "fovea/library/picture_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/classify_pictures.h"
#include "fovea/library/labels.h"
#include "fovea/look/merge.h"
#include "fovea/look/rollout.h"

namespace fovea::library {
namespace {

look::PictureMap map_over(const data::Picture& picture, int64_t grid, std::string_view name,
                          std::string_view said) {
  look::PictureMap map;
  // Models read all of a picture, in their own size: the grid lies over the whole of it.
  map.picture = picture;
  map.grid_height = map.grid_width = static_cast<int>(grid);
  map.atlas.title = name.empty() ? std::string(said) : fmt::format("{} → {}", name, said);
  return map;
}

look::Stack stack_over(const look::PictureMap& map, const char* name, std::vector<std::string> rows,
                       Tensor weights) {
  look::Stack stack;
  stack.name = name;
  stack.rows = std::move(rows);
  stack.columns = look::place_names(map.grid_height, map.grid_width);
  stack.row_name = "word";
  stack.column_name = "place";
  stack.weights = std::move(weights);
  return stack;
}

}  // namespace

look::PictureMap map_of_caption(const run::LoadedDecoder& model, const data::Picture& picture,
                                const decode::Candidate& said, std::string_view name, bool words) {
  check(said.weights.defined(), "look",
        "this model does not look: its decoder gets the picture as one fixed vector; train with --attention "
        "bahdanau or luong");
  look::PictureMap map = map_over(picture, model.decoder->info().grid, name, said.text);
  const Tensor& w = said.weights;
  map.atlas.stacks.push_back(
      stack_over(map, "cross", said.pieces, w.reshape({1, w.dim(0), w.dim(1), w.dim(2)})));
  look::Stack& stack = map.atlas.stacks.front();
  if (model.decoder->info().hard) stack.chosen = look::chosen_columns(stack.weights);
  if (!words) return map;
  look::Merge places{{}, stack.columns};  // as they are
  for (size_t i = 0; i < stack.columns.size(); ++i) places.into.push_back(static_cast<int>(i));
  stack = look::merged(
      stack, words_of_tokens(decode::words_of_ids(*model.target, said.ids), said.text, said.pieces), places);
  return map;
}

look::PictureMap map_of_patches(const run::PictureEncoder& model, const data::Picture& picture,
                                std::string_view name) {
  const run::PictureEncoderInfo& info = model.info();
  constexpr double kMost = 256e6;
  const auto per_head = std::pow(static_cast<double>(info.first_tokens + info.grid * info.grid), 2);
  check(per_head * static_cast<double>(info.layers * info.heads) <= kMost, "look",
        "{} x {} patches in {} layers of {} heads are more weights than memory should hold: expected {:.0f} "
        "million or fewer",
        info.grid, info.grid, info.layers, info.heads, kMost / 1e6);
  const run::Looked looked = model.look(data::prepared({&picture, 1}, info.input), {.encoder = true}).front();
  std::string said;
  if (!info.labels.empty()) {
    const decode::LabelValues values = decode::classify_pictures(model, {&picture, 1}).front();
    said = fmt::format("{} ({:.2f})", info.labels[values.best()], values.values[values.best()]);
  }
  // Where it sees a part of a picture, that is what is shown.
  const bool whole = !info.input.crop && info.input.fit == data::Fit::kStretch;
  look::PictureMap map = map_over(whole ? picture : data::fitted(picture, info.input), info.grid, name, said);
  const int64_t patches = info.grid * info.grid, tokens = info.first_tokens + patches;
  std::vector<Tensor> layers;
  for (const run::Seen& seen : looked) layers.push_back(seen.weights);
  Tensor first = Tensor::empty({info.layers, info.heads, 1, patches}),
         reached = Tensor::empty({info.layers, 1, 1, patches});
  float* to = first.data<float>();
  for (const Tensor& layer : layers)
    for (int64_t head = 0; head < info.heads; ++head)
      to = std::copy_n(layer.data<float>() + head * tokens * tokens + info.first_tokens, patches, to);
  const Tensor rolled = look::rollout(layers);
  to = reached.data<float>();
  for (int64_t layer = 0; layer < info.layers; ++layer)
    to = std::copy_n(rolled.data<float>() + layer * tokens + info.first_tokens, patches, to);
  map.atlas.stacks.push_back(stack_over(map, "class token", {"class token"}, std::move(first)));
  map.atlas.stacks.push_back(stack_over(map, "rollout", {"class token"}, std::move(reached)));
  return map;
}

look::GlimpsePath path_over(const run::PictureEncoder& model, const data::Picture& picture,
                            std::string_view name) {
  const run::PictureEncoderInfo& info = model.info();
  const run::GazePath gaze = model.gaze(data::prepared({&picture, 1}, info.input)).front();
  const decode::LabelValues values = decode::classify_pictures(model, {&picture, 1}).front();
  // From pixels of what the model sees to those of the picture.
  const auto side = static_cast<float>(info.input.size);
  const float wider = static_cast<float>(picture.width) / side,
              higher = static_cast<float>(picture.height) / side;
  look::GlimpsePath path{.picture = picture,
                         .glimpses = {},
                         .label = info.labels[values.best()],
                         .probability = values.values[values.best()],
                         .name = std::string(name)};
  for (const run::GazePath::Glance& glance : gaze.glances) {
    look::Glimpse glimpse{.x = glance.x * wider, .y = glance.y * higher, .sizes = {}};
    for (const int64_t size : gaze.sides)
      glimpse.sizes.push_back(static_cast<float>(size) * std::sqrt(wider * higher));
    path.glimpses.push_back(std::move(glimpse));
  }
  return path;
}

}  // namespace fovea::library
