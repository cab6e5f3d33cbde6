// Maps and atlases of pieces as those of words.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/atlas.h"

namespace fovea::look {

// What the rows, or the columns, of a map become together.
struct Merge {
  std::vector<int> into;            // for each row its new one: from 0, never less than for the row before
  std::vector<std::string> labels;  // of the new ones
};

// A word looks with the mean of its pieces' weights, and is looked at with their sum: rows keep their sum. A hard choice
// stays where all pieces of a row's word made the same one.
Map merged(const Map& map, const Merge& rows, const Merge& columns);
// The same in every layer and head. The chosen row becomes the word that it is part of.
Stack merged(const Stack& stack, const Merge& rows, const Merge& columns);

}  // namespace fovea::look
