// The studies there are; each is made in its own file.
#pragma once

#include "fovea/study/study.h"

namespace fovea::study {

Kind length_study();
Kind scores_study();
Kind samples_study();
Kind look_at_pictures_study();

}  // namespace fovea::study
