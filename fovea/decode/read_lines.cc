#include "fovea/decode/read_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"

namespace fovea::decode {

data::Reading readable(const models::ReadingModel& model, std::string_view line, std::string_view second,
                       bool pair, const ReadOptions& options, std::string_view who, int64_t number) {
  for (const std::string_view text : {line, second})
    check(find_invalid_utf8(text) == std::string_view::npos, who,
          "line {} is not UTF-8: iconv converts other encodings", grouped(number));
  const int64_t most = model.net->longest();
  if (options.crop) return data::marked(*model.source, line, second, pair, most);
  data::Reading made = data::marked(*model.source, line, second, pair, std::numeric_limits<int64_t>::max());
  const auto length = static_cast<int64_t>(made.ids.size());
  check(length <= most, who, "line {} has {} tokens, and this model reads {}: shorten it{}", grouped(number),
        grouped(length), grouped(most), options.can_crop ? ", or cut such lines with --crop" : "");
  return made;
}

void check_numbers(const Tensor& result, std::string_view who, int64_t line) {
  for (const float x : result.span<float>())
    check(std::isfinite(x), who,
          "line {}: the model gives NaN or infinity; its weights are damaged, or training went wrong",
          grouped(line));
}

void for_each_batch(std::span<const data::Reading> lines, int64_t batch,
                    const std::function<void(std::span<const size_t>, const data::SourceBatch&)>& run) {
  std::vector<size_t> order(lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // Long ones first: if memory does not suffice, that shows at once.
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lines[a].ids.size() > lines[b].ids.size(); });
  for (size_t begin = 0; begin < order.size(); begin += static_cast<size_t>(batch)) {
    const size_t count = std::min(static_cast<size_t>(batch), order.size() - begin);
    const auto which = std::span(order).subspan(begin, count);
    const auto B = static_cast<int64_t>(count), S = static_cast<int64_t>(lines[which[0]].ids.size());
    data::SourceBatch source{Tensor::zeros({B, S}, DType::kI32), Tensor::empty({B}, DType::kI32),
                             Tensor::zeros({B, S}, DType::kI32)};
    for (size_t i = 0; i < count; ++i) {
      const data::Reading& line = lines[which[i]];
      const auto row = static_cast<int64_t>(i) * S;
      std::copy(line.ids.begin(), line.ids.end(), source.ids.data<int32_t>() + row);
      std::copy(line.segments.begin(), line.segments.end(), source.segments.data<int32_t>() + row);
      source.lengths.data<int32_t>()[i] = static_cast<int32_t>(line.ids.size());
    }
    run(which, source);
  }
}

}  // namespace fovea::decode
