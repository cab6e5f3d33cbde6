// The rows of the table of masks, each defined in the file of its name.
#pragma once

#include "fovea/nn/masks/spec.h"

namespace fovea::nn::masks {

MaskKind causal();
MaskKind window();
MaskKind prefix();
MaskKind local_m();
MaskKind local_p();
MaskKind alibi();
MaskKind relative();
MaskKind lengths();
MaskKind visible();
MaskKind bias();

}  // namespace fovea::nn::masks
