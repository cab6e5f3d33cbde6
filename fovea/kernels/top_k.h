// The k largest elements of each row, as log-probabilities, without sorting the row:
//   ids[r, j]        where the (j+1)th largest is; of equal ones the lower id comes first
//   log_probs[r, j]  x[r, ids[r, j]] - log sum_c exp x[r, c]
// Ids in `hidden` (ascending, below cols) are never chosen, but count in the sum; so does what is -inf. Where
// fewer than k can be chosen the other ids are -1 and their log_probs -inf. A row with NaN or +inf in it is no
// distribution: all its ids are -1.
#pragma once

#include <cstdint>
#include <span>

namespace fovea::kernels {

void top_k_log_softmax(const float* x, int64_t rows, int64_t cols, int64_t k, std::span<const int32_t> hidden,
                       int32_t* ids, float* log_probs);

namespace ref {  // plain loops, sums in double: the oracle
void top_k_log_softmax(const float* x, int64_t rows, int64_t cols, int64_t k, std::span<const int32_t> hidden,
                       int32_t* ids, float* log_probs);
}

}  // namespace fovea::kernels
