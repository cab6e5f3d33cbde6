// The hypotheses of one beam, which share their beginnings: a tree whose nodes are tokens, each with what was looked at in
// the step that wrote it. A node lives while a hypothesis owns it or a longer one goes through it; then its place
// is used again. So a search holds what its hypotheses need, and not its history.
#pragma once

#include <cstdint>
#include <vector>

#include "fovea/run/look.h"

namespace fovea::decode {

class Prefixes {
 public:
  static constexpr int32_t kNothing = -1;  // the prefix without tokens

  // `parent` and one more token; the caller owns it.
  int32_t extend(int32_t parent, int32_t token, const run::Looked& looked);
  // The owner is done with it.
  void release(int32_t node);

  std::vector<int32_t> tokens(int32_t node) const;
  // What each token saw; none where nobody looked.
  std::vector<run::Looked> looks(int32_t node) const;

  // Nodes that are alive.
  int64_t size() const { return static_cast<int64_t>(nodes_.size() - free_.size()); }

 private:
  struct Node {
    int32_t parent, token, users;
    run::Looked looked;
  };

  std::vector<Node> nodes_;
  std::vector<int32_t> free_;
};

}  // namespace fovea::decode
