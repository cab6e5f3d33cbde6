// The attentions of a whole model: every layer and every head of each, to be looked at together.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/map.h"
#include "fovea/tensor/tensor.h"

namespace fovea::look {

// One kind of attention through the layers of a model.
struct Stack {
  std::string name;                  // "encoder self", "cross"
  std::vector<std::string> rows;     // T queries
  std::vector<std::string> columns;  // S keys
  Tensor weights;                    // f32 [layers, H, T, S]; 0 to 1, exactly 0 where a key is hidden
  // What the model calls the layers and heads of `weights`, ascending. Empty: 0, 1, 2, ...; chosen ones keep their numbers.
  std::vector<int> layers, heads;
  std::string row_name = "query";
  std::string column_name = "key";
  std::vector<int> chosen;  // hard attention: for each layer, head and row a column or -1; empty when soft
  int row = -1;             // the query that the pictures are about; -1: all of them

  int depth() const { return static_cast<int>(weights.dim(0)); }
  int breadth() const { return static_cast<int>(weights.dim(1)); }
  int64_t cells() const { return weights.dim(2) * weights.dim(3); }
  int layer_number(int layer) const { return layers.empty() ? layer : layers[static_cast<size_t>(layer)]; }
  int head_number(int head) const { return heads.empty() ? head : heads[static_cast<size_t>(head)]; }
  // "0-5", "0,2-4": the numbers of the layers, and of the heads.
  std::string layers_text() const;
  std::string heads_text() const;

  // Throws unless labels, numbers and weights fit each other and there is something to show.
  void check() const;
};

struct Atlas {
  std::string title;
  std::vector<Stack> stacks;

  int64_t weights() const;   // of all stacks
  bool has_row() const;      // a query is chosen in at least one stack
  bool is_one_head() const;  // one stack of one layer and head
  void check() const;
};

// A map as the only layer of a stack without a name.
Stack stack_of(const Map& map);
// One head in full; `layer` and `head` count from 0 in the stack, the title has the model's numbers.
Map head_map(const Stack& stack, int layer, int head);
// What the chosen row looks at. One panel for each layer: a row for each head, a column for each key.
Map row_map(const Stack& stack);
// The same as one table: a row for each layer, the mean over its heads.
Map mean_row_map(const Stack& stack);
// "it (8 of 11)": the chosen row's label and its place, counted from 1.
std::string row_label(const Stack& stack);

}  // namespace fovea::look
