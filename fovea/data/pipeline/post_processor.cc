#include "fovea/data/pipeline/post_processor.h"

#include <optional>
#include <string>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/checked_json.h"

namespace fovea::data {
namespace {

using nlohmann::json;

int32_t read_id(const json& id, int32_t size, std::string_view source) {
  const int64_t number = index_of(id, size - 1);
  check(number >= 0, "tokenizer", "{}: the post_processor writes the id {}: expected 0 to {}", source,
        quote(id.is_number() ? id.dump() : id.type_name()), size - 1);
  return static_cast<int32_t>(number);
}

// [{"SpecialToken": {"id": "[CLS]"}}, {"Sequence": {"id": "A"}}, ...]
std::vector<int32_t> read_template(const json& items, const json& specials, int32_t size,
                                   std::string_view source, std::vector<int32_t>& segments) {
  std::vector<int32_t> ids;
  const auto segment = [&](const json& item) {
    const int64_t type = number_of(item, "type_id", 0, 1000, source);
    segments.resize(ids.size(), static_cast<int32_t>(type));
  };
  for (const json& item : items) {
    if (const json& sequence = value_of(item, "Sequence"); sequence.is_object()) {
      ids.push_back(text_of(sequence, "id", "A", source) == "A" ? PostProcessor::kFirst
                                                                : PostProcessor::kSecond);
      segment(sequence);
      continue;
    }
    const json& token = value_of(item, "SpecialToken");
    check(token.is_object(), "tokenizer",
          "{}: the post_processor's template has an item that is neither SpecialToken nor Sequence", source);
    const std::string name = text_of(token, "id", "", source);
    for (const json& id : list_of(value_of(specials, name.c_str()), "ids", source))
      ids.push_back(read_id(id, size, source));
    segment(token);
  }
  return ids;
}

// ["[SEP]", 102]
int32_t read_token(const json& step, const char* key, int32_t size, std::string_view source) {
  const json& token = list_of(step, key, source);
  check(token.size() == 2, "tokenizer", "{}: {} of the post_processor: expected [token, id]", source, key);
  return read_id(token[1], size, source);
}

// None: it writes no ids.
std::optional<PostProcessor> read(const json& step, int32_t size, std::string_view source) {
  constexpr int32_t a = PostProcessor::kFirst, b = PostProcessor::kSecond;
  const std::string type = type_of(step, "post_processor", source);
  if (type == "ByteLevel") return std::nullopt;
  if (type == "TemplateProcessing") {
    const json& specials = value_of(step, "special_tokens");
    PostProcessor made;
    std::vector<int32_t> unused;
    made.pair_segments.clear();
    made.single = read_template(list_of(step, "single", source), specials, size, source, unused);
    made.pair = read_template(list_of(step, "pair", source), specials, size, source, made.pair_segments);
    return made;
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    const int32_t sep = read_token(step, "sep", size, source), cls = read_token(step, "cls", size, source);
    if (type == "BertProcessing") return PostProcessor{{cls, a, sep}, {cls, a, sep, b, sep}, {0, 0, 0, 1, 1}};
    return PostProcessor{{cls, a, sep}, {cls, a, sep, sep, b, sep}, std::vector<int32_t>(6, 0)};
  }
  if (type == "Sequence") {
    std::optional<PostProcessor> only;
    for (const json& next : list_of(step, "processors", source)) {
      std::optional<PostProcessor> found = read(next, size, source);
      check(!only || !found, "tokenizer", "{}: two steps of the post_processor write ids: one is supported",
            source);
      if (found) only = std::move(found);
    }
    return only;
  }
  fail("tokenizer",
       "{}: the post_processor {} is not supported: expected TemplateProcessing, BertProcessing, "
       "RobertaProcessing, "
       "ByteLevel or Sequence",
       source, quote(type));
}

}  // namespace

std::vector<int32_t> PostProcessor::operator()(std::span<const int32_t> first) const {
  std::vector<int32_t> ids;
  for (const int32_t id : single) {
    if (id == kFirst)
      ids.insert(ids.end(), first.begin(), first.end());
    else if (id >= 0)
      ids.push_back(id);
  }
  return ids;
}

std::vector<int32_t> PostProcessor::operator()(std::span<const int32_t> first,
                                               std::span<const int32_t> second) const {
  std::vector<int32_t> ids;
  for (const int32_t id : pair) {
    const std::span<const int32_t> line = id == kFirst ? first : second;
    if (id < 0)
      ids.insert(ids.end(), line.begin(), line.end());
    else
      ids.push_back(id);
  }
  return ids;
}

std::vector<int32_t> PostProcessor::segments(size_t first, size_t second) const {
  std::vector<int32_t> all;
  for (size_t i = 0; i < pair.size(); ++i)
    all.resize(all.size() + (pair[i] == kFirst ? first : pair[i] == kSecond ? second : 1), pair_segments[i]);
  return all;
}

PostProcessor read_post_processor(const json& step, int32_t size, std::string_view source) {
  if (step.is_null()) return {};
  return read(step, size, source).value_or(PostProcessor{});
}

}  // namespace fovea::data
