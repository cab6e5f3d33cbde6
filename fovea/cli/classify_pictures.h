// fovea classify with a model that labels pictures.
#pragma once

#include <string>
#include <vector>

#include "fovea/run/picture_encoder.h"

namespace fovea::cli {

struct PictureRequest {
  std::vector<std::string> files;  // pictures, or directories of them
  int64_t top = 1;                 // labels of each, the most probable first
  bool json = false;
};

// For each picture a line: FILE <tab> LABEL <tab> PROBABILITY ..., or {"file": ..., "labels": [{"label": ..., "probability": ...}, ...]}.
void classify_pictures(const run::PictureEncoder& model, const PictureRequest& request);

// The files that are named, and those with the endings of pictures in directories that are named, sorted. Throws [who] ... for a directory
// without any.
std::vector<std::string> picture_files(const std::vector<std::string>& named, std::string_view who);

}  // namespace fovea::cli
