// Lines of text as an encoder reads them: batches of sentences that are near in length.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/readings.h"
#include "fovea/run/loaded.h"

namespace fovea::decode {

struct ReadOptions {
  int64_t batch = 32;
  bool crop = false;       // a line longer than the model can read is cut; without it, it is an error
  bool can_crop = false;   // the user can ask for that
  int64_t first_line = 0;  // lines before the first one: messages count on from there
  std::function<void(int64_t lines, int64_t tokens)> on_batch = {};  // after each batch
};

// A line with the marks around it that its model expects. `pair`: `second` stands after it, in a segment of its own.
data::Reading readable(const run::LoadedEncoder& model, std::string_view line, std::string_view second,
                       bool pair, const ReadOptions& options, std::string_view who, int64_t number);

// Throws where a result has NaN or infinity in it, and names the line that it is of.
void check_numbers(const Tensor& result, std::string_view who, int64_t line);

// Calls run(which, texts) for batches of lines that are near in length, in no given order; texts[i] is line which[i].
void for_each_batch(std::span<const data::Reading> lines, const ReadOptions& options,
                    const std::function<void(std::span<const size_t>, std::span<const run::Text>)>& run);

}  // namespace fovea::decode
