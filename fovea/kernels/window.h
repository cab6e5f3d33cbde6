// One axis of a window that slides over a picture, with `padding` zeros before and after it.
#pragma once

#include <cstdint>

namespace fovea::kernels {

struct WindowAxis {
  int64_t size = 0;      // of the picture
  int64_t kernel = 1;    // places in the window
  int64_t stride = 1;    // between positions of the window
  int64_t padding = 0;   // on either side of the picture
  int64_t dilation = 1;  // between places in the window

  // From the window's first place to one past its last.
  int64_t reach() const { return dilation * (kernel - 1) + 1; }
  // Positions of the window; 0 where it does not fit.
  int64_t out() const {
    const int64_t room = size + 2 * padding - reach();
    return room < 0 ? 0 : room / stride + 1;
  }
};

}  // namespace fovea::kernels
