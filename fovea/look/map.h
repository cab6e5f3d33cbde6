// Where attention looked: weights with the words they belong to. The other files of this room show it.
#pragma once

#include <string>
#include <vector>

#include "fovea/tensor/tensor.h"

namespace fovea::look {

// Which head a picture shows.
inline constexpr int kMean = -1;
inline constexpr int kEveryHead = -2;

struct Map {
  std::vector<std::string> rows;     // T queries
  std::vector<std::string> columns;  // S keys
  Tensor weights;                    // f32 [T, S] or [H, T, S]; 0 to 1, exactly 0 where a key is hidden
  std::string title;
  std::string row_name = "query";
  std::string column_name = "key";
  // Hard attention: for each head and row the chosen column, -1 for none; empty when soft.
  std::vector<int> chosen;
  std::vector<std::string> head_names;  // of the H panels; empty: "head 0", "head 1", ...

  int heads() const { return weights.rank() == 3 ? static_cast<int>(weights.dim(0)) : 1; }
  int height() const { return static_cast<int>(rows.size()); }
  int breadth() const { return static_cast<int>(columns.size()); }

  // Throws unless labels, weights and choices fit each other, there is something to show, and head (0 and up,
  // kMean, kEveryHead) exists.
  void check(int head = kMean) const;
};

// One head of a map, or the mean of all of them, as a picture needs it.
struct Panel {
  int height = 0, breadth = 0;
  std::vector<float> weights;  // [T, S]
  std::vector<int> chosen;     // [T], or empty: soft, or a mean over several heads
  std::vector<int> seen;       // [T]: how many weights are not 0
  bool one_hot = false;        // hard, and no row has more than one weight
  std::string name;            // "head 3", "mean of 8 heads"; empty when the map has one head

  float at(int row, int column) const {
    return weights[static_cast<size_t>(row) * static_cast<size_t>(breadth) + static_cast<size_t>(column)];
  }
  bool is_chosen(int row, int column) const {
    return !chosen.empty() && chosen[static_cast<size_t>(row)] == column;
  }
  // The query sees no key at all.
  bool row_is_hidden(int row) const { return seen[static_cast<size_t>(row)] == 0; }
  // A weight of 0, unless it only says that another key was chosen: a one-hot map.
  bool is_hidden(int row, int column) const {
    return at(row, column) == 0 && (!one_hot || row_is_hidden(row));
  }
};

// `head` from 0, or kMean. The map has been checked.
Panel panel_of(const Map& map, int head);
// kEveryHead gives one panel for each head, other values one panel.
std::vector<Panel> panels_of(const Map& map, int head);
// Hard attention reads one position, the only one with a weight: that of each row of weights [..., S], -1 for none.
std::vector<int> chosen_columns(const Tensor& weights);
// The largest weight in the panels: where the colour scale ends. 1 when all weights are 0.
float largest(const std::vector<Panel>& panels);

}  // namespace fovea::look
