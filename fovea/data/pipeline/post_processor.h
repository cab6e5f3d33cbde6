// Which special ids stand around a line, or around two: [CLS] a [SEP], [CLS] a [SEP] b [SEP].
//   TemplateProcessing   what its templates say
//   BertProcessing       [CLS] a [SEP] b [SEP]
//   RobertaProcessing    <s> a </s></s> b </s>
//   ByteLevel            nothing
//   Sequence             one of these, besides ByteLevel
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace fovea::data {

struct PostProcessor {
  static constexpr int32_t kFirst = -1, kSecond = -2;  // in a template: the ids of a line

  // Ids with kFirst and kSecond among them.
  std::vector<int32_t> single = {kFirst}, pair = {kFirst, kSecond};
  std::vector<int32_t> pair_segments = {0, 0};  // of each of `pair`

  std::vector<int32_t> operator()(std::span<const int32_t> first) const;
  std::vector<int32_t> operator()(std::span<const int32_t> first, std::span<const int32_t> second) const;
  // The segments of these ids, of lines of so many ids.
  std::vector<int32_t> segments(size_t first, size_t second) const;
};

// `step` is the "post_processor" of a tokenizer.json with `size` ids, or null.
PostProcessor read_post_processor(const nlohmann::json& step, int32_t size, std::string_view source);

}  // namespace fovea::data
