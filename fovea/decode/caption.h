// Pictures in, captions out.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/decode/translate.h"

namespace fovea::decode {

struct CaptionOptions {
  Options search = {};
  int64_t batch = 32;  // pictures side by side
};

// Captions of each picture, best first, n_best at most; with search.look, where each token looked: weights [H, T, places], the places of
// the grid row by row. Pictures are prepared ones, f32 [pictures, size, size, channels]. `stop` is asked before each step; nothing where
// it ended the work. Throws for a model that does not look at pictures.
std::optional<std::vector<std::vector<Candidate>>> caption_pictures(const run::LoadedDecoder& model,
                                                                    const Tensor& pictures,
                                                                    CaptionOptions options,
                                                                    const std::function<bool()>& stop = {});
// The same for pictures of any size.
std::vector<std::vector<Candidate>> caption_pictures(const run::LoadedDecoder& model,
                                                     std::span<const data::Picture> pictures,
                                                     const CaptionOptions& options);

}  // namespace fovea::decode
