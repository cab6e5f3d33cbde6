// Beam search. A request starts with beam_size places. At every step the most probable continuations of its
// hypotheses take the places that are left; one that ends leaves with its place, so that the beam narrows
// until nothing is left (as Marian's does), the limit of length is reached, or nothing that goes on can still get among
// the n_best. With EndedPlaces::kTaken the beam stays as wide as it is: of twice as many continuations those that end leave, if they are
// among the first beam_size, and the others fill the places.
#pragma once

#include "fovea/decode/method.h"
#include "fovea/decode/prefixes.h"

namespace fovea::decode {

class Beam final : public Method {
 public:
  using Method::Method;
  void choose(std::span<float> logits, std::span<const run::Looked> looked) override;
  bool settle() override;
  NBest results() override;

 private:
  struct Live {
    int32_t node;
    double log_prob;
  };
  struct Done {
    int32_t node;
    double log_prob, score;
    bool ended, end_token;
  };
  struct Continuation {
    double log_prob;
    int32_t parent, token;
  };

  static bool better(const Done& a, const Done& b);
  static bool by_score(const Done& a, const Done& b) { return a.score > b.score; }
  bool stays_wide() const { return options().ended_places == EndedPlaces::kTaken; }
  size_t free_places() const {
    return static_cast<size_t>(options().beam_size) - (stays_wide() ? 0 : done_.size());
  }
  // Continuations that are considered for so many places.
  size_t considered(size_t places) const { return stays_wide() ? 2 * places : places; }
  void find_continuations(std::span<float> logits);
  void take_places(std::span<const run::Looked> looked);
  bool nothing_better_can_come();
  bool nothing_better_is_here();

  int64_t length_ = 0;  // tokens of every hypothesis that goes on
  Prefixes prefixes_;
  std::vector<Live> live_ = {{Prefixes::kNothing, 0.0}}, before_;
  std::vector<int32_t> parents_;  // of the live ones, in this step: which one before it they continue
  std::vector<Done> done_;
  std::vector<Continuation> continuations_;
  std::vector<int32_t> ids_;      // [live, choices]
  std::vector<float> log_probs_;  // the same
};

}  // namespace fovea::decode
