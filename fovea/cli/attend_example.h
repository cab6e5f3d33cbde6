#pragma once

#include "fovea/cli/map_output.h"

namespace fovea::cli {

// Walks through score, mask, weigh and read on "I am a student" and "나는 학생 이다", printing every number.
void attend_example(const MapOutputs& outputs);

}  // namespace fovea::cli
