#include "fovea/library/attention_maps.h"

#include <fmt/format.h>

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/read_lines.h"
#include "fovea/decode/score.h"
#include "fovea/library/labels.h"
#include "fovea/run/session.h"

namespace fovea::library {
namespace {

std::vector<std::string> with_eos(std::vector<std::string> labels) {
  labels.emplace_back("<eos>");
  return labels;
}

// Tokens of the source that the model read: a line may have been cut.
size_t source_tokens(const Target& target) { return static_cast<size_t>(target.weights.dim(2) - 1); }

std::vector<std::string> source_labels(const run::LoadedDecoder& model, std::string_view line,
                                       const Target& target) {
  std::vector<std::string> labels = labels_of(*model.source, line);
  labels.resize(source_tokens(target));
  return with_eos(std::move(labels));
}

// More weights than anybody looks at, and than memory may hold.
void check_amount(int64_t layers, int64_t heads, int64_t rows, int64_t columns) {
  constexpr double kMost = 256e6;
  const double weights = static_cast<double>(layers) * static_cast<double>(heads) *
                         static_cast<double>(rows) * static_cast<double>(columns);
  check(weights <= kMost, "look",
        "{:.0f} million weights in all layers and heads, at most {:.0f}: shorten the text", weights / 1e6,
        kMost / 1e6);
}

// What one sequence saw at one site, all of its layers.
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

// What the model sees while it reads these ids as its translation of a line.
decode::Scored forced(const run::LoadedDecoder& model, std::vector<int32_t> source,
                      const std::vector<int32_t>& ids, const run::LookAt& at) {
  const decode::ScoreRequest request{.source = std::move(source), .target = ids};
  decode::Scored result;
  decode::score_all(*model.decoder, {&request, 1}, 1, at,
                    [&](size_t, decode::Scored one) { result = std::move(one); });
  return result;
}

look::Merge source_words(const run::LoadedDecoder& model, std::string_view line,
                         const std::vector<std::string>& tokens) {
  std::vector<int32_t> word_of = model.source->words_of(line);
  word_of.resize(tokens.size() - 1);
  return words_of_tokens(word_of, line, tokens);
}

}  // namespace

Target target_of(const run::LoadedDecoder& model, const decode::Candidate& candidate) {
  return {candidate.text, candidate.ids, candidate.pieces, decode::words_of_ids(*model.target, candidate.ids),
          candidate.weights};
}

Target forced_target(const run::LoadedDecoder& model, std::string_view line, std::string_view text) {
  Target target;
  target.text = text;
  target.ids = model.target->encode(text);
  target.tokens = with_eos(labels_of(*model.target, text));
  target.word_of = model.target->words_of(text);
  target.weights = decode::last_layer(
      forced(model, model.source->encode(line), target.ids, decode::look_at_source()).looked,
      run::Site::kCross);
  return target;
}

bool has_layers(const run::LoadedDecoder& model) { return model.decoder->info().encoder_layers > 0; }

look::Map map_of_translation(const run::LoadedDecoder& model, std::string_view line, const Target& target,
                             bool words) {
  look::Map map;
  map.rows = target.tokens;
  map.columns = source_labels(model, line, target);
  map.weights = target.weights;
  map.row_name = "target";
  map.column_name = "source";
  map.title = fmt::format("{} → {}", line, target.text);
  if (model.decoder->info().hard) map.chosen = look::chosen_columns(map.weights);
  if (!words) return map;
  return look::merged(map, words_of_tokens(target.word_of, target.text, target.tokens),
                      source_words(model, line, map.columns));
}

look::Atlas atlas_of_translation(const run::LoadedDecoder& model, std::string_view line, const Target& target,
                                 bool words) {
  const size_t count = target.ids.size();
  const std::vector<std::string> source = source_labels(model, line, target);
  const run::DecoderInfo& info = model.decoder->info();
  const auto longer = static_cast<int64_t>(std::max(source.size(), count + 1));
  check_amount(2 * info.layers + info.encoder_layers, std::max(info.heads, info.encoder_heads), longer,
               longer);
  std::vector<int32_t> ids = model.source->encode(line);
  ids.resize(source_tokens(target));
  // The decoder reads what was written before: <sos> first, and not the <eos> that it ends with.
  std::vector<std::string> read = {"<sos>"};
  read.insert(read.end(), target.tokens.begin(), target.tokens.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<std::string> written = target.tokens;
  written.resize(read.size(), "<eos>");
  const decode::Scored seen =
      forced(model, std::move(ids), target.ids, {.encoder = true, .self = true, .cross = true});
  look::Atlas atlas;
  atlas.title = fmt::format("{} → {}", line, target.text);
  atlas.stacks.push_back(
      stack_of_layers("cross", written, source, seen.looked, run::Site::kCross, "target", "source"));
  atlas.stacks.push_back(
      stack_of_layers("encoder self", source, source, seen.encoder, run::Site::kEncoder, "source", "source"));
  atlas.stacks.push_back(
      stack_of_layers("decoder self", read, read, seen.looked, run::Site::kSelf, "target", "target"));
  if (!words) return atlas;
  look::Merge after = words_of_tokens(target.word_of, target.text, target.tokens), before{{0}, {"<sos>"}};
  if (after.into.size() == count) {  // it was cut before its <eos>
    after.into.push_back(static_cast<int>(after.labels.size()));
    after.labels.emplace_back("<eos>");
  }
  for (size_t i = 0; i < count; ++i) before.into.push_back(after.into[i] + 1);
  before.labels.insert(before.labels.end(), after.labels.begin(), after.labels.end() - 1);
  const look::Merge from = source_words(model, line, source);
  atlas.stacks[0] = look::merged(atlas.stacks[0], after, from);
  atlas.stacks[1] = look::merged(atlas.stacks[1], from, from);
  atlas.stacks[2] = look::merged(atlas.stacks[2], before, before);
  return atlas;
}

look::Atlas atlas_of_text(const run::Loaded& model, std::string_view text, bool words) {
  std::vector<int32_t> ids;
  std::vector<run::Looked> looked;
  run::Site site = run::Site::kEncoder;
  size_t specials_before = 0;
  if (auto encoder = run::as_text_encoder(model.runner)) {
    const data::Reading reading = decode::readable({encoder, model.source}, text, {}, false, {}, "look", 1);
    ids = reading.ids;
    specials_before = 1;
    const auto length = static_cast<int64_t>(ids.size());
    check_amount(encoder->info().layers, encoder->info().heads, length, length);
    const run::LookAt at{.encoder = true};
    const run::Text whole{reading.ids, reading.segments};
    encoder->states({&whole, 1}, &at, &looked);
  } else {
    const auto& decoder = dynamic_cast<const run::Decoder&>(*model.runner);
    site = run::Site::kSelf;
    const std::vector<int32_t> read = model.source->encode(text);
    ids = model.source->with_specials(read);
    if (ids.size() > read.size() && !read.empty()) specials_before = ids.front() == read.front() ? 0 : 1;
    const auto length = static_cast<int64_t>(ids.size()), longest = decoder.info().longest;
    check(length > 0, "look", "there is nothing that the model's tokenizer reads");
    check(longest == 0 || length <= longest, "look",
          "the text has {} tokens, and this model reads {}: shorten it", length, longest);
    check_amount(decoder.info().layers, decoder.info().heads, length, length);
    const run::LookAt at{.self = true, .every_row = true};
    run::Session session(decoder);
    const run::Feed feed{session.join(), ids, run::Feed::kNone};
    session.advance({&feed, 1}, &at, &looked);
  }
  const std::vector<std::string> tokens = labels_of(*model.source, ids, text);
  look::Stack stack = stack_of_layers("self", tokens, tokens, looked.front(), site, "token", "token");
  if (words) {
    const look::Merge merge = words_of_tokens(model.source->words_of(text), text, tokens, specials_before);
    stack = look::merged(stack, merge, merge);
  }
  look::Atlas atlas;
  atlas.title = text;
  atlas.stacks.push_back(std::move(stack));
  return atlas;
}

look::Atlas atlas_of_generated(const run::LoadedDecoder& model, const decode::Generated& made,
                               std::string_view prompt) {
  const data::Tokenizer& tokenizer = *model.target;
  std::vector<std::string> rows, columns = labels_of(tokenizer, made.prompt, prompt);
  for (const int32_t id : made.ids) rows.push_back(tokenizer.piece(id));
  columns.insert(columns.end(), rows.begin(), rows.end() - 1);
  // Where the model ended the text, what its end-of-sequence token saw is no row.
  const run::Looked layers = decode::join_looks(std::span(made.looks).first(made.ids.size()));
  look::Atlas atlas;
  atlas.title = std::string(prompt) + made.text;
  std::replace(atlas.title.begin(), atlas.title.end(), '\n', ' ');
  atlas.stacks.push_back(
      stack_of_layers("self", rows, columns, layers, run::Site::kSelf, "new token", "token before"));
  return atlas;
}

}  // namespace fovea::library
