// How a picture becomes numbers, as Hugging Face's preprocessor_config.json says it:
//   resized (do_resize, size, resample), its middle cut out (do_center_crop, crop_size), times rescale_factor, minus image_mean, over image_std
// Keys that are missing are those of the class that image_processor_type names: ViT, DeiT, CLIP or Bit.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fovea/models/picture_options.h"

namespace fovea::models {

// Sets config["preprocessor"] to what preprocessor_config.json of the directory says, or "image_processor" of its processor_config.json. Throws
// where there is neither.
void add_preprocessor(nlohmann::json& config, const std::string& dir);

// Reads config["preprocessor"] into options that have their picture_size and channels; without it, pictures are stretched to their size.
// `processor` is the class that it means where it does not say. Throws for what is not computed here.
void read_preprocessor(const nlohmann::json& config, const char* processor, PictureOptions& options);
// The content of a preprocessor_config.json.
nlohmann::json preprocessor_json(const PictureOptions& options, const char* processor);

}  // namespace fovea::models
