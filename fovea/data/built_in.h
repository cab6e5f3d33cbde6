// Every built-in corpus by name, whatever it is made of: pairs of lines (corpora.h) or pictures (picture_corpora.h).
#pragma once

#include <string_view>
#include <vector>

#include "fovea/data/corpora.h"
#include "fovea/data/picture_corpora.h"

namespace fovea::data {

// One of the two is there.
struct BuiltIn {
  const CorpusKind* lines = nullptr;
  const PictureCorpusKind* pictures = nullptr;

  std::string_view name() const { return lines ? lines->name : pictures->name; }
  std::string_view what() const { return lines ? lines->what : pictures->what; }
};

// Lines first, then pictures, in the order of their tables.
std::vector<BuiltIn> built_in_corpora();
// Throws for an unknown name, and names the nearest.
BuiltIn built_in_named(std::string_view name);

}  // namespace fovea::data
