#include "fovea/data/pictures/input.h"

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/data/pictures/resize.h"

namespace fovea::data {

Picture fitted(const Picture& picture, const PictureInput& input) {
  Picture as = picture.channels == input.channels ? picture
               : input.channels == 1              ? as_grey(picture)
                                                  : as_rgb(picture);
  if (as.height == input.size && as.width == input.size) return as;
  return resize(as, input.size, input.size, Filter::kBicubic);
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
