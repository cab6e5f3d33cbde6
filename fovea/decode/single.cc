#include "fovea/decode/single.h"

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/kernels/top_k.h"

namespace fovea::decode {

void Single::choose(std::span<float> logits, std::span<const run::Looked> looked) {
  const auto position = static_cast<int64_t>(hypothesis_.tokens.size());
  penalize(logits, hypothesis_.tokens);
  if (options().sample) {
    const Sampling& sampling = options().sampling;
    chosen_ =
        draw(logits, sampling, hidden(position), draw_position(sampling.seed, job().request.line, position));
  } else {
    kernels::top_k_log_softmax(logits.data(), 1, static_cast<int64_t>(logits.size()), 1, hidden(position),
                               &chosen_.token, &chosen_.log_prob);
  }
  looked_ = looked.front();
}

bool Single::settle() {
  if (chosen_.token < 0) fail_without_numbers();
  Hypothesis& h = hypothesis_;
  h.log_prob += static_cast<double>(chosen_.log_prob);
  if (!looked_.empty()) h.looks.push_back(looked_);
  if (ends(chosen_.token)) {
    h.ended = true;
    return false;
  }
  h.tokens.push_back(chosen_.token);
  newest_ = {chosen_.token};
  const bool goes_on = !job().on_token || job().on_token(Token{chosen_.token, chosen_.log_prob, &looked_});
  h.ended = meets_stop_string(h.tokens);
  const auto count = static_cast<int64_t>(h.tokens.size());
  if (!goes_on || h.ended || count == most()) return false;

  const int64_t longest = session_.decoder().info().longest;
  if (longest == 0 || session_.length(sequences_.front()) < longest) return true;
  check(options().full == Full::kWindow, "generate",
        "after {} tokens the text is as long as this model can read, {}: write fewer (-n), or go on with "
        "--window",
        grouped(count), grouped(longest));
  std::vector<int32_t> all = job().request.prompt;
  all.insert(all.end(), h.tokens.begin(), h.tokens.end());
  all.erase(all.begin(), all.end() - std::min<std::ptrdiff_t>(std::max<int64_t>(1, longest / 2),
                                                              static_cast<std::ptrdiff_t>(all.size())));
  restart(std::move(all));
  return true;
}

NBest Single::results() {
  Hypothesis& h = hypothesis_;
  const bool end_token = h.ended && ends(chosen_.token);
  h.score = normalized(h.log_prob, static_cast<int64_t>(h.tokens.size()) + end_token, options());
  h.encoder = std::move(encoder_);
  return {std::move(h)};
}

}  // namespace fovea::decode
