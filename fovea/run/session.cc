#include "fovea/run/session.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"

namespace fovea::run {
namespace {

void check_ids(std::span<const int32_t> ids, int64_t vocab) {
  for (const int32_t id : ids)
    if (id < 0 || id >= vocab) fail("session", "token {}: expected 0 to {}", id, vocab - 1);
}

}  // namespace

Session::Session(const Decoder& decoder, SessionOptions options)
    : decoder_(&decoder),
      self_(decoder.self_shapes(), options.cache),
      cross_(decoder.cross_shapes(), options.cache) {}

Session::~Session() = default;

State& Session::state(Sequence sequence) const {
  const auto i = static_cast<size_t>(sequence);
  if (sequence < 0 || i >= states_.size() || !states_[i])
    fail("session", "there is no sequence {}", sequence);
  return *states_[i];
}

std::vector<Sequence> Session::join(std::span<const std::vector<int32_t>> sources, const LookAt* at,
                                    std::vector<Looked>* looked) {
  const DecoderInfo& info = decoder_->info();
  check(!info.reads_pictures, "session",
        "this model looks at pictures, and was given text: fovea caption is for it");
  std::vector<std::shared_ptr<Source>> read(sources.size());
  if (looked) looked->assign(sources.size(), {});
  if (info.reads_source) {
    std::vector<std::vector<int32_t>> ended(sources.begin(), sources.end());
    for (std::vector<int32_t>& ids : ended) {
      check_ids(ids, info.source_vocab);
      const auto length = static_cast<int64_t>(ids.size());
      check(info.longest_source == 0 || length <= info.longest_source, "session",
            "a source of {} tokens: this model reads {} at the most", grouped(length),
            grouped(info.longest_source));
      ids.push_back(info.source_eos >= 0 ? info.source_eos : info.ids.eos);
    }
    read = decoder_->encode(ended, cross_, at, looked);
  }
  return begin(std::move(read));
}

std::vector<Sequence> Session::join_pictures(const Tensor& pictures) {
  check(decoder_->info().reads_pictures, "session", "this model does not look at pictures");
  data::check_prepared(pictures, decoder_->info().input, "session");
  return begin(decoder_->encode_pictures(pictures, cross_));
}

std::vector<Sequence> Session::begin(std::vector<std::shared_ptr<Source>> sources) {
  std::vector<Sequence> joined;
  for (std::shared_ptr<Source>& source : sources) {
    if (free_.empty()) {
      free_.push_back(static_cast<Sequence>(states_.size()));
      states_.emplace_back();
    }
    joined.push_back(free_.back());
    free_.pop_back();
    auto& place = states_[static_cast<size_t>(joined.back())];
    place = std::make_unique<State>(self_);
    if (source) place->state = source->state;
    place->source = std::move(source);
    ++count_;
  }
  return joined;
}

Sequence Session::join() {
  check(!decoder_->info().reads_source, "session", "this model reads a source: give it one");
  const std::vector<int32_t> nothing;
  return join(std::span(&nothing, 1)).front();
}

Tensor Session::advance(std::span<const Feed> feeds, const LookAt* at, std::vector<Looked>* looked) {
  const DecoderInfo& info = decoder_->info();
  Step step;
  step.at = looked ? at : nullptr;
  step.looked = at ? looked : nullptr;
  if (looked) looked->assign(feeds.size(), {});
  step.starts.push_back(0);
  std::vector<Sequence> seen;
  for (const Feed& feed : feeds) {
    State& one = state(feed.sequence);
    check(!feed.tokens.empty(), "session", "sequence {} is fed no token", feed.sequence);
    check_ids(feed.tokens, info.vocab);
    const auto count = static_cast<int64_t>(feed.tokens.size());
    check(info.longest == 0 || one.length + count <= info.longest, "session",
          "a sequence of {} tokens: this model reads {} at the most", grouped(one.length + count),
          grouped(info.longest));
    for (int64_t t = 0; t < count; ++t) {
      const auto row = static_cast<int32_t>(step.tokens.size());
      if (feed.logits == Feed::kAll || (feed.logits == Feed::kLast && t + 1 == count))
        step.wanted.push_back(row);
      step.tokens.push_back(feed.tokens[static_cast<size_t>(t)]);
      step.positions.push_back(static_cast<int32_t>(one.length + t));
    }
    step.starts.push_back(static_cast<int32_t>(step.tokens.size()));
    step.states.push_back(&one);
    seen.push_back(feed.sequence);
  }
  std::sort(seen.begin(), seen.end());
  check(std::adjacent_find(seen.begin(), seen.end()) == seen.end(), "session",
        "a sequence is fed twice at once");
  if (feeds.empty()) return Tensor::empty({0, info.vocab});

  const auto fed = [&](size_t i) { return static_cast<int64_t>(feeds[i].tokens.size()); };
  for (size_t i = 0; i < feeds.size(); ++i)
    step.states[i]->keys.grow(step.states[i]->length, step.states[i]->length + fed(i));
  Tensor logits = decoder_->step(step);
  for (size_t i = 0; i < feeds.size(); ++i) step.states[i]->length += fed(i);
  return logits;
}

Sequence Session::fork(Sequence sequence) {
  auto copy = std::make_unique<State>(state(sequence));
  if (free_.empty()) {
    free_.push_back(static_cast<Sequence>(states_.size()));
    states_.emplace_back();
  }
  const Sequence made = free_.back();
  free_.pop_back();
  states_[static_cast<size_t>(made)] = std::move(copy);
  ++count_;
  return made;
}

void Session::leave(Sequence sequence) {
  state(sequence);
  states_[static_cast<size_t>(sequence)].reset();
  free_.push_back(sequence);
  --count_;
}

int64_t Session::length(Sequence sequence) const { return state(sequence).length; }

int64_t Session::source_length(Sequence sequence) const {
  const State& one = state(sequence);
  return one.source ? one.source->length : 0;
}

int64_t Session::cache_bytes() const { return self_.bytes() + cross_.bytes(); }

}  // namespace fovea::run
