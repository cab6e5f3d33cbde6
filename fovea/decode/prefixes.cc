#include "fovea/decode/prefixes.h"

#include <algorithm>

namespace fovea::decode {

int32_t Prefixes::extend(int32_t parent, int32_t word, const StepLook& look, int64_t b, int64_t k) {
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(nodes_.size()));
    nodes_.emplace_back();
    if (look.defined()) {
      heads_ = look.heads();
      weights_.resize(nodes_.size() * static_cast<size_t>(heads_ * length_));
    }
  }
  const int32_t node = free_.back();
  free_.pop_back();
  nodes_[static_cast<size_t>(node)] = {parent, word, 1};
  if (parent != kNothing) ++nodes_[static_cast<size_t>(parent)].users;
  if (look.defined()) look.copy(b, k, length_, weights_.data() + node * heads_ * length_);
  return node;
}

void Prefixes::release(int32_t node) {
  while (node != kNothing && --nodes_[static_cast<size_t>(node)].users == 0) {
    free_.push_back(node);
    node = nodes_[static_cast<size_t>(node)].parent;
  }
}

std::vector<int32_t> Prefixes::words(int32_t node) const {
  std::vector<int32_t> words;
  for (; node != kNothing; node = nodes_[static_cast<size_t>(node)].parent)
    words.push_back(nodes_[static_cast<size_t>(node)].word);
  std::reverse(words.begin(), words.end());
  return words;
}

Tensor Prefixes::look(int32_t node) const {
  if (heads_ == 0) return {};
  std::vector<int32_t> path;
  for (; node != kNothing; node = nodes_[static_cast<size_t>(node)].parent) path.push_back(node);
  const auto steps = static_cast<int64_t>(path.size());
  return join_steps(heads_, steps, length_, [&](int64_t t) {
    return weights_.data() + path[static_cast<size_t>(steps - 1 - t)] * heads_ * length_;
  });
}

}  // namespace fovea::decode
