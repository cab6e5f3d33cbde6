// Where models looked in pictures.
#pragma once

#include <string_view>

#include "fovea/data/picture.h"
#include "fovea/decode/translate.h"
#include "fovea/look/glimpse_path.h"
#include "fovea/look/picture_map.h"
#include "fovea/run/loaded.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::library {

// `name` stands before what the model says in the title; it may be empty.

// Where each token of a caption looked: one attention, "cross". `said` was searched with look_at_source(); throws where it has no
// weights. `words`: words instead of tokens.
look::PictureMap map_of_caption(const run::LoadedDecoder& model, const data::Picture& picture,
                                const decode::Candidate& said, std::string_view name, bool words = false);

// Where a Transformer over patches looked: "class token", what it looked at in every layer and head, and "rollout", what reached it up to
// every layer (look/rollout.h). Weights of the class token to itself are left out. Throws for a model that has no attention.
look::PictureMap map_of_patches(const run::PictureEncoder& model, const data::Picture& picture,
                                std::string_view name);

// The way of a model's eye over a picture, and what it said (info().glimpses > 0).
look::GlimpsePath path_over(const run::PictureEncoder& model, const data::Picture& picture,
                            std::string_view name);

}  // namespace fovea::library
