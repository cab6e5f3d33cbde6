#include "fovea/cli/score_text.h"

#include <fmt/ranges.h>

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/cli/output.h"
#include "fovea/data/text_file.h"
#include "fovea/decode/score.h"

namespace fovea::cli {

void score_texts(const run::LoadedDecoder& model, const std::string& path, bool words) {
  data::TextFile input(path, "score");
  const int64_t most = model.decoder->info().longest;
  for (std::string line; input.next(line);) {
    const std::vector<int32_t> ids = model.source->with_specials(model.source->encode(line));
    const auto length = static_cast<int64_t>(ids.size());
    check(most == 0 || length <= most, "score", "line {} has {} tokens, and this model reads {}: shorten it",
          grouped(input.lines()), grouped(length), grouped(most));
    std::vector<float> scores;
    double sum = 0;
    if (length > 1) {
      const decode::ScoreRequest request{
          .prompt = {ids.front()}, .target = {ids.begin() + 1, ids.end()}, .end = false};
      decode::score_all(*model.decoder, {&request, 1}, 1, {}, [&](size_t, decode::Scored scored) {
        sum = scored.log_prob;
        scores = std::move(scored.tokens);
      });
    }
    check(std::isfinite(sum), "score",
          "line {} has no log-probability that is finite: the model's training went wrong, or its files are "
          "damaged",
          grouped(input.lines()));
    std::string text = fmt::format("{:.6f}\t{}", sum, scores.size());
    if (words) {
      std::vector<std::string> pieces;
      for (size_t i = 1; i < ids.size(); ++i) pieces.push_back(model.source->piece(ids[i]));
      text += fmt::format("\t{}\t{:.4f}", fmt::join(pieces, " "), fmt::join(scores, " "));
    }
    write_output(text + "\n");
    flush_output();
  }
}

}  // namespace fovea::cli
