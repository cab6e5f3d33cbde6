#include "fovea/cli/look_text.h"

#include "fovea/base/error.h"
#include "fovea/data/blanks.h"
#include "fovea/decode/read_lines.h"
#include "fovea/look/merge.h"

namespace fovea::cli {
namespace {

// Pieces become words; marks before and after them stay by themselves.
look::Merge words_of(const data::Tokenizer& tokenizer, const std::string& text,
                     const std::vector<std::string>& pieces, size_t marks_before) {
  std::vector<std::string> names;
  data::for_each_word(text, [&](std::string_view word) { names.emplace_back(word); });
  const std::vector<int32_t> words = tokenizer.words_of(text);
  look::Merge merge;
  int32_t last = -2;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool mark = i < marks_before || i - marks_before >= words.size();
    const int32_t word = mark ? -1 : words[i - marks_before];
    if (mark || word != last || merge.labels.empty())
      merge.labels.push_back(mark || word < 0 ? pieces[i] : names[static_cast<size_t>(word)]);
    last = mark ? -2 : word;
    merge.into.push_back(static_cast<int>(merge.labels.size()) - 1);
  }
  return merge;
}

}  // namespace

look::Stack stack_of_layers(const std::string& name, const std::vector<std::string>& rows,
                            const std::vector<std::string>& columns, const models::LayerLooks& layers,
                            const char* row_name, const char* column_name) {
  check(!layers.empty(), "look", "there are no layers to look at");
  const Shape& s = layers.front().weights.shape();
  look::Stack stack;
  stack.name = name;
  stack.rows = rows;
  stack.columns = columns;
  stack.row_name = row_name;
  stack.column_name = column_name;
  stack.weights = Tensor::empty({static_cast<int64_t>(layers.size()), s[1], s[2], s[3]});
  float* to = stack.weights.data<float>();
  for (const nn::Seen& layer : layers)
    to = std::copy_n(layer.weights.data<float>(), layer.weights.size(), to);
  return stack;
}

look::Atlas atlas_of_text(const models::AnyModel& model, const std::string& text, bool words) {
  look::Atlas atlas;
  atlas.title = text;
  std::vector<int32_t> ids;
  models::LayerLooks looks;
  size_t marks = 0;
  if (auto encoder = std::dynamic_pointer_cast<models::Encoder>(model.net)) {
    const models::ReadingModel reader{encoder, model.source, model.target};
    ids = decode::readable(reader, text, {}, false, {}, "look", 1).ids;
    marks = 1;
    const auto S = static_cast<int64_t>(ids.size());
    looks = encoder->looks(
        {Tensor::of<int32_t>({1, S}, ids), Tensor::full({1}, static_cast<double>(S), DType::kI32)});
  } else {
    auto& net = dynamic_cast<models::LanguageModel&>(*model.net);
    const std::vector<int32_t> read = model.source->encode(text);
    ids = model.source->with_specials(read);
    if (ids.size() > read.size() && !read.empty()) marks = ids.front() == read.front() ? 0 : 1;
    const auto length = static_cast<int64_t>(ids.size());
    check(length > 0, "look", "there is nothing that the model's tokenizer reads");
    check(net.longest() == 0 || length <= net.longest(), "look",
          "the text has {} tokens, and this model reads {}: shorten it", length, net.longest());
    net.logits(Tensor::of<int32_t>({1, length}, ids), &looks);
  }
  std::vector<std::string> pieces;
  for (const int32_t id : ids) pieces.push_back(model.source->piece(id));
  look::Stack stack = stack_of_layers("self", pieces, pieces, looks, "token", "token");
  if (words) {
    const look::Merge merge = words_of(*model.source, text, pieces, marks);
    stack = look::merged(stack, merge, merge);
  }
  atlas.stacks.push_back(std::move(stack));
  return atlas;
}

}  // namespace fovea::cli
