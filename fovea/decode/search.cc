#include "fovea/decode/search.h"

#include <algorithm>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/decode/scheduler.h"

namespace fovea::decode {
namespace {

// Requests side by side have at most so many source tokens, and numbers in their logits (or are one), so that long sentences and
// wide beams do not need memory without bound.
constexpr int64_t kMostTokens = 1 << 16, kMostLogits = 1 << 26;

// Hands requests to a scheduler as places become free.
class Queue {
 public:
  Queue(const run::Decoder& decoder, std::span<const Request> requests, const Options& options, int64_t batch,
        const SearchCalls& calls)
      : requests_(requests), calls_(calls), plan_(std::make_shared<Plan>(decoder, options)) {
    places_ = std::clamp<int64_t>(kMostLogits / (options.beam_size * decoder.info().vocab), 1, batch);
    Hypothesis nothing;
    nothing.ended = true;
    for (size_t i = 0; i < requests.size(); ++i) {
      if (decoder.info().reads_source && requests[i].source.empty() && !requests[i].picture.defined())
        calls.found(i, NBest{nothing});
      else
        order_.push_back(i);
    }
    // Long ones first: if memory does not suffice, that shows at once. Neighbours are encoded together.
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return length(a) > length(b); });
  }

  // Those that have a place now. A few free places wait for more, since sources are read faster together.
  std::vector<Job> take(int64_t running) {
    std::vector<Job> jobs;
    if (running > 0 && 4 * (places_ - running) < places_) return jobs;
    for (; next_ < order_.size() && running < places_; ++next_, ++running) {
      const size_t i = order_[next_];
      if (running > 0 && tokens_ + length(i) > kMostTokens) break;
      tokens_ += length(i);
      jobs.push_back(job(i));
    }
    return jobs;
  }

 private:
  int64_t length(size_t i) const { return static_cast<int64_t>(requests_[i].source.size()) + 1; }

  Job job(size_t i) {
    Job job{.request = requests_[i], .plan = plan_, .found = [this, i](NBest best) {
              tokens_ -= length(i);
              calls_.found(i, std::move(best));
            }};
    if (calls_.on_token) job.on_token = [this, i](const Token& token) { return calls_.on_token(i, token); };
    if (calls_.on_prefill)
      job.on_prefill = [this, i](int64_t read, int64_t of) { calls_.on_prefill(i, read, of); };
    return job;
  }

  std::span<const Request> requests_;
  const SearchCalls& calls_;
  std::shared_ptr<const Plan> plan_;
  int64_t places_;
  std::vector<size_t> order_;
  size_t next_ = 0;
  int64_t tokens_ = 0;  // of the sources of those that are running
};

}  // namespace

bool search(const run::Decoder& decoder, std::span<const Request> requests, const Options& options,
            int64_t batch, const SearchCalls& calls) {
  check_options(options, "decode");
  check(batch >= 1, "decode", "batches of {}: expected 1 or more", batch);
  Queue queue(decoder, requests, options, batch, calls);
  run::Session session(decoder, options.session);
  Scheduler scheduler(session);
  do {
    if (calls.stop && calls.stop()) return false;
    if (std::vector<Job> jobs = queue.take(scheduler.size()); !jobs.empty()) scheduler.add(std::move(jobs));
  } while (scheduler.step());
  return true;
}

NBest search(const run::Decoder& decoder, const Request& request, const Options& options) {
  NBest found;
  search(decoder, {&request, 1}, options, 1, {.found = [&](size_t, NBest best) { found = std::move(best); }});
  return found;
}

}  // namespace fovea::decode
