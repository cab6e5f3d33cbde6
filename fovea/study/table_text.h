// A table as text that reads well by itself and is Markdown, too:
//   | source words | lines | BLEU |
//   | :----------- | ----: | ---: |
//   | 1-10         |   200 | 93.1 |
#pragma once

#include <string>
#include <vector>

namespace fovea::study {

using Row = std::vector<std::string>;

struct Table {
  Row head;
  std::vector<Row> rows;  // each as long as the head
};

// The first `left` columns are words, the others numbers. Ends in a newline.
std::string to_text(const Table& table, size_t left = 1);

}  // namespace fovea::study
