#include "fovea/decode/translate.h"

#include <algorithm>
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/search.h"

namespace fovea::decode {

Translator::Translator(run::LoadedDecoder model, TranslateOptions options)
    : model_(std::move(model)), options_(std::move(options)) {
  options_.search.tokenizer = model_.target.get();
  options_.search.usable_ids = std::min(model_.target->size(), model_.decoder->info().vocab);
  check(!model_.decoder->info().reads_pictures, "translate",
        "this model looks at pictures: fovea caption is for it");
  check(model_.decoder->info().reads_source, "translate",
        "this model continues texts and reads no source: fovea generate is for it");
  check_options(options_.search, "translate");
  check(options_.batch >= 1, "translate", "batches of {}: expected 1 or more", options_.batch);
  check(options_.max_length >= 1, "translate", "sources of at most {} tokens: expected 1 or more",
        options_.max_length);
  if (const int64_t most = model_.decoder->info().longest_source; most > 0)
    options_.max_length = std::min(options_.max_length, most);
}

Translation Translator::translate(std::string_view line) const {
  const std::string lines[] = {std::string(line)};
  return std::move(translate(lines).front());
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines, int64_t first_line) const {
  std::vector<Translation> all(lines.size());
  translate(lines, first_line, [&](size_t i, Translation one) { all[i] = std::move(one); });
  return all;
}

bool Translator::translate(std::span<const std::string> lines, int64_t first_line,
                           const std::function<void(size_t, Translation)>& found,
                           const std::function<bool()>& stop) const {
  std::vector<Request> requests;
  for (size_t i = 0; i < lines.size(); ++i) {
    const int64_t number = first_line + static_cast<int64_t>(i);
    requests.push_back({.source = source_ids(lines[i], number + 1), .line = number});
  }
  const auto translated = [&](size_t i, NBest n_best) {
    Translation said;
    said.source_pieces = model_.source->pieces(lines[i]);
    said.source_pieces.resize(requests[i].source.size());
    said.source_pieces.emplace_back("<eos>");
    for (Hypothesis& one : n_best)
      said.candidates.push_back(candidate_of(model_, options_.search, std::move(one)));
    found(i, std::move(said));
  };
  return search(*model_.decoder, requests, options_.search, options_.batch,
                {.found = translated, .stop = stop});
}

std::vector<int32_t> Translator::source_ids(std::string_view line, int64_t number) const {
  check_utf8(line, "translate", "line " + grouped(number));
  if (data::count_words(line) == 0) return {};
  std::vector<int32_t> ids = model_.source->encode(line);
  const auto most = static_cast<size_t>(options_.max_length);
  if (ids.size() <= most) return ids;
  if (!options_.crop) {
    const bool reads_no_more = options_.max_length == model_.decoder->info().longest_source;
    fail("translate", "line {} has {} tokens, more than {} {}: {}crop such lines (--max-length-crop)",
         grouped(number), grouped(static_cast<int64_t>(ids.size())),
         reads_no_more ? "this model can read," : "--max-length", grouped(options_.max_length),
         reads_no_more ? "" : "raise it, or ");
  }
  ids.resize(most);
  return ids;
}

Candidate candidate_of(const run::LoadedDecoder& model, const Options& search, Hypothesis hypothesis) {
  Candidate one;
  one.text = model.target->decode(hypothesis.tokens);
  const size_t stop = find_stop(one.text, search.stop);
  if (stop != std::string::npos) one.text.resize(stop);
  for (const int32_t id : hypothesis.tokens) one.pieces.push_back(model.target->piece(id));
  if (hypothesis.ended && stop == std::string::npos) one.pieces.emplace_back("<eos>");
  one.ids = std::move(hypothesis.tokens);
  one.log_prob = hypothesis.log_prob;
  one.score = hypothesis.score;
  one.ended = hypothesis.ended;
  one.looks = join_looks(hypothesis.looks);
  one.weights = last_layer(one.looks, run::Site::kCross);
  one.looks.insert(one.looks.begin(), hypothesis.encoder.begin(), hypothesis.encoder.end());
  return one;
}

}  // namespace fovea::decode
