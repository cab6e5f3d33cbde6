#include "fovea/decode/embed.h"

#include <algorithm>

namespace fovea::decode {

Tensor embed_lines(const run::LoadedEncoder& model, std::span<const std::string> lines,
                   const ReadOptions& options) {
  std::vector<data::Reading> readings;
  for (const std::string& line : lines)
    readings.push_back(readable(model, line, {}, false, options, "embed",
                                options.first_line + static_cast<int64_t>(readings.size()) + 1));
  const int64_t width = model.encoder->info().width;
  Tensor vectors = Tensor::empty({static_cast<int64_t>(lines.size()), width});
  for_each_batch(readings, options, [&](std::span<const size_t> which, std::span<const run::Text> texts) {
    const Tensor some = model.encoder->embed(texts);
    for (size_t i = 0; i < which.size(); ++i) {
      const auto row = static_cast<int64_t>(i), line = static_cast<int64_t>(which[i]);
      check_numbers(some.slice(row, row + 1), "embed", options.first_line + line + 1);
      std::copy_n(some.data<float>() + row * width, width, vectors.data<float>() + line * width);
    }
  });
  return vectors;
}

}  // namespace fovea::decode
