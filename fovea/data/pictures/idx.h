// IDX files, the format of MNIST and Fashion-MNIST: bytes in an array of any rank. Plain or gzip.
//   2 bytes      0
//   1 byte       type of the elements: 8 is u8, the only one that is read
//   1 byte       rank r
//   r x 4 bytes  sizes, big-endian
//   ...          the elements, row-major; nothing follows
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/picture.h"

namespace fovea::data {

struct Idx {
  std::vector<int64_t> shape;
  std::vector<uint8_t> values;
};
// Throws [who] PATH: ... for what is no IDX file of bytes with this rank, is cut short, goes on after its end, or claims more than
// kMaxIdxBytes. Memory is taken as the elements come, not as the header claims.
inline constexpr int64_t kMaxIdxBytes = int64_t{4} << 30;
Idx read_idx(const std::string& path, int rank, std::string_view who = "pictures");

// Grey pictures with their labels.
struct IdxPictures {
  Idx images;  // [N, height, width]
  Idx labels;  // [N]

  int64_t size() const { return images.shape[0]; }
  int64_t height() const { return images.shape[1]; }
  int64_t width() const { return images.shape[2]; }
  int label(int64_t i) const { return labels.values[static_cast<size_t>(i)]; }
  std::span<const uint8_t> pixels(int64_t i) const {
    const auto n = static_cast<size_t>(height() * width());
    return std::span(images.values).subspan(static_cast<size_t>(i) * n, n);
  }
  Picture picture(int64_t i) const;
  // One more than the largest label.
  int classes() const;
};
// Throws where there are not as many labels as pictures, or no pictures.
IdxPictures read_idx_pictures(const std::string& images, const std::string& labels,
                              std::string_view who = "pictures");

}  // namespace fovea::data
