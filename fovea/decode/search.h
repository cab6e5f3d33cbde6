// What a decoder writes for given sources or prompts, in one of three ways that the options choose:
//   greedy   the most probable token at each step
//   sample   tokens are drawn: temperature, then top-k, then top-p, then min-p
//   beam     the `beam_size` most probable hypotheses go on together
// What is found for a request does not depend on the requests beside it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "fovea/decode/method.h"

namespace fovea::decode {

// Calls, with the index of the request that they are about.
struct SearchCalls {
  std::function<void(size_t, NBest)> found;  // once for each, in no given order
  std::function<bool(size_t, const Token&)> on_token = {};
  std::function<void(size_t, int64_t, int64_t)> on_prefill = {};
  std::function<bool()> stop = {};
};

// Requests of any number and length, at most `batch` of them side by side: when some are finished, others take their places. A
// decoder that reads a source has one empty hypothesis for an empty one, which costs nothing. Job says what the calls mean; the
// search returns false where `stop` ended it.
bool search(const run::Decoder& decoder, std::span<const Request> requests, const Options& options,
            int64_t batch, const SearchCalls& calls);
// One request.
NBest search(const run::Decoder& decoder, const Request& request, const Options& options);

}  // namespace fovea::decode
