// The heads of a stack as small heat maps: layers down, heads across.
#pragma once

#include "fovea/look/atlas.h"
#include "fovea/look/svg_drawing.h"

namespace fovea::look {

// `heads`: how many the whole picture has; the more, the fewer pixels each gets, so that no file grows too large to open.
Drawing drawing_of_heads(const Stack& stack, bool shared_scale, int64_t heads);

}  // namespace fovea::look
