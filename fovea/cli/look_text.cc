#include "fovea/cli/look_text.h"

#include "fovea/base/error.h"
#include "fovea/cli/look_words.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/decode/read_lines.h"
#include "fovea/look/merge.h"
#include "fovea/run/session.h"

namespace fovea::cli {
look::Stack stack_of_layers(const std::string& name, const std::vector<std::string>& rows,
                            const std::vector<std::string>& columns, const run::Looked& looked,
                            run::Site site, const char* row_name, const char* column_name) {
  std::vector<Tensor> layers;
  for (const run::Seen& seen : looked)
    if (seen.site == site) layers.push_back(seen.weights);
  check(!layers.empty(), "look", "there are no layers to look at");
  const Shape& s = layers.front().shape();
  look::Stack stack;
  stack.name = name;
  stack.rows = rows;
  stack.columns = columns;
  stack.row_name = row_name;
  stack.column_name = column_name;
  stack.weights = Tensor::empty({static_cast<int64_t>(layers.size()), s[0], s[1], s[2]});
  float* to = stack.weights.data<float>();
  for (const Tensor& layer : layers) to = std::copy_n(layer.data<float>(), layer.size(), to);
  return stack;
}

look::Atlas atlas_of_text(const run::Loaded& model, const std::string& text, bool words) {
  look::Atlas atlas;
  atlas.title = text;
  std::vector<int32_t> ids;
  std::vector<run::Looked> looked;
  run::Site site = run::Site::kEncoder;
  size_t marks = 0;
  if (auto encoder = std::dynamic_pointer_cast<const run::Encoder>(model.runner)) {
    const data::Reading reading = decode::readable({encoder, model.source}, text, {}, false, {}, "look", 1);
    ids = reading.ids;
    marks = 1;
    const run::LookAt at{.encoder = true};
    const run::Text whole{reading.ids, reading.segments};
    encoder->states({&whole, 1}, &at, &looked);
  } else {
    const auto& decoder = dynamic_cast<const run::Decoder&>(*model.runner);
    site = run::Site::kSelf;
    const std::vector<int32_t> read = model.source->encode(text);
    ids = model.source->with_specials(read);
    if (ids.size() > read.size() && !read.empty()) marks = ids.front() == read.front() ? 0 : 1;
    const auto length = static_cast<int64_t>(ids.size()), longest = decoder.info().longest;
    check(length > 0, "look", "there is nothing that the model's tokenizer reads");
    check(longest == 0 || length <= longest, "look",
          "the text has {} tokens, and this model reads {}: shorten it", length, longest);
    const run::LookAt at{.self = true, .every_row = true};
    run::Session session(decoder);
    const run::Feed feed{session.join(), ids, run::Feed::kNone};
    session.advance({&feed, 1}, &at, &looked);
  }
  UnknownTokens unknown(*model.source);
  unknown.add(text);
  unknown.say("look");
  const std::vector<std::string> pieces = labels_of(*model.source, ids, text);
  look::Stack stack = stack_of_layers("self", pieces, pieces, looked.front(), site, "token", "token");
  if (words) {
    const look::Merge merge = words_of_pieces(model.source->words_of(text), text, pieces, marks);
    stack = look::merged(stack, merge, merge);
  }
  atlas.stacks.push_back(std::move(stack));
  return atlas;
}

}  // namespace fovea::cli
