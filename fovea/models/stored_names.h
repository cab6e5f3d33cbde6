// The names that tensors have in the files of other programs. A layout is a table of rules, in which '#' stands for the number of a
// layer and a rule holds for every parameter whose name begins with `ours`.
#pragma once

#include <span>
#include <string_view>

#include "fovea/models/net.h"

namespace fovea::models {

struct NameRule {
  std::string_view ours;    // "layer.#.self.out."
  std::string_view theirs;  // "h.#.attn.c_proj."
  bool transposed = false;  // weights of two axes: the file has [in, out]
  // Of a joint projection: the part that this file tensor is. kWhole: all of it, or no joint projection at all.
  enum Part : int8_t { kWhole = -1, kQuery, kKey, kValue } part = kWhole;
};

// Rows of each part of a joint projection.
struct JointRows {
  int64_t query = 0, key = 0;  // values are as keys
};

// Every parameter by the rules; a parameter that no rule names is an error of ours. `prefix` stands before each of their names.
std::vector<Stored> stored_as(const nn::ParameterList& parameters, std::span<const NameRule> rules,
                              JointRows rows, std::string_view prefix = "");

}  // namespace fovea::models
