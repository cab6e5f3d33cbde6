// How much training: "300u" updates, "10e" epochs; "80s", "20m", "2h": seconds, minutes, hours of training time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fovea::train {

// How far a run is.
struct Progress {
  int64_t updates = 0;
  double epochs = 0;   // 2.5: in the middle of the third one
  double minutes = 0;  // in updates; validation and saving are not counted
};

struct Amount {
  double count = 0;  // 0 is never
  char unit = 'u';   // u, e, s, m or h

  // Throws Error(what is wrong) for text that is no amount; updates are whole.
  static Amount parse(std::string_view text);
  std::string text() const;

  // `progress` in this amount's unit.
  double measure(const Progress& progress) const;
  // Whether there was that much; never for a count of 0.
  bool reached(const Progress& progress) const;
  // Whether a multiple of it lies in (before, now]: what is done every so often is due.
  bool passed(const Progress& before, const Progress& now) const;

  friend bool operator==(const Amount&, const Amount&) = default;
};

}  // namespace fovea::train
