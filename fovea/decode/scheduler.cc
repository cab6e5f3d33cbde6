#include "fovea/decode/scheduler.h"

#include <algorithm>

#include "fovea/base/parallel.h"
#include "fovea/decode/beam.h"
#include "fovea/decode/single.h"
#include "fovea/tensor/shape_ops.h"

namespace fovea::decode {
namespace {

// Tokens of prompts that are read in one step, a chunk of one prompt at the least.
constexpr int64_t kPrefill = 4 * Method::kChunk;

std::unique_ptr<Method> method_for(run::Session& session, run::Sequence sequence, Job job,
                                   run::Looked encoder) {
  if (job.plan->options.beam_size > 1)
    return std::make_unique<Beam>(session, sequence, std::move(job), std::move(encoder));
  return std::make_unique<Single>(session, sequence, std::move(job), std::move(encoder));
}

bool same(const run::LookAt& a, const run::LookAt& b) {
  return a.encoder == b.encoder && a.self == b.self && a.cross == b.cross && a.layers == b.layers &&
         a.heads == b.heads;
}

// Calls f(group) for each group of those that look at the same, look(one) being what they look at.
template <typename T, typename Look, typename F>
void for_each_look(std::vector<T> all, Look&& look, F&& f) {
  while (!all.empty()) {
    const run::LookAt at = look(all.front());
    const auto others =
        std::stable_partition(all.begin(), all.end(), [&](const T& one) { return same(look(one), at); });
    std::vector<T> rest(std::make_move_iterator(others), std::make_move_iterator(all.end()));
    all.erase(others, all.end());
    f(all);
    all = std::move(rest);
  }
}

// All of them as one batch.
Tensor pictures_of(std::span<const Job> jobs) {
  std::vector<Tensor> parts;
  for (const Job& job : jobs) parts.push_back(job.request.picture);
  return tensor::concat(parts, 0);
}

// A method's part of a step.
struct Part {
  Method* method;
  size_t feed;   // its first
  int64_t rows;  // of logits; as many feeds
};

}  // namespace

void Scheduler::add(std::vector<Job> jobs) {
  for_each_look(
      std::move(jobs), [](const Job& job) { return job.plan->options.look; },
      [&](std::vector<Job>& group) {
        std::vector<std::vector<int32_t>> sources;
        for (const Job& job : group) sources.push_back(job.request.source);
        const run::LookAt& at = group.front().plan->options.look;
        std::vector<run::Looked> looked(group.size());
        const std::vector<run::Sequence> joined =
            session_.decoder().info().reads_pictures
                ? session_.join_pictures(pictures_of(group))
                : session_.join(sources, at.encoder ? &at : nullptr, at.encoder ? &looked : nullptr);
        size_t begun = 0;
        try {
          for (; begun < group.size(); ++begun)
            methods_.push_back(
                method_for(session_, joined[begun], std::move(group[begun]), std::move(looked[begun])));
        } catch (...) {  // those that have no owner yet
          for (; begun < group.size(); ++begun) session_.leave(joined[begun]);
          throw;
        }
      });
}

bool Scheduler::step() {
  std::erase_if(methods_, [](const auto& one) { return one->job().stop && one->job().stop(); });
  if (methods_.empty()) return false;
  std::vector<Method*> turn;  // those that are fed
  int64_t prefill = 0;
  for (const auto& one : methods_) {
    const int64_t chunk = one->next_chunk();
    if (chunk > 0 && prefill > 0 && prefill + chunk > kPrefill) continue;
    prefill += chunk;
    turn.push_back(one.get());
  }
  for_each_look(
      std::move(turn), [](const Method* one) { return one->options().look; },
      [&](const std::vector<Method*>& group) { advance(group); });
  return true;
}

void Scheduler::advance(std::span<Method* const> methods) {
  std::vector<run::Feed> feeds;
  std::vector<Part> parts;
  for (Method* one : methods) {
    const size_t first = feeds.size();
    const int64_t rows = one->feed(feeds);
    parts.push_back({one, first, rows});
  }
  const Options& options = methods.front()->options();
  std::vector<run::Looked> looked(feeds.size());
  Tensor logits = options.looks() ? session_.advance(feeds, &options.look, &looked) : session_.advance(feeds);
  for (Method* one : methods) one->fed();
  std::erase_if(parts, [](const Part& part) { return part.rows == 0; });

  const auto vocab = static_cast<size_t>(logits.dim(1));
  std::vector<size_t> first_row;
  size_t rows = 0;
  for (const Part& part : parts) {
    first_row.push_back(rows);
    rows += static_cast<size_t>(part.rows);
  }
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t i) {
    const Part& part = parts[static_cast<size_t>(i)];
    const auto count = static_cast<size_t>(part.rows);
    part.method->choose(
        logits.span<float>().subspan(first_row[static_cast<size_t>(i)] * vocab, count * vocab),
        std::span(looked).subspan(part.feed, count));
  });
  for (const Part& part : parts) {
    if (part.method->settle()) continue;
    const auto at = std::find_if(methods_.begin(), methods_.end(),
                                 [&](const auto& one) { return one.get() == part.method; });
    const std::unique_ptr<Method> finished = std::move(*at);
    methods_.erase(at);
    finished->job().found(finished->results());
  }
}

}  // namespace fovea::decode
