// What a user asks of `fovea attend`: its flags.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fovea/cli/map_output.h"

namespace fovea::cli {

class Arguments;

// Paths, names and numbers as given; empty where a flag was not.
struct AttendRequest {
  std::string query, key, value, score = "scaled_dot", lengths, mask, bias, relative, out, weights_out,
                                 upstream, grad_out, hard;
  std::string query_words, key_words;
  std::vector<std::string> params;
  int64_t heads = 1, kv_heads = 0, batch_entry = 0;
  std::optional<int64_t> window, prefix, local_m, local_p;
  bool causal = false, alibi = false, rope = false, plain = false, fused = false, wide = false,
       example = false;
  uint64_t seed = 1;
  MapOutputs map;
};

void add_attend_options(Arguments& app, AttendRequest& request);

}  // namespace fovea::cli
