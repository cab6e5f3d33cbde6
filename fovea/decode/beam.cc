// Beam search. Each sentence starts with beam_size places. At every step the most probable continuations of its
// prefixes take the places that are left; one that ends with <eos> leaves with its place, so that the beam narrows
// until nothing is left (as Marian's does), the limit of length is reached, or nothing that goes on can still get among
// the n_best. With EndedPlaces::kTaken the beam stays as wide as it is: of twice as many continuations those that end leave, if they are
// among the first beam_size, and the others fill the places.
#include <algorithm>

#include "fovea/data/tokenizer.h"
#include "fovea/decode/prefixes.h"
#include "fovea/kernels/top_k.h"

namespace fovea::decode {
namespace {

struct Live {
  int32_t node;
  double log_prob;
};

struct Done {
  int32_t node;
  double log_prob, score;
  bool ended;
};

// Ended ones before those that were cut, then by score.
bool better(const Done& a, const Done& b) { return a.ended != b.ended ? a.ended : a.score > b.score; }

bool by_score(const Done& a, const Done& b) { return a.score > b.score; }

struct Continuation {
  double log_prob;
  int64_t prefix;
  int32_t word;
};

struct Sentence {
  Sentence(int64_t b, const Sources& sources, const SearchOptions& options)
      : number(b),
        most(sources.most_words(b, options)),
        prefixes(sources.length(b)),
        live{{Prefixes::kNothing, 0.0}} {}

  int64_t number, most;
  Prefixes prefixes;
  std::vector<Live> live;
  std::vector<Done> done;
  std::vector<int32_t> parents,
      words;  // of the live ones, in this step: which prefix they continue, with what
};

class Beam {
 public:
  Beam(std::unique_ptr<models::Decoding> decoding, const Sources& sources, const SearchOptions& options)
      : sources_(sources), options_(options), decoding_(std::move(decoding)) {
    for (int64_t b = 0; b < sources.size(); ++b) sentences_.emplace_back(b, sources, options);
    for (int64_t b = 0; b < sources.size(); ++b) rows_.push_back(b);
  }

  std::vector<NBest> run() {
    Tensor words = Tensor::full({sources_.size(), 1}, sources_.ids.sos, DType::kI32);
    for (int64_t length = 1;; ++length) {
      Tensor look;
      const Tensor logits = decoding_->step(words, options_.look ? &look : nullptr);
      select(logits, length - 1);
      std::vector<int32_t> going_on;
      for (size_t row = 0; row < rows_.size(); ++row) {
        Sentence& sentence = at(row);
        if (sentence.live.empty()) continue;
        advance(sentence, static_cast<int64_t>(row), length, StepLook(look));
        if (!sentence.live.empty()) going_on.push_back(static_cast<int32_t>(row));
      }
      if (going_on.empty()) return results();
      if (worth_gathering(going_on.size(), static_cast<int64_t>(rows_.size()))) gather(going_on);
      words = reorder();
    }
  }

 private:
  bool stays_wide() const { return options_.ended_places == EndedPlaces::kTaken; }
  size_t free_places(const Sentence& s) const {
    return static_cast<size_t>(options_.beam_size) - (stays_wide() ? 0 : s.done.size());
  }
  // Continuations that are looked at for so many places.
  size_t looked_at(size_t places) const { return stays_wide() ? 2 * places : places; }
  Sentence& at(size_t row) { return sentences_[static_cast<size_t>(rows_[row])]; }

  // The words that may continue each prefix: as many as the sentence with most places could take.
  void select(const Tensor& logits, int64_t words) {
    size_t places = 0;
    for (size_t row = 0; row < rows_.size(); ++row)
      if (!at(row).live.empty()) places = std::max(places, free_places(at(row)));
    width_ = logits.dim(1);
    choices_ = std::min(static_cast<int64_t>(looked_at(places)), logits.dim(2));
    const int64_t rows = logits.dim(0) * width_;
    ids_.resize(static_cast<size_t>(rows * choices_));
    log_probs_.resize(ids_.size());
    kernels::top_k_log_softmax(logits.data<float>(), rows, logits.dim(2), choices_,
                               NeverSaid(sources_.ids, options_, words), ids_.data(), log_probs_.data());
  }

  void advance(Sentence& s, int64_t row, int64_t length, const StepLook& look) {
    continuations_.clear();
    for (size_t k = 0; k < s.live.size(); ++k) {
      const int64_t first = (row * width_ + static_cast<int64_t>(k)) * choices_;
      for (int64_t j = first; j < first + choices_ && ids_[static_cast<size_t>(j)] >= 0; ++j)
        continuations_.push_back(
            {s.live[k].log_prob + static_cast<double>(log_probs_[static_cast<size_t>(j)]),
             static_cast<int64_t>(k), ids_[static_cast<size_t>(j)]});
    }
    if (continuations_.empty()) fail_without_numbers(sources_.lines[static_cast<size_t>(s.number)]);
    const size_t places = free_places(s), taken = std::min(looked_at(places), continuations_.size());
    std::partial_sort(continuations_.begin(), continuations_.begin() + static_cast<std::ptrdiff_t>(taken),
                      continuations_.end(), [](const Continuation& a, const Continuation& b) {
                        if (a.log_prob != b.log_prob) return a.log_prob > b.log_prob;
                        return a.prefix != b.prefix ? a.prefix < b.prefix : a.word < b.word;
                      });

    before_.swap(s.live);
    s.live.clear();
    s.parents.clear();
    s.words.clear();
    for (size_t i = 0; i < taken; ++i) {
      const Continuation& c = continuations_[i];
      const bool ended = c.word == sources_.ids.eos, leaves = ended || length == s.most;
      if (leaves ? i >= places : s.live.size() == places) continue;
      const int32_t node =
          s.prefixes.extend(before_[static_cast<size_t>(c.prefix)].node, c.word, look, row, c.prefix);
      if (leaves) {
        s.done.push_back({node, c.log_prob, normalized(c.log_prob, length, options_), ended});
      } else {
        s.live.push_back({node, c.log_prob});
        s.parents.push_back(static_cast<int32_t>(c.prefix));
        s.words.push_back(c.word);
      }
    }
    for (const Live& old : before_) s.prefixes.release(old.node);
    if (!s.live.empty() && (stays_wide() ? nothing_better_is_here(s, length) : nothing_better_can_come(s))) {
      for (const Live& one : s.live) s.prefixes.release(one.node);
      s.live.clear();
    }
  }

  // A prefix only loses probability from here on, and is worth most if that is spread over the greatest length: its
  // score can be at most log_prob / most^normalize. So stopping here changes no result.
  bool nothing_better_can_come(Sentence& s) {
    const auto wanted = static_cast<size_t>(options_.n_best);
    if (s.done.size() < wanted) return false;
    std::stable_sort(s.done.begin(), s.done.end(), better);
    const Done& last = s.done[wanted - 1];
    return last.ended && last.score >= normalized(s.live.front().log_prob, s.most, options_);
  }

  // beam_size have ended, and no prefix would beat the last of them if it ended here.
  bool nothing_better_is_here(Sentence& s, int64_t length) {
    const auto wanted = static_cast<size_t>(options_.beam_size);
    if (s.done.size() < wanted) return false;
    std::stable_sort(s.done.begin(), s.done.end(), by_score);
    return s.done[wanted - 1].score >= normalized(s.live.front().log_prob, length, options_);
  }

  // Sentences that have finished leave the batch.
  void gather(const std::vector<int32_t>& going_on) {
    for (size_t i = 0; i < going_on.size(); ++i) rows_[i] = rows_[static_cast<size_t>(going_on[i])];
    rows_.resize(going_on.size());
    decoding_->keep(Tensor::of<int32_t>({static_cast<int64_t>(going_on.size())}, going_on));
  }

  // The model's prefixes become the live ones, side by side up to the largest number that any sentence has; places
  // beyond a sentence's own are filled with anything. Returns the newest word of each.
  Tensor reorder() {
    size_t width = 0;
    for (size_t row = 0; row < rows_.size(); ++row) width = std::max(width, at(row).live.size());
    const Shape shape = {static_cast<int64_t>(rows_.size()), static_cast<int64_t>(width)};
    Tensor parents = Tensor::zeros(shape, DType::kI32),
           words = Tensor::full(shape, sources_.ids.eos, DType::kI32);
    bool same = static_cast<int64_t>(width) == width_;
    for (size_t row = 0; row < rows_.size(); ++row) {
      const Sentence& s = at(row);
      for (size_t k = 0; k < s.live.size(); ++k) {
        parents.data<int32_t>()[row * width + k] = s.parents[k];
        words.data<int32_t>()[row * width + k] = s.words[k];
        same &= s.parents[k] == static_cast<int32_t>(k);
      }
    }
    if (!same) decoding_->reorder(parents);
    return words;
  }

  std::vector<NBest> results() {
    std::vector<NBest> found;
    for (Sentence& s : sentences_) {
      std::stable_sort(s.done.begin(), s.done.end(), stays_wide() ? by_score : better);
      NBest& best = found.emplace_back();
      for (size_t i = 0; i < std::min(s.done.size(), static_cast<size_t>(options_.n_best)); ++i) {
        const Done& done = s.done[i];
        Hypothesis& said = best.emplace_back();
        said.words = s.prefixes.words(done.node);
        if (done.ended) said.words.pop_back();
        said.log_prob = done.log_prob;
        said.score = done.score;
        said.ended = done.ended;
        said.look = s.prefixes.look(done.node);
      }
    }
    return found;
  }

  const Sources& sources_;
  const SearchOptions& options_;
  std::unique_ptr<models::Decoding> decoding_;
  std::vector<Sentence> sentences_;
  std::vector<int64_t> rows_;  // the sentence in each row of the batch
  int64_t width_ = 0, choices_ = 0;
  std::vector<int32_t> ids_;      // [rows, width_, choices_]
  std::vector<float> log_probs_;  // the same
  std::vector<Continuation> continuations_;
  std::vector<Live> before_;
};

}  // namespace

std::vector<NBest> beam(models::Seq2Seq& model, const Sources& sources, const SearchOptions& options) {
  return beam(model.decode(sources.batch, 1), sources, options);
}

std::vector<NBest> beam(std::unique_ptr<models::Decoding> decoding, const Sources& sources,
                        const SearchOptions& options) {
  return Beam(std::move(decoding), sources, options).run();
}

}  // namespace fovea::decode
