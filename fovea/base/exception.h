// The exception that the library throws, and what the shared library shows of itself.
#pragma once

#include <stdexcept>

// Symbols of the public interface; the shared library hides all others.
#define FOVEA_API __attribute__((visibility("default")))

namespace fovea {

// What a caller or the world can cause. A message is one line: [who] what was met, what was expected, what to do.
class FOVEA_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace fovea
