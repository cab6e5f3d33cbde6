// The prefixes of one sentence, which share their beginnings: a tree whose nodes are words, each with the weights of
// the step that wrote it. A node lives while a prefix owns it or a longer one goes through it; then its place
// is used again. So a search holds what its prefixes need, and not its history.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/decode/method.h"

namespace fovea::decode {

class Prefixes {
 public:
  static constexpr int32_t kNothing = -1;  // the prefix without words

  // `length` of the source, with its <eos>.
  explicit Prefixes(int64_t length) : length_(length) {}

  // `parent` and one more word; the caller owns it. The weights are those of prefix k of sentence b, where `look` is
  // defined.
  int32_t extend(int32_t parent, int32_t word, const StepLook& look, int64_t b, int64_t k);
  // The owner is done with it.
  void release(int32_t node);

  std::vector<int32_t> words(int32_t node) const;
  // f32 [H, T, S]; undefined where no weights were given.
  Tensor look(int32_t node) const;

  // Nodes that are alive.
  int64_t size() const { return static_cast<int64_t>(nodes_.size() - free_.size()); }

 private:
  struct Node {
    int32_t parent, word, users;
  };

  int64_t length_, heads_ = 0;
  std::vector<Node> nodes_;
  std::vector<float> weights_;  // [node][H][S]
  std::vector<int32_t> free_;
};

}  // namespace fovea::decode
