#include "fovea/decode/method.h"

#include <algorithm>

#include "fovea/base/error.h"

namespace fovea::decode {
namespace {

std::vector<int32_t> prompt_of(const Request& request, const run::DecoderInfo& info) {
  if (!request.prompt.empty()) return request.prompt;
  check(info.ids.sos >= 0, "decode",
        "line {}: there is nothing to continue, and the model has no start token", request.line + 1);
  return {info.ids.sos};
}

int64_t limit_of(const Options& options, const run::DecoderInfo& info, int64_t source_length,
                 int64_t prompt_length) {
  const bool cut = info.longest > 0 && options.full == Full::kEnd;
  check(options.max_tokens > 0 || info.reads_source || cut, "decode",
        "no limit of length: say how many tokens may be written");
  int64_t most = options.max_tokens;
  if (most == 0) most = info.reads_source ? most_tokens(source_length, options) : info.longest;
  // The last token is written, but not read.
  if (cut) most = std::min(most, info.longest - prompt_length + 1);
  return std::max<int64_t>(most, 1);
}

}  // namespace

Plan::Plan(const run::Decoder& decoder, Options given)
    : options(std::move(given)), choices(decoder.info(), options) {
  check(options.full != Full::kWindow || !decoder.info().reads_source, "decode",
        "a window over a model that reads a source: only texts have one");
}

Method::Method(run::Session& session, run::Sequence first, Job job, run::Looked encoder)
    : session_(session),
      sequences_{first},
      encoder_(std::move(encoder)),
      job_(std::move(job)),
      prompt_(prompt_of(job_.request, session.decoder().info())),
      most_(limit_of(options(), session.decoder().info(), session.source_length(first),
                     static_cast<int64_t>(prompt_.size()))),
      stop_strings_(options().tokenizer, options().stop,
                    session.decoder().info().reads_source ? std::span<const int32_t>{} : prompt_) {}

Method::~Method() {
  for (const run::Sequence one : sequences_) session_.leave(one);
}

int64_t Method::next_chunk() const { return std::min(kChunk, static_cast<int64_t>(prompt_.size()) - read_); }

int64_t Method::feed(std::vector<run::Feed>& feeds) const {
  if (const int64_t count = next_chunk(); count > 0) {
    const bool last = read_ + count == static_cast<int64_t>(prompt_.size());
    feeds.push_back({sequences_.front(),
                     std::span(prompt_).subspan(static_cast<size_t>(read_), static_cast<size_t>(count)),
                     last ? run::Feed::kLast : run::Feed::kNone});
    return last ? 1 : 0;
  }
  for (size_t k = 0; k < sequences_.size(); ++k)
    feeds.push_back({sequences_[k], std::span(newest_).subspan(k, 1)});
  return static_cast<int64_t>(sequences_.size());
}

void Method::fed() {
  const int64_t count = next_chunk();
  read_ += count;
  if (count > 0 && job_.on_prefill) job_.on_prefill(read_, static_cast<int64_t>(prompt_.size()));
}

void Method::restart(std::vector<int32_t> tokens) {
  session_.leave(sequences_.front());
  sequences_.clear();
  sequences_ = {session_.join()};
  prompt_ = std::move(tokens);
  read_ = 0;
}

void Method::penalize(std::span<float> logits, std::span<const int32_t> tokens) const {
  const float penalty = options().repetition_penalty;
  if (penalty == 1) return;
  std::vector<int32_t> seen = prompt_of(job_.request, session_.decoder().info());
  seen.insert(seen.end(), tokens.begin(), tokens.end());
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  for (const int32_t id : seen) {
    float& x = logits[static_cast<size_t>(id)];
    x = x > 0 ? x / penalty : x * penalty;
  }
}

void Method::fail_without_numbers() const {
  fail("decode",
       "line {}: the model gives no probabilities, but NaN or infinity; its weights are damaged, or training "
       "went wrong",
       job_.request.line + 1);
}

}  // namespace fovea::decode
