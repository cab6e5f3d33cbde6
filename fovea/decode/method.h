// One request while it is being decoded. A method (greedy and sampling in single.h, beam search in beam.h) is asked what to feed
// next, gets the logits, chooses, and changes its sequences in the session; the scheduler runs many of them side by side.
//
// Everything about it runs on one thread at a time. choose() touches nothing but the method itself, so that those of several requests
// run at once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fovea/decode/choices.h"
#include "fovea/decode/hypothesis.h"
#include "fovea/decode/stop_strings.h"

namespace fovea::decode {

struct Request {
  std::vector<int32_t> source = {};  // of a decoder that reads one, without an end-of-sequence token
  std::vector<int32_t> prompt = {};  // tokens fed first; none: the decoder's start token
  int64_t line = 0;                  // stands in messages; draws are a function of (seed, line, position)
  Tensor picture = {};  // of a decoder that looks at pictures: a prepared one, [1, size, size, channels]
};

// Options, and what they mean for one decoder. Requests share it.
struct Plan {
  Plan(const run::Decoder& decoder, Options options);

  Options options;
  Choices choices;
};

struct Job {
  Request request;
  std::shared_ptr<const Plan> plan;
  std::function<void(NBest)> found;  // called once, unless it is stopped
  // A method with one hypothesis: each token as it comes, end-of-sequence tokens left out; false ends it there.
  std::function<bool(const Token&)> on_token = {};
  // The prompt: tokens read so far, of how many.
  std::function<void(int64_t, int64_t)> on_prefill = {};
  std::function<bool()> stop = {};  // asked before each step; true: it leaves, and nothing is found
};

class Method {
 public:
  // Tokens of a prompt that are read in one step.
  static constexpr int64_t kChunk = 512;

  // Owns the sequence `first`. The encoder saw `encoder`.
  Method(run::Session& session, run::Sequence first, Job job, run::Looked encoder);
  virtual ~Method();  // its sequences leave
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;

  // Tokens of the prompt that are fed next; 0 where all of it was read.
  int64_t next_chunk() const;
  // Appends what is fed next, and returns how many rows of logits that gives.
  int64_t feed(std::vector<run::Feed>& feeds) const;
  // All of that was fed.
  void fed();
  // With the logits [rows, V] of what was fed, which may be changed, and what each saw.
  virtual void choose(std::span<float> logits, std::span<const run::Looked> looked) = 0;
  // Forks, leaves, tells. False: all is found.
  virtual bool settle() = 0;
  virtual NBest results() = 0;

  const Job& job() const { return job_; }
  const Options& options() const { return job_.plan->options; }

 protected:
  // Starts anew with these tokens; of a decoder that reads no source.
  void restart(std::vector<int32_t> tokens);
  // The most tokens it may have, the end-of-sequence token counted.
  int64_t most() const { return most_; }
  std::span<const int32_t> hidden(int64_t tokens) const { return job_.plan->choices.hidden(tokens); }
  bool ends(int32_t token) const { return job_.plan->choices.ends(token); }
  bool meets_stop_string(std::span<const int32_t> tokens) const { return stop_strings_.met(tokens); }
  // Applies the repetition penalty for a hypothesis that has these tokens after the prompt.
  void penalize(std::span<float> logits, std::span<const int32_t> tokens) const;
  [[noreturn]] void fail_without_numbers() const;

  run::Session& session_;
  std::vector<run::Sequence> sequences_;  // one for each hypothesis that goes on
  std::vector<int32_t> newest_;           // the token that each feeds next
  run::Looked encoder_;

 private:
  Job job_;
  std::vector<int32_t> prompt_;  // what is prefilled, now or after a restart
  int64_t read_ = 0;             // tokens of it
  int64_t most_;
  StopStrings stop_strings_;
};

}  // namespace fovea::decode
