// What of an atlas is to be seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/look/atlas.h"

namespace fovea::look {

struct Selection {
  std::string attention = {};  // the name of a stack, or a part of it that no other has; empty: all of them
  std::vector<int> layers = {}, heads = {};  // the model's numbers, ascending; empty: all of them
  std::string token = {};                    // as for find_row; empty: no row

  bool any() const { return !attention.empty() || !layers.empty() || !heads.empty() || !token.empty(); }
};

// Keeps what is selected, with its numbers. A stack keeps those of the layers and heads that it has, and those with none,
// or without the token, are left out. Throws for what no stack has.
Atlas selected(Atlas atlas, const Selection& selection);

// The row of a token: by its text ("it"; the marks ▁ and Ġ of a word's first piece need not be written), by text and
// occurrence where there are several ("it@2"), or by place ("#7"), both counted from 1. A label that is the whole text
// goes first. -1 where there is none. Throws for a text that occurs more than once.
int find_row(const std::vector<std::string>& rows, std::string_view token);

}  // namespace fovea::look
