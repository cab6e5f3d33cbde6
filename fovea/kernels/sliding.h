// A window that slides over pictures, as the fast convolutions see it. One description serves the convolution and the gradient of its
// input, which for each remainder of a position by the stride is a convolution of dy with some of the taps, in reverse.
//
// Work is cut into bands: some rows of one picture, or some whole pictures. What a band reads is copied with zeros around it, so that no
// inner loop meets an edge; where no window crosses an edge the picture is read as it lies.
#pragma once

#include <cstdint>

#include "fovea/base/scratch.h"
#include "fovea/kernels/convolution.h"

namespace fovea::kernels {

struct SlidingAxis {
  int64_t outputs = 0;  // positions of the window
  int64_t out_size = 0, out_first = 0,
          out_step = 1;                           // position n belongs to out_first + n out_step, of out_size
  int64_t taps = 0, tap_first = 0, tap_step = 1;  // tap t is the kernel's place tap_first + t tap_step
  int64_t source_size = 0, source_first = 0, source_step = 1, tap_distance = 1;
  // Position n reads by tap t the source at source_first + n source_step + t tap_distance, or 0 where that is outside.

  // Places of the source from the first to the last that n positions read.
  int64_t span(int64_t n) const { return (n - 1) * source_step + (taps - 1) * tap_distance + 1; }
  bool stays_inside() const { return source_first >= 0 && source_first + span(outputs) <= source_size; }
};

SlidingAxis forward_axis(const WindowAxis& axis);
// The gradient of the places p of the source with (p + padding) % stride == remainder.
SlidingAxis backward_axis(const WindowAxis& axis, int64_t remainder);

// Pixels [.., height, width, pitch] of which `channels` are read, from `data` on.
struct SlidingSource {
  const float* data;
  int64_t pitch, channels;
};

struct Sliding {
  int64_t B;
  SlidingAxis y, x;

  int64_t depth(int64_t channels) const { return y.taps * x.taps * channels; }  // terms of a sum
};

// Pictures [b, b_end) and their positions in rows [row, row_end).
struct Band {
  int64_t b, b_end, row, row_end;
  int64_t rows() const { return (b_end - b) * (row_end - row); }
};
// Bands of about `pixels` positions.
class Bands {
 public:
  Bands(const Sliding& window, int64_t pixels);
  int64_t count() const { return count_; }
  int64_t pixels() const { return pictures_ * rows_ * cols_; }  // of the largest band
  Band operator[](int64_t i) const;

 private:
  int64_t B_, height_, cols_;
  int64_t pictures_ = 1, rows_ = 0;  // of one band
  int64_t in_picture_ = 1;           // bands of a picture, or 1 where a band has several pictures
  int64_t count_ = 0;
};

// A run of terms that lie side by side in the source: those of some taps and channels.
struct Piece {
  int64_t offset, length;
};

// What a band reads: position i sums over data[from[i] + piece.offset ..]. Memory is the scratch's.
struct BandSource {
  const float* data;
  int64_t* from;  // [pixels]
  Piece* pieces;  // [piece_count], in the order of the packed weights: tap by tap, channel by channel
  int64_t piece_count, pixels;
};
// Pieces have at most `longest` terms.
BandSource read_band(const Sliding& window, const SlidingSource& source, const Band& band, int64_t longest,
                     Scratch& scratch);

}  // namespace fovea::kernels
