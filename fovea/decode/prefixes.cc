#include "fovea/decode/prefixes.h"

#include <algorithm>

namespace fovea::decode {

int32_t Prefixes::extend(int32_t parent, int32_t token, const run::Looked& looked) {
  if (free_.empty()) {
    free_.push_back(static_cast<int32_t>(nodes_.size()));
    nodes_.emplace_back();
  }
  const int32_t node = free_.back();
  free_.pop_back();
  nodes_[static_cast<size_t>(node)] = {parent, token, 1, looked};
  if (parent != kNothing) ++nodes_[static_cast<size_t>(parent)].users;
  return node;
}

void Prefixes::release(int32_t node) {
  while (node != kNothing && --nodes_[static_cast<size_t>(node)].users == 0) {
    nodes_[static_cast<size_t>(node)].looked.clear();
    free_.push_back(node);
    node = nodes_[static_cast<size_t>(node)].parent;
  }
}

std::vector<int32_t> Prefixes::tokens(int32_t node) const {
  std::vector<int32_t> tokens;
  for (; node != kNothing; node = nodes_[static_cast<size_t>(node)].parent)
    tokens.push_back(nodes_[static_cast<size_t>(node)].token);
  std::reverse(tokens.begin(), tokens.end());
  return tokens;
}

std::vector<run::Looked> Prefixes::looks(int32_t node) const {
  std::vector<run::Looked> looks;
  for (; node != kNothing; node = nodes_[static_cast<size_t>(node)].parent)
    if (const Node& one = nodes_[static_cast<size_t>(node)]; !one.looked.empty()) looks.push_back(one.looked);
  std::reverse(looks.begin(), looks.end());
  return looks;
}

}  // namespace fovea::decode
