// Pictures as arguments of a verb, and their labels.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/decode/classify.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::cli {

struct PictureRequest {
  std::vector<std::string> files;  // pictures, or directories of them
  int64_t top = 1;                 // labels of each, the most probable first
  bool json = false;
};

// fovea classify with a model that labels pictures: for each a line, as line_of_labels() has it.
void classify_pictures(const run::PictureEncoder& model, const PictureRequest& request);

// The files that are named, and those with the endings of pictures in directories that are named, sorted. Throws [who] ... for a directory
// without any.
std::vector<std::string> picture_files(const std::vector<std::string>& named, std::string_view who);
// Reads these files, some at a time, and calls use(names, pictures).
void for_each_pictures(const std::vector<std::string>& files, std::string_view who,
                       const std::function<void(std::span<const std::string> names,
                                                std::span<const data::Picture> pictures)>& use);
// The line of a picture: FILE <tab> LABEL <tab> PROBABILITY ..., or {"file": ..., "labels": [{"label": ..., "probability": ...}, ...]}.
std::string line_of_labels(const std::string& file, const std::vector<std::string>& labels,
                           const decode::LabelValues& values, const PictureRequest& request);

}  // namespace fovea::cli
