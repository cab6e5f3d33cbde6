#include "fovea/models/picture_options.h"

#include <set>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"

namespace fovea::models {

void check_within(std::string_view who, const char* what, int64_t size, int64_t least, int64_t most) {
  check(size >= least && size <= most, who, "{} {}: expected {} to {}", what, grouped(size), least,
        grouped(most));
}

void check_weights(std::string_view who, double weights, const char* advice) {
  constexpr double kMost = 2e9;
  check(weights <= kMost, who, "about {:.3g} weights: expected {:.0g} at most; make {} smaller", weights,
        kMost, advice);
}

void check_labels(std::string_view who, const std::vector<std::string>& labels) {
  check(!labels.empty(), who, "there are no labels: expected one or more");
  std::set<std::string_view> seen;
  for (const std::string& label : labels)
    check(seen.insert(label).second, who, "the label {} stands twice", quote(label));
}

data::PictureInput PictureOptions::input() const {
  data::PictureInput input{.size = picture_size, .channels = channels};
  input.fit = fit;
  input.side = fit_side;
  input.filter = filter;
  input.crop = crop;
  input.normalise.scale = static_cast<float>(scale);
  for (size_t c = 0; c < 3; ++c) {
    input.normalise.mean[c] = static_cast<float>(mean[c < mean.size() ? c : 0]);
    input.normalise.std[c] = static_cast<float>(std[c < std.size() ? c : 0]);
  }
  return input;
}

void PictureOptions::check_picture(std::string_view who) const {
  constexpr int64_t kMostSide = 4096;
  check_within(who, "picture_size", picture_size, 1, kMostSide);
  check(channels == 1 || channels == 3, who, "{} channels: expected 1 (grey) or 3 (red, green, blue)",
        channels);
  for (const std::vector<double>* values : {&mean, &std})
    check(values->size() == 1 || values->size() == static_cast<size_t>(channels), who,
          "mean and std have {} and {} numbers: expected one, or one for each of {} channels", mean.size(),
          std.size(), channels);
  for (const double deviation : std)
    check(deviation > 0, who, "a std of {}: expected more than 0", deviation);
}

double ConvOptions::least_weights(int64_t channels) const {
  double sum = 0;
  int64_t in = channels;
  for (int64_t s = 0; s < conv_stages; ++s)
    for (int64_t d = 0; d < conv_depth; ++d) {
      sum += 9.0 * static_cast<double>(in) * static_cast<double>(width(s));
      in = width(s);
    }
  return sum;
}

void ConvOptions::check_conv(std::string_view who, int64_t picture_size) const {
  check_within(who, "conv_channels", conv_channels, 1, 4096);
  check_within(who, "conv_stages", conv_stages, 1, 12);
  check_within(who, "conv_depth", conv_depth, 1, 100);
  check(grid(picture_size) >= 1, who,
        "{} conv_stages halve a picture of {} x {} to nothing: make conv_stages smaller, or pictures larger",
        conv_stages, picture_size, picture_size);
}

}  // namespace fovea::models
