#include "fovea/decode/options.h"

#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"

namespace fovea::decode {

void check_options(const Options& o, std::string_view who) {
  constexpr int64_t kMostBeams = 10'000;
  check(o.beam_size >= 1 && o.beam_size <= kMostBeams, who, "a beam of {}: expected 1 to {}", o.beam_size,
        kMostBeams);
  check(o.n_best >= 1 && o.n_best <= o.beam_size, who,
        "the best {} of a beam of {}: expected 1 to the beam's size", o.n_best, o.beam_size);
  check(o.normalize >= 0 && std::isfinite(o.normalize), who, "normalize {}: expected 0 or more", o.normalize);
  check(o.max_length_factor >= 0 && o.max_length_factor <= 1000, who,
        "a target of {} times the source's length: expected 0 to 1000", o.max_length_factor);
  check(o.min_tokens >= 0 && o.max_tokens >= 0 && (o.max_tokens == 0 || o.min_tokens <= o.max_tokens), who,
        "{} to {} tokens: expected 0 or more, the first not above the second", o.min_tokens, o.max_tokens);
  check(o.repetition_penalty > 0 && std::isfinite(o.repetition_penalty), who,
        "a repetition penalty of {}: expected more than 0", o.repetition_penalty);
  check(std::none_of(o.stop.begin(), o.stop.end(), [](const std::string& s) { return s.empty(); }), who,
        "an empty stop string would stop at once");
  check(o.stop.empty() || o.tokenizer, who, "stop strings without a tokenizer: they are looked for in text");
  check(o.usable_ids >= 0, who, "{} usable ids: expected 0 (all) or more", o.usable_ids);
  check(o.full != Full::kWindow || o.beam_size == 1, who,
        "a beam of {} with a window: a window moves with one hypothesis, a beam of 1", o.beam_size);
  if (!o.sample) return;
  check(o.beam_size == 1, who, "a beam of {} with sampling: tokens are drawn for one hypothesis, a beam of 1",
        o.beam_size);
  check_sampling(o.sampling, who);
}

int64_t most_tokens(int64_t source_length, const Options& options) {
  return static_cast<int64_t>(
             std::ceil(static_cast<double>(options.max_length_factor) * static_cast<double>(source_length))) +
         10;
}

double normalized(double log_prob, int64_t length, const Options& options) {
  return log_prob / std::pow(static_cast<double>(length), static_cast<double>(options.normalize));
}

}  // namespace fovea::decode
