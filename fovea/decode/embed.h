// One vector a line: lines that mean the same have vectors that point the same way.
#pragma once

#include <span>
#include <string>

#include "fovea/decode/read_lines.h"

namespace fovea::decode {

// f32 [lines, width], pooled as the model's config says. Throws for a line that the model cannot read, and names it.
Tensor embed_lines(const run::LoadedEncoder& model, std::span<const std::string> lines,
                   const ReadOptions& options = {});

}  // namespace fovea::decode
