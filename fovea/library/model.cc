#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/utf8.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/classify.h"
#include "fovea/decode/embed.h"
#include "fovea/decode/fill.h"
#include "fovea/decode/logits.h"
#include "fovea/decode/score.h"
#include "fovea/decode/score_text.h"
#include "fovea/library/arrays.h"
#include "fovea/library/attention_maps.h"
#include "fovea/library/guarded.h"
#include "fovea/library/labels.h"
#include "fovea/library/loaded_model.h"
#include "fovea/library/map_contents.h"
#include "fovea/library/results.h"
#include "fovea/models/model_dir.h"
#include "fovea/run/matcher.h"

namespace fovea {

using library::classification_of;
using library::hypothesis_of;
using library::Target;

namespace {

decode::Sampling sampling_of(const Sampling& s) {
  return {.temperature = s.temperature, .top_k = s.top_k, .top_p = s.top_p, .min_p = s.min_p, .seed = s.seed};
}

decode::TranslateOptions search_of(const TranslateOptions& o) {
  decode::TranslateOptions options;
  options.batch = o.batch;
  options.max_length = o.max_length;
  options.crop = o.crop;
  decode::Options& search = options.search;
  search.beam_size = o.sample ? 1 : o.beam_size;
  search.n_best = o.n_best;
  search.normalize = o.normalize;
  search.max_length_factor = o.max_length_factor;
  search.allow_unk = o.allow_unk;
  search.sample = o.sample;
  search.sampling = sampling_of(o.sampling);
  search.repetition_penalty = o.repetition_penalty;
  search.stop = o.stop;
  if (o.look) search.look = decode::look_at_source();
  return options;
}

std::vector<std::pair<int, int>> alignment_of(const run::LoadedDecoder& model, std::string_view line,
                                              const Target& target) {
  std::vector<int32_t> from = model.source->words_of(line);
  from.resize(static_cast<size_t>(target.weights.dim(2) - 1));
  const int64_t words =
      target.word_of.empty() ? 0 : *std::max_element(target.word_of.begin(), target.word_of.end()) + 1;
  std::vector<std::pair<int, int>> links;
  for (const Link& link :
       decode::hard_links(decode::align_words(target.weights, from, target.word_of), words))
    links.emplace_back(link.source, link.target);
  return links;
}

// Its map, or the maps of all its layers.
Map map_of(const run::LoadedDecoder& model, std::string_view line, const Target& target, bool words) {
  if (!target.weights.defined()) return {};
  return library::has_layers(model)
             ? library::make_map(library::atlas_of_translation(model, line, target, words))
             : library::make_map(library::map_of_translation(model, line, target, words));
}

Translation translation_of(const run::LoadedDecoder& model, std::string_view line,
                           const decode::Translation& said, const TranslateOptions& options) {
  Translation result;
  static_cast<Hypothesis&>(result) = hypothesis_of(said.best());
  result.source_tokens.assign(said.source_pieces.begin(), said.source_pieces.end() - 1);
  for (const decode::Candidate& one : said.candidates) result.n_best.push_back(hypothesis_of(one));
  if (!options.look || !said.best().weights.defined() || result.source_tokens.empty()) return result;
  const Target target = library::target_of(model, said.best());
  result.map = map_of(model, line, target, options.words);
  result.alignment = alignment_of(model, line, target);
  return result;
}

std::vector<Classification> classified(const run::LoadedEncoder& model, const std::string& directory,
                                       std::span<const decode::LineOrPair> lines,
                                       const ReadOptions& options) {
  return library::guarded("classify", [&] {
    decode::check_classifies(model, directory);
    std::vector<Classification> all;
    for (const decode::Classified& one :
         decode::classify_lines(model, lines, {.batch = options.batch, .crop = options.crop}))
      all.push_back(classification_of(model.encoder->info().labels, one));
    return all;
  });
}

}  // namespace

namespace {

Model loaded_from(const std::string& directory, const LoadOptions& options) {
  run::LoadOptions how;
  if (options.precision == "int8") how.precision = run::Precision::kInt8;
  if (options.precision == "f32") how.precision = run::Precision::kF32;
  check(options.precision.empty() || how.precision, "load", "precision '{}': expected f32 or int8",
        options.precision);
  const models::ModelFiles files = models::open_model(directory);
  auto loaded = std::make_shared<Model::Loaded>();
  ModelInfo& info = loaded->info;
  loaded->model = run::load(files, how);
  info.directory = files.dir;
  info.model_type = files.config.value("model_type", "");
  info.config = files.config.dump(2);
  info.parameters = models::count_parameters(files);
  const run::Loaded& model = loaded->model;
  info.can.assign(model.can.begin(), model.can.end());
  // What the command alone has: texts matched with pictures, vectors of pictures, the path of an eye.
  if (dynamic_cast<const run::Matcher*>(model.runner.get())) info.can.clear();
  if (const auto* pictures = dynamic_cast<const run::PictureEncoder*>(model.runner.get())) {
    std::erase(info.can, "embed");
    if (pictures->info().layers == 0) std::erase(info.can, "look");
  }
  if (model.source) info.can.insert(info.can.end(), {"tokenize", "logits"});
  info.what = model.what;
  info.precision = run::name_of(model.runner->precision());
  info.weight_bytes = model.runner->held().f32_bytes + model.runner->held().int8_bytes;
  info.source_vocabulary = model.source ? model.source->size() : 0;
  info.vocabulary = model.target ? model.target->size() : 0;
  loaded->decoder = std::dynamic_pointer_cast<const run::Decoder>(model.runner);
  loaded->encoder = run::as_text_encoder(model.runner);
  if (loaded->encoder) info.labels = loaded->encoder->info().labels;
  loaded->pictures = std::dynamic_pointer_cast<const run::PictureEncoder>(model.runner);
  if (loaded->pictures) info.labels = loaded->pictures->info().labels;
  info.reads_pictures = loaded->pictures || (loaded->decoder && loaded->decoder->info().reads_pictures);
  if (loaded->encoder)
    info.longest = loaded->encoder->info().longest;
  else if (loaded->decoder)
    info.longest =
        loaded->translates() ? loaded->decoder->info().longest_source : loaded->decoder->info().longest;
  info.source_eos = loaded->translates() ? loaded->decoder->info().source_eos : -1;
  if (loaded->translates() && info.source_eos < 0) info.source_eos = loaded->decoder->info().ids.eos;
  if (loaded->decoder) {
    info.sos = loaded->decoder->info().ids.sos;
    info.eos = loaded->decoder->info().ids.eos;
  }
  return Model::Loaded::model_of(std::move(loaded));
}

}  // namespace

Model load(const std::string& directory, const LoadOptions& options) {
  return library::guarded("load", [&] { return loaded_from(directory, options); });
}

const Model::Loaded& Model::loaded() const {
  check(loaded_ != nullptr, "model", "this Model was moved from");
  return *loaded_;
}

ModelInfo Model::info() const { return loaded().info; }

bool Model::can(std::string_view function) const {
  const std::vector<std::string>& all = loaded().info.can;
  return std::find(all.begin(), all.end(), function) != all.end();
}

Translation Model::translate(std::string_view text, const TranslateOptions& options) const {
  const std::string lines[] = {std::string(text)};
  return std::move(translate(lines, options).front());
}

std::vector<Translation> Model::translate(std::span<const std::string> lines,
                                          const TranslateOptions& options) const {
  return library::guarded("translate", [&] {
    const decode::Translator translator(loaded().translator("translate"), search_of(options));
    std::vector<Translation> all(lines.size());
    const bool done = translator.translate(
        lines, 0,
        [&](size_t i, const decode::Translation& said) {
          all[i] = translation_of(translator.model(), lines[i], said, options);
        },
        options.cancelled);
    if (!done) throw Cancelled("[translate] it was cancelled");
    return all;
  });
}

Generation Model::generate(std::string_view prompt, const GenerateOptions& o) const {
  return library::guarded("generate", [&] {
    check(o.max_tokens >= 1, "generate", "max_tokens {}: expected 1 or more", o.max_tokens);
    check(o.cache == "f32" || o.cache == "f16", "generate", "cache '{}': expected f32 or f16", o.cache);
    check(!o.look || !o.window, "generate",
          "look and window: what has left the window cannot be looked at; give one of them");
    decode::Options options;
    options.beam_size = o.beam_size;
    options.ended_places = decode::EndedPlaces::kTaken;
    options.n_best = o.n_best;
    options.normalize = o.normalize;
    options.max_tokens = o.max_tokens;
    options.full = o.window ? decode::Full::kWindow : decode::Full::kEnd;
    options.ignore_end = o.ignore_eos;
    options.sample = o.beam_size == 1 && o.temperature != 0;
    options.sampling = {
        .temperature = o.temperature, .top_k = o.top_k, .top_p = o.top_p, .min_p = o.min_p, .seed = o.seed};
    options.repetition_penalty = o.repetition_penalty;
    options.stop = o.stop;
    if (o.look) options.look = {.self = true};
    if (o.cache == "f16") options.session.cache = run::CacheType::kF16;
    const decode::Generator generator(loaded().language_model("generate"), options);
    const data::Tokenizer& tokenizer = *generator.model().target;
    decode::GenerateCalls calls;
    if (o.on_text) calls.text = [&](std::string_view text) { return text.empty() || o.on_text(text); };
    calls.on_prefill = o.on_prompt;
    calls.stop = o.cancelled;
    const std::vector<int32_t> ids = generator.prompt_ids(prompt);
    Generation result;
    for (const int32_t id : ids) result.prompt_tokens.push_back(tokenizer.piece(id));
    std::vector<decode::Generated> found;
    if (o.beam_size > 1) {
      found = generator.best(ids, calls);
      if (found.empty()) return result;  // cancelled
      for (const decode::Generated& one : found) result.n_best.push_back(hypothesis_of(tokenizer, one));
      calls.text(found.front().text);
    } else {
      found.push_back(generator(ids, calls));
    }
    const decode::Generated& made = found.front();
    static_cast<Hypothesis&>(result) = hypothesis_of(tokenizer, made);
    result.prompt_seconds = made.read_seconds;
    result.seconds = made.write_seconds;
    if (o.look && !made.ids.empty())
      result.map = library::make_map(library::atlas_of_generated(generator.model(), made, prompt));
    return result;
  });
}

std::vector<Gap> Model::fill(std::string_view line, int64_t count) const {
  return library::guarded("fill", [&] {
    const run::LoadedEncoder model = loaded().reader("fill");
    decode::check_fills(model, loaded().info.directory);
    std::vector<Gap> gaps;
    for (const decode::Gap& gap : decode::fill_gaps(model, line, count)) {
      Gap& one = gaps.emplace_back();
      one.position = gap.position;
      for (const decode::Guess& guess : gap.guesses)
        one.guesses.push_back({guess.token, guess.id, guess.probability, guess.text});
    }
    return gaps;
  });
}

Array Model::embed(std::span<const std::string> lines, const ReadOptions& options) const {
  return library::guarded("embed", [&] {
    return library::array_of(
        decode::embed_lines(loaded().reader("embed"), lines, {.batch = options.batch, .crop = options.crop}));
  });
}

Array Model::embed(std::string_view line, const ReadOptions& options) const {
  const std::string lines[] = {std::string(line)};
  const Array vectors = embed(lines, options);
  return {{vectors.shape().back()}, vectors.shared()};
}

std::vector<Classification> Model::classify(std::span<const std::string> lines,
                                            const ReadOptions& options) const {
  const std::vector<decode::LineOrPair> read(lines.begin(), lines.end());
  return classified(loaded().reader("classify"), loaded().info.directory, read, options);
}

std::vector<Classification> Model::classify(std::span<const std::pair<std::string, std::string>> pairs,
                                            const ReadOptions& options) const {
  std::vector<decode::LineOrPair> read;
  for (const auto& [first, second] : pairs) read.push_back({first, second});
  return classified(loaded().reader("classify"), loaded().info.directory, read, options);
}

Classification Model::classify(std::string_view line, const ReadOptions& options) const {
  const decode::LineOrPair read{line};
  return std::move(
      classified(loaded().reader("classify"), loaded().info.directory, {&read, 1}, options).front());
}

Score Model::score(std::string_view source, std::string_view target) const {
  const std::pair<std::string, std::string> pairs[] = {{std::string(source), std::string(target)}};
  return std::move(score(pairs, 1).front());
}

std::vector<Score> Model::score(std::span<const std::pair<std::string, std::string>> pairs,
                                int64_t batch) const {
  return library::guarded("score", [&] {
    check(batch >= 1, "score", "batches of {}: expected 1 or more", batch);
    const run::LoadedDecoder model = loaded().translator("score");
    std::vector<decode::ScoreRequest> requests;
    std::vector<Score> scores;
    for (const auto& [source, target] : pairs) {
      check_utf8(source, "score", "the source");
      check_utf8(target, "score", "the target");
      requests.push_back({.source = model.source->encode(source), .target = model.target->encode(target)});
      scores.push_back({0, library::labels_of(*model.target, target), {}});
      scores.back().tokens.emplace_back("<eos>");
    }
    decode::score_all(*model.decoder, requests, batch, {}, [&](size_t i, decode::Scored scored) {
      check(std::isfinite(scored.log_prob), "score",
            "pair {} has no log-probability that is finite: the model's training went wrong, or its files "
            "are damaged",
            i + 1);
      scores[i].log_prob = scored.log_prob;
      scores[i].token_log_probs = std::move(scored.tokens);
    });
    return scores;
  });
}

Score Model::score(std::string_view text) const {
  return library::guarded("score", [&] {
    const run::LoadedDecoder model = loaded().language_model("score");
    decode::ScoredText scored = decode::score_text(model, text);
    Score result{scored.log_prob, {}, std::move(scored.tokens)};
    for (size_t i = 1; i < scored.ids.size(); ++i)
      result.tokens.push_back(model.source->piece(scored.ids[i]));
    return result;
  });
}

Array Model::logits(std::span<const int32_t> ids, std::span<const int32_t> source_ids) const {
  return library::guarded("logits", [&] {
    return library::array_of(decode::logits_of(*loaded().model.runner, ids, source_ids));
  });
}

Tokens Model::tokenize(std::string_view text, Side side) const {
  return library::guarded("tokenize", [&] {
    check_utf8(text, "tokenize", "the text");
    const data::Tokenizer& tokenizer = loaded().tokenizer(side);
    const std::vector<int32_t> ids = tokenizer.encode(text);
    return Tokens{tokenizer.with_specials(ids), tokenizer.pieces(text),
                  std::count(ids.begin(), ids.end(), library::unknown_id(tokenizer))};
  });
}

std::string Model::detokenize(std::span<const int32_t> ids, Side side) const {
  return library::guarded("detokenize", [&] { return loaded().tokenizer(side).decode(ids); });
}

Map Model::look(std::string_view text, const LookOptions& options) const {
  return library::guarded("look", [&] {
    check_utf8(text, "look", "the text");
    check_utf8(options.target, "look", "the target");
    loaded().expect(!loaded().info.reads_pictures, "look");
    if (!loaded().translates()) {
      check(options.target.empty(), "look", "a target is about models that translate");
      return library::make_map(library::atlas_of_text(loaded().model, text, options.words));
    }
    const run::LoadedDecoder model = loaded().translator("look");
    check(can("look"), "look", "this model does not look: its decoder gets the source as one fixed vector");
    check(!model.source->encode(text).empty(), "look", "there is nothing that the model's tokenizer reads");
    Target target;
    if (options.target.empty()) {
      const decode::Translator translator(
          model, {.search = {.beam_size = options.beam_size, .look = decode::look_at_source()}});
      target = library::target_of(model, translator.translate(text).best());
    } else {
      target = library::forced_target(model, text, options.target);
    }
    return map_of(model, text, target, options.words);
  });
}

}  // namespace fovea
