// Requests that are decoded side by side over one session: they join and leave between steps, each with options of its own
// (continuous batching). What is found for a request does not depend on those beside it.
//
//   run::Session session(decoder);
//   Scheduler scheduler(session);
//   scheduler.add(jobs);
//   while (scheduler.step()) {}
//
// One thread at a time. The session must outlive it, and is as it was before once the scheduler is gone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/decode/method.h"

namespace fovea::decode {

class Scheduler {
 public:
  explicit Scheduler(run::Session& session) : session_(session) {}

  // They begin at the next step. Their sources are encoded together.
  void add(std::vector<Job> jobs);
  // One step of every request: a token, or a chunk of its prompt. Prompts take turns where all of them together are long.
  // False: there was nothing to do.
  bool step();

  // Requests that are not finished.
  int64_t size() const { return static_cast<int64_t>(methods_.size()); }

 private:
  // One step of those that look at the same.
  void advance(std::span<Method* const> methods);

  run::Session& session_;
  std::vector<std::unique_ptr<Method>> methods_;  // in the order they joined
};

}  // namespace fovea::decode
