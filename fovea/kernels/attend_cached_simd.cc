#include "fovea/kernels/attend_cached.h"

namespace fovea::kernels {

void attend_cached(const AttendCached& a) { ref::attend_cached(a); }

}  // namespace fovea::kernels
