#include "fovea/data/pictures/input.h"

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"

namespace fovea::data {

Picture fitted(const Picture& picture, const PictureInput& input) {
  Picture as = picture.channels == input.channels ? picture
               : input.channels == 1              ? as_grey(picture)
                                                  : as_rgb(picture);
  const int64_t side = input.side > 0 ? input.side : input.size;
  if (input.fit == Fit::kShorterSide)
    as = resize_shorter_side(as, side, input.filter);
  else if (input.fit == Fit::kStretch && (as.height != side || as.width != side))
    as = resize(as, side, side, input.filter);
  if (input.crop) as = centre_crop(as, input.size, input.size);
  check(as.height == input.size && as.width == input.size, "pictures",
        "a picture of {} x {} pixels: this model reads {} x {}, and its preprocessor_config.json does not "
        "say how "
        "others are made so; resize it",
        as.width, as.height, input.size, input.size);
  return as;
}

Tensor prepared(std::span<const Picture> pictures, const PictureInput& input) {
  const auto count = static_cast<int64_t>(pictures.size());
  Tensor all = Tensor::empty({count, input.size, input.size, input.channels});
  const std::span<float> numbers = all.span<float>();
  parallel_for(count, [&](int64_t i) {
    normalise_into(
        fitted(pictures[static_cast<size_t>(i)], input), input.normalise,
        numbers.subspan(static_cast<size_t>(i * input.numbers()), static_cast<size_t>(input.numbers())));
  });
  return all;
}

void check_prepared(const Tensor& pictures, const PictureInput& input, std::string_view who) {
  check(pictures.defined() && pictures.dtype() == DType::kF32 && pictures.rank() == 4 &&
            pictures.dim(0) > 0 && pictures.dim(1) == input.size && pictures.dim(2) == input.size &&
            pictures.dim(3) == input.channels,
        who, "pictures {}: expected f32 [pictures, {}, {}, {}]",
        pictures.defined() ? pictures.shape().str() : "of no shape", input.size, input.size, input.channels);
}

}  // namespace fovea::data
