#include "fovea/decode/score_text.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/utf8.h"
#include "fovea/decode/score.h"

namespace fovea::decode {

ScoredText score_text(const run::LoadedDecoder& model, std::string_view text, int64_t number) {
  check_utf8(text, "score", "line " + grouped(number));
  ScoredText scored;
  scored.ids = model.source->with_specials(model.source->encode(text));
  const auto length = static_cast<int64_t>(scored.ids.size()), most = model.decoder->info().longest;
  check(most == 0 || length <= most, "score", "line {} has {} tokens, and this model reads {}: shorten it",
        grouped(number), grouped(length), grouped(most));
  if (length < 2) return scored;
  const ScoreRequest request{
      .prompt = {scored.ids.front()}, .target = {scored.ids.begin() + 1, scored.ids.end()}, .end = false};
  score_all(*model.decoder, {&request, 1}, 1, {}, [&](size_t, Scored one) {
    scored.log_prob = one.log_prob;
    scored.tokens = std::move(one.tokens);
  });
  check(std::isfinite(scored.log_prob), "score",
        "line {} has no log-probability that is finite: the model's training went wrong, or its files are "
        "damaged",
        grouped(number));
  return scored;
}

}  // namespace fovea::decode
