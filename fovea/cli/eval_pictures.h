// fovea eval -m: what a model makes of pictures whose labels or captions are known.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fovea/cli/arguments.h"

namespace fovea::cli {

struct PictureEval {
  std::string model;
  std::string corpus;  // the test part of a built-in one,
  int64_t size = 0;    // so many pictures of it; 0: as many as it has by itself
  int64_t seed = 1;    // of it
  int64_t min_shapes = 1, max_shapes = 3;
  bool cluttered = false;        // of it, or of IDX files
  std::string images, pictures;  // or IDX files, or a directory,
  std::string labels, captions;  // with what is on them
  int64_t beam_size = 1, batch = 64;

  // Whether anything of it was asked for.
  bool asked() const { return !model.empty() || !corpus.empty() || !images.empty() || !pictures.empty(); }
};

void add_picture_options(Arguments& app, PictureEval& r);
// `metrics`: names; empty: those that fit the model.
void eval_pictures(const PictureEval& r, const std::vector<std::string>& metrics, bool json);

}  // namespace fovea::cli
