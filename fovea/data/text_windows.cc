#include "fovea/data/text_windows.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/random.h"

namespace fovea::data {

Batch window_batch(const TokenFile& text, std::span<const int64_t> begins, int64_t block) {
  const auto rows = static_cast<int64_t>(begins.size());
  Batch batch;
  batch.target_in = Tensor::empty({rows, block}, DType::kI32);
  batch.target_out = Tensor::empty({rows, block}, DType::kI32);
  batch.target_lengths = Tensor::full({rows}, static_cast<double>(block), DType::kI32);
  batch.target_tokens = rows * block;
  std::vector<int32_t> ids(static_cast<size_t>(block) + 1);
  for (int64_t r = 0; r < rows; ++r) {
    text.copy(begins[static_cast<size_t>(r)], ids);
    std::copy(ids.begin(), ids.end() - 1, batch.target_in.data<int32_t>() + r * block);
    std::copy(ids.begin() + 1, ids.end(), batch.target_out.data<int32_t>() + r * block);
    batch.lines.push_back(begins[static_cast<size_t>(r)]);
  }
  return batch;
}

WindowStream::WindowStream(const TokenFile& text, int64_t end, const WindowOptions& options, Position at)
    : BatchStream(at), text_(&text), end_(end), options_(options) {
  check(end > options.block, "data",
        "a text of {} tokens, and windows of {}: give more text, or a smaller block", grouped(end),
        options.block);
  check_position();
}

int64_t WindowStream::epoch_size() const {
  return std::max<int64_t>(1, end_ / (options_.block * options_.rows));
}

Batch WindowStream::batch_at(const Position& position) {
  constexpr uint64_t kWindows = uint64_t{0xDA7A0003} << 32;  // a stream of the seed of its own
  Random random(options_.seed,
                kWindows + static_cast<uint64_t>(position.epoch * epoch_size() + position.batch));
  std::vector<int64_t> begins;
  for (int64_t r = 0; r < options_.rows; ++r) begins.push_back(random.below(end_ - options_.block));
  return window_batch(*text_, begins, options_.block);
}

}  // namespace fovea::data
