// French words that are still to meet their neighbours: "de le" becomes du, "je ai" becomes j' ai.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/grammar/line.h"

namespace fovea::data::grammar {

class FrenchWords {
 public:
  void say(std::string_view word, std::initializer_list<Concept> concepts);
  // The newest word stands for this, too.
  void also(Concept c);
  // Says them all, as they are side by side, and forgets them.
  void finish(Line& line);

 private:
  struct Word {
    std::string text;
    std::vector<Concept> concepts;
  };
  void contract();

  std::vector<Word> words_;  // the first used_ of them; the others keep their memory
  size_t used_ = 0;
};

}  // namespace fovea::data::grammar
