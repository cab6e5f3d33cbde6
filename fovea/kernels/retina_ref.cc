#include <algorithm>
#include <cmath>

#include "fovea/kernels/retina.h"

namespace fovea::kernels::ref {
namespace {

// How much of pixel p lies in [from, to).
double share_within(double from, double to, int64_t p) {
  const auto begin = static_cast<double>(p);
  return std::max(0.0, std::min(to, begin + 1) - std::max(from, begin));
}

}  // namespace

template <typename T>
void retina(const RetinaSize& s, const T* x, const T* at, T* y) {
  for (int64_t b = 0; b < s.B; ++b) {
    const double centre_x = static_cast<double>(at[2 * b]), centre_y = static_cast<double>(at[2 * b + 1]);
    const bool seen = std::isfinite(centre_x) && std::isfinite(centre_y);
    const T* picture = x + b * s.height * s.width * s.channels;
    for (int64_t scale = 0; scale < s.scales; ++scale) {
      const auto k = static_cast<double>(int64_t{1} << scale);
      const double half = static_cast<double>(s.size) * k / 2;
      for (int64_t i = 0; i < s.size; ++i)
        for (int64_t j = 0; j < s.size; ++j)
          for (int64_t c = 0; c < s.channels; ++c) {
            const double top = centre_y - half + static_cast<double>(i) * k,
                         left = centre_x - half + static_cast<double>(j) * k;
            double sum = 0;
            for (int64_t row = 0; seen && row < s.height; ++row)
              for (int64_t col = 0; col < s.width; ++col)
                sum += share_within(top, top + k, row) * share_within(left, left + k, col) *
                       static_cast<double>(picture[(row * s.width + col) * s.channels + c]);
            *y++ = static_cast<T>(sum / (k * k));
          }
    }
  }
}

template void retina(const RetinaSize&, const float*, const float*, float*);
template void retina(const RetinaSize&, const double*, const double*, double*);

}  // namespace fovea::kernels::ref
