// Windows of a long text, for models that continue it.
#pragma once

#include "fovea/data/batches.h"
#include "fovea/data/token_file.h"

namespace fovea::data {

struct WindowOptions {
  int64_t block = 256;  // words of a window
  int64_t rows = 12;    // windows of a batch
  uint64_t seed = 1;
};

// ids[begin, begin + block] of each row, as what is read and what is to be said.
Batch window_batch(const TokenFile& text, std::span<const int64_t> begins, int64_t block);

// Windows that begin anywhere in ids [0, end) of a text; an epoch has as many words as these. The text must outlive it.
class WindowStream final : public BatchStream {
 public:
  WindowStream(const TokenFile& text, int64_t end, const WindowOptions& options, Position at = {});
  int64_t epoch_size() const override;

 private:
  Batch batch_at(const Position& position) override;

  const TokenFile* text_;
  int64_t end_;
  WindowOptions options_;
};

}  // namespace fovea::data
