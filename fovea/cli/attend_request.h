// What a user asks of `fovea attend`: its flags.
#pragma once

#include <cstdint>
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
  std::vector<std::string> masks;  // those of nn/masks that are written as text: "window:3"
  bool rope = false, plain = false, fused = false, wide = false, example = false;
  uint64_t seed = 1;
  MapOutputs map;
};

void add_attend_options(Arguments& app, AttendRequest& request);

}  // namespace fovea::cli
