#include "fovea/decode/translate.h"

#include <algorithm>
#include <utility>

#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"

namespace fovea::decode {

Translator::Translator(models::Model model, TranslateOptions options)
    : model_(std::move(model)), options_(options) {
  check_options(options_.search, "translate");
  check(options_.batch >= 1, "translate", "batches of {}: expected 1 or more", options_.batch);
  check(options_.max_length >= 1, "translate", "sources of at most {} pieces: expected 1 or more",
        options_.max_length);
  if (const int64_t most = model_.net->longest_source(); most > 0)
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

void Translator::translate(std::span<const std::string> lines, int64_t first_line,
                           const std::function<void(size_t, Translation)>& found) const {
  const auto most = static_cast<size_t>(options_.max_length);
  std::vector<std::vector<int32_t>> sources;
  for (size_t i = 0; i < lines.size(); ++i) {
    const int64_t number = first_line + static_cast<int64_t>(i) + 1;
    check(find_invalid_utf8(lines[i]) == std::string_view::npos, "translate",
          "line {} is not UTF-8: iconv converts other encodings", grouped(number));
    std::vector<int32_t>& ids = sources.emplace_back();
    if (data::count_words(lines[i]) > 0) ids = model_.source->encode(lines[i]);
    if (ids.size() <= most) continue;
    if (!options_.crop) {
      const bool reads_no_more = options_.max_length == model_.net->longest_source();
      fail("translate", "line {} has {} pieces, more than {} {}: {}cut such lines with --max-length-crop",
           grouped(number), grouped(static_cast<int64_t>(ids.size())),
           reads_no_more ? "this model can read," : "--max-length", grouped(options_.max_length),
           reads_no_more ? "" : "raise it, or ");
    }
    ids.resize(most);
  }

  search_all(*model_.net, sources, options_.search, options_.batch, first_line, [&](size_t i, NBest n_best) {
    Translation said;
    said.source_pieces = model_.source->pieces(lines[i]);
    said.source_pieces.resize(sources[i].size());
    said.source_pieces.emplace_back("<eos>");
    for (Hypothesis& one : n_best) {
      Candidate& candidate = said.candidates.emplace_back();
      candidate.text = model_.target->decode(one.words);
      for (const int32_t id : one.words) candidate.pieces.push_back(model_.target->piece(id));
      if (one.ended) candidate.pieces.emplace_back("<eos>");
      candidate.ids = std::move(one.words);
      candidate.log_prob = one.log_prob;
      candidate.score = one.score;
      candidate.ended = one.ended;
      candidate.weights = std::move(one.look);
    }
    found(i, std::move(said));
  });
}

}  // namespace fovea::decode
