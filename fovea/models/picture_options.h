// What models that look at pictures have in common in their options and in config.json: the input, the convolutions, the labels.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/pictures/input.h"

namespace fovea::models {

// How a picture becomes numbers: (p / 255 - mean[c]) / std[c].
struct PictureOptions {
  int64_t picture_size = 32;                      // height and width
  int64_t channels = 3;                           // 1: grey; 3: red, green, blue
  std::vector<double> mean = {0.5}, std = {0.5};  // of each channel; one number: of all
  // What a preprocessor_config.json may say besides (models/preprocessor.h).
  std::string processor;  // its image_processor_type; empty: that of the layout
  double scale = 1.0 / 255;
  data::Fit fit = data::Fit::kStretch;
  int64_t fit_side = 0;  // 0: picture_size
  data::Filter filter = data::Filter::kBicubic;
  bool crop = false;

  data::PictureInput input() const;
  // Throws [who] ... for what cannot be.
  void check_picture(std::string_view who) const;

  template <typename Self, typename F>
  static void each_of_picture(Self& o, F&& f) {
    f("picture_size", o.picture_size);
    f("channels", o.channels);
    f("mean", o.mean);
    f("std", o.std);
  }
};

// A stack of convolutions (models/conv_encoder.h).
struct ConvOptions {
  int64_t conv_channels = 32;  // of the first stage; each stage has twice as many as the one before
  int64_t conv_stages = 3;     // the picture is half as high and wide from stage to stage
  int64_t conv_depth = 2;      // convolutions of a stage

  int64_t width(int64_t stage) const { return conv_channels << stage; }
  int64_t out() const { return width(conv_stages - 1); }
  // Height and width of what comes out.
  int64_t grid(int64_t picture_size) const { return picture_size >> (conv_stages - 1); }
  double least_weights(int64_t channels) const;
  // For pictures of this size. Throws [who] ... for what cannot be.
  void check_conv(std::string_view who, int64_t picture_size) const;

  template <typename Self, typename F>
  static void each_of_conv(Self& o, F&& f) {
    f("conv_channels", o.conv_channels);
    f("conv_stages", o.conv_stages);
    f("conv_depth", o.conv_depth);
  }
};

// Throws [who] ... unless there are labels, each once.
void check_labels(std::string_view who, const std::vector<std::string>& labels);
// [who] WHAT SIZE: expected LEAST to MOST.
void check_within(std::string_view who, const char* what, int64_t size, int64_t least, int64_t most);
// A mistyped number is refused before it takes all memory.
void check_weights(std::string_view who, double weights, const char* advice);

}  // namespace fovea::models
