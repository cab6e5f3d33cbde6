#include "fovea/run/arena.h"

#include <algorithm>
#include <cstdint>

#include "fovea/base/parallel.h"

namespace fovea::run {
namespace {

// Blocks grow with the model, so that a small one takes little; what lies behind the last piece is never touched.
constexpr size_t kSmallestBlock = size_t{2} << 20, kLargestBlock = size_t{64} << 20;

// Asks for the huge pages that begin in [data, data + bytes), each by one thread. Two that first write to one page at once would each have
// the system clear one, and one of the two is thrown away.
void touch(std::byte* data, size_t bytes) {
  constexpr size_t kPage = size_t{2} << 20;
  const auto at = reinterpret_cast<uintptr_t>(data);
  const size_t first = (at + kPage - 1) / kPage * kPage - at;
  if (first >= bytes) return;
  parallel_for(static_cast<int64_t>((bytes - first - 1) / kPage + 1),
               [&](int64_t i) { data[first + static_cast<size_t>(i) * kPage] = std::byte{0}; });
}

}  // namespace

Piece Piece::alone(size_t bytes) {
  Storage block(bytes);
  return {.block = block, .data = block.data(), .bytes = bytes};
}

Piece Arena::take(size_t bytes) {
  const size_t needed = (std::max<size_t>(bytes, 1) + 63) / 64 * 64;
  if (!block_ || needed > size_ - used_) {
    size_ = std::max(needed, std::clamp(taken_, kSmallestBlock, kLargestBlock));
    block_ = Storage(size_);
    used_ = 0;
  }
  Piece piece{.block = block_, .data = block_.data() + used_, .bytes = bytes};
  used_ += needed;
  taken_ += needed;
  touch(piece.data, bytes);
  return piece;
}

}  // namespace fovea::run
