#include "fovea/decode/beam.h"

#include <algorithm>

#include "fovea/kernels/top_k.h"

namespace fovea::decode {

// Ended ones before those that were cut, then by score.
bool Beam::better(const Done& a, const Done& b) { return a.ended != b.ended ? a.ended : a.score > b.score; }

void Beam::choose(std::span<float> logits, std::span<const run::Looked> looked) {
  find_continuations(logits);
  if (continuations_.empty()) return;
  ++length_;
  take_places(looked);
  if (!live_.empty() && (stays_wide() ? nothing_better_is_here() : nothing_better_can_come())) {
    for (const Live& one : live_) prefixes_.release(one.node);
    live_.clear();
    parents_.clear();
  }
}

void Beam::find_continuations(std::span<float> logits) {
  const size_t vocab = logits.size() / live_.size();
  const auto choices = std::min(considered(free_places()), vocab);
  if (options().repetition_penalty != 1)
    for (size_t k = 0; k < live_.size(); ++k)
      penalize(logits.subspan(k * vocab, vocab), prefixes_.tokens(live_[k].node));
  ids_.resize(live_.size() * choices);
  log_probs_.resize(ids_.size());
  kernels::top_k_log_softmax(logits.data(), static_cast<int64_t>(live_.size()), static_cast<int64_t>(vocab),
                             static_cast<int64_t>(choices), hidden(length_), ids_.data(), log_probs_.data());
  continuations_.clear();
  for (size_t k = 0; k < live_.size(); ++k)
    for (size_t j = k * choices; j < (k + 1) * choices && ids_[j] >= 0; ++j)
      continuations_.push_back(
          {live_[k].log_prob + static_cast<double>(log_probs_[j]), static_cast<int32_t>(k), ids_[j]});
}

void Beam::take_places(std::span<const run::Looked> looked) {
  const size_t places = free_places(), taken = std::min(considered(places), continuations_.size());
  std::partial_sort(continuations_.begin(), continuations_.begin() + static_cast<std::ptrdiff_t>(taken),
                    continuations_.end(), [](const Continuation& a, const Continuation& b) {
                      if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
                      return a.parent != b.parent ? a.parent < b.parent : a.token < b.token;
                    });
  before_.swap(live_);
  live_.clear();
  parents_.clear();
  newest_.clear();
  for (size_t i = 0; i < taken; ++i) {
    const Continuation& c = continuations_[i];
    const auto parent = static_cast<size_t>(c.parent);
    const bool end_token = ends(c.token);
    if ((end_token || length_ == most()) ? i >= places : live_.size() == places) continue;
    const int32_t node = prefixes_.extend(before_[parent].node, c.token, looked[parent]);
    const bool ended = end_token || (!options().stop.empty() && meets_stop_string(prefixes_.tokens(node)));
    if (ended || length_ == most()) {
      if (i < places)
        done_.push_back({node, c.log_prob, normalized(c.log_prob, length_, options()), ended, end_token});
      else
        prefixes_.release(node);
    } else {
      live_.push_back({node, c.log_prob});
      parents_.push_back(c.parent);
      newest_.push_back(c.token);
    }
  }
  for (const Live& old : before_) prefixes_.release(old.node);
}

// A hypothesis only loses probability from here on, and is worth most if that is spread over the greatest length: its
// score can be at most log_prob / most^normalize. So stopping here changes no result.
bool Beam::nothing_better_can_come() {
  const auto wanted = static_cast<size_t>(options().n_best);
  if (done_.size() < wanted) return false;
  std::stable_sort(done_.begin(), done_.end(), better);
  const Done& last = done_[wanted - 1];
  return last.ended && last.score >= normalized(live_.front().log_prob, most(), options());
}

// beam_size have ended, and none would beat the last of them if it ended here.
bool Beam::nothing_better_is_here() {
  const auto wanted = static_cast<size_t>(options().beam_size);
  if (done_.size() < wanted) return false;
  std::stable_sort(done_.begin(), done_.end(), by_score);
  return done_[wanted - 1].score >= normalized(live_.front().log_prob, length_, options());
}

// The first continuation of a hypothesis keeps its sequence, others get a fork of it; those without one leave.
bool Beam::settle() {
  if (continuations_.empty()) fail_without_numbers();
  if (live_.empty()) return false;
  std::vector<bool> kept(sequences_.size());
  std::vector<run::Sequence> next;
  for (const int32_t parent : parents_) {
    const auto p = static_cast<size_t>(parent);
    next.push_back(kept[p] ? session_.fork(sequences_[p]) : sequences_[p]);
    kept[p] = true;
  }
  for (size_t p = 0; p < sequences_.size(); ++p)
    if (!kept[p]) session_.leave(sequences_[p]);
  sequences_ = std::move(next);
  return true;
}

NBest Beam::results() {
  std::stable_sort(done_.begin(), done_.end(), stays_wide() ? by_score : better);
  NBest best;
  for (size_t i = 0; i < std::min(done_.size(), static_cast<size_t>(options().n_best)); ++i) {
    const Done& done = done_[i];
    Hypothesis& h = best.emplace_back();
    h.tokens = prefixes_.tokens(done.node);
    if (done.end_token) h.tokens.pop_back();
    h.log_prob = done.log_prob;
    h.score = done.score;
    h.ended = done.ended;
    h.looks = prefixes_.looks(done.node);
    h.encoder = encoder_;
  }
  return best;
}

}  // namespace fovea::decode
