#include "fovea/decode/read_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/length_batches.h"

namespace fovea::decode {

data::Reading readable(const run::LoadedEncoder& model, std::string_view line, std::string_view second,
                       bool pair, const ReadOptions& options, std::string_view who, int64_t number) {
  for (const std::string_view text : {line, second}) check_utf8(text, who, "line " + grouped(number));
  const int64_t most = model.encoder->info().longest;
  if (options.crop) return data::marked(*model.tokenizer, line, second, pair, most);
  data::Reading made =
      data::marked(*model.tokenizer, line, second, pair, std::numeric_limits<int64_t>::max());
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

void for_each_batch(std::span<const data::Reading> lines, const ReadOptions& options,
                    const std::function<void(std::span<const size_t>, std::span<const run::Text>)>& run) {
  check(options.batch >= 1, "read", "batches of {}: expected 1 or more", options.batch);
  std::vector<int64_t> lengths;
  for (const data::Reading& line : lines) lengths.push_back(static_cast<int64_t>(line.ids.size()));
  for (const std::vector<size_t>& which : data::length_batches(lengths, {.rows = options.batch})) {
    std::vector<run::Text> texts;
    int64_t tokens = 0;
    for (const size_t i : which) {
      texts.push_back({lines[i].ids, lines[i].segments});
      tokens += lengths[i];
    }
    run(which, texts);
    if (options.on_batch) options.on_batch(static_cast<int64_t>(which.size()), tokens);
  }
}

}  // namespace fovea::decode
