// The memory of this process that is in use: what the system counts as resident.
#pragma once

#include <cstdint>

namespace fovea {

// Bytes resident now.
int64_t resident_bytes();

// The most there were at any time since the process began, or since reset_resident_peak().
int64_t resident_peak_bytes();

// Lets the peak start again from what is resident now. False where the system does not allow it.
bool reset_resident_peak();

}  // namespace fovea
