// Step three: from masked scores to what is read. Soft attention reads from everywhere at once; hard attention reads one position. Each
// way has its file, and its row in table.cc. estimators.h says how hard attention learns.
#pragma once

#include <span>
#include <string_view>

#include "fovea/autograd/attention.h"

namespace fovea::nn {

using autograd::MaskParts;
using autograd::Var;

// What the ways may use beside the scores.
struct WeighOptions {
  double temperature = 1;       // gumbel
  uint64_t seed = 0, step = 0;  // of draws: a draw is a function of (seed, step, row)
};

// What a way makes of scores [B, H, T, S].
struct Weighed {
  Var weights = {};   // [B, H, T, S]; undefined where one value is read as it is
  Tensor at = {};     // hard: the positions, i32 [B, H, T]; -1 where a query sees no key
  Var log_prob = {};  // sample, argmax: log p(at), [B, H, T]
  Var entropy = {};   // sample, argmax: of p, [B, H, T]
};

struct Weigh {
  const char* name;
  const char* formula;
  const char* what;
  bool hard;  // reads one position
  // e [B, H, T, S] is masked. A soft way multiplies by the mask's Gaussian and dropout where it has them.
  Weighed (*weigh)(const Var& e, const MaskParts& mask, const WeighOptions& options);
};

// Every way, in the order in which help lists them.
std::span<const Weigh> weigh_table();
// Throws where there is none of that name, and names the nearest.
const Weigh& weigh_named(std::string_view name);

// Step four: sum_j weights_j v_j of values [B, H, S, m], or the value at the chosen position: [B, H, T, m]. Zeros where nothing was
// seen, NaN where one of the scores e was.
Var read(const Weighed& weighed, const Var& values, const Var& e);
// The weights as a matrix [B, H, T, keys]: 1 at the position read where there is none.
Tensor weights_of(const Weighed& weighed, int64_t keys, DType type);

namespace weighs {  // the rows of the table, each in the file of its name (sample and argmax in hard.cc)
Weigh soft();
Weigh sample();
Weigh argmax();
Weigh gumbel();
}  // namespace weighs

}  // namespace fovea::nn
