#include "fovea/study/picture_parts.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/grouped.h"
#include "fovea/base/random.h"
#include "fovea/data/held_out.h"

namespace fovea::study {
namespace {

constexpr std::string_view kWho = "study";
constexpr double kMostTests = 1000, kMostShare = 0.1;

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// As pictures/idx.h says.
std::string idx_header(std::span<const int64_t> shape) {
  constexpr char kBytes = 8;
  std::string header = {0, 0, kBytes, static_cast<char>(shape.size())};
  for (const int64_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(size >> shift);
  return header;
}

}  // namespace

PictureParts picture_parts(const std::string& images, const std::string& labels, uint64_t seed) {
  PictureParts parts;
  parts.all = data::read_idx_pictures(images, labels, kWho);
  const double tests = std::min(kMostShare, kMostTests / static_cast<double>(parts.all.size()));
  for (int64_t i = 0; i < parts.all.size(); ++i) {
    if (static_cast<double>(data::place_of(text_of(parts.all.pixels(i)))) >= tests) {
      parts.train.push_back(i);
      continue;
    }
    data::PictureSample& sample = parts.test.emplace_back();
    sample.picture = parts.all.picture(i);
    sample.label = parts.all.label(i);
    sample.text = std::to_string(sample.label);
  }
  check(!parts.train.empty() && !parts.test.empty(), kWho,
        "{} has {} pictures, too few to teach and test with: expected some hundreds", images,
        grouped(parts.all.size()));
  Random random(seed);
  for (size_t i = parts.train.size(); i > 1; --i)
    std::swap(parts.train[i - 1], parts.train[static_cast<size_t>(random.below(static_cast<int64_t>(i)))]);
  return parts;
}

IdxFiles write_training(const PictureParts& parts, int64_t count, const std::string& dir) {
  const IdxFiles paths{fmt::format("{}/train-{}-images", dir, count),
                       fmt::format("{}/train-{}-labels", dir, count)};
  const int64_t pictures[] = {count, parts.all.height(), parts.all.width()};
  PendingFiles files;
  StagedFile &images = files.add(paths.images, kWho), &labels = files.add(paths.labels, kWho);
  images.write(idx_header(pictures));
  labels.write(idx_header(std::span(pictures, 1)));
  std::string bytes;
  for (const int64_t i : std::span(parts.train).first(static_cast<size_t>(count))) {
    images.write(text_of(parts.all.pixels(i)));
    bytes += static_cast<char>(parts.all.label(i));
  }
  labels.write(bytes);
  files.commit();
  return paths;
}

}  // namespace fovea::study
