// Draws what a sentence says.
#pragma once

#include "fovea/base/random.h"
#include "fovea/data/grammar/line.h"
#include "fovea/data/grammar/meaning.h"

namespace fovea::data::grammar {

// A meaning that has min_words to max_words words in English, 3 or more, the mark at its end included. Every length is about as likely as
// every other; long ones are chains of clauses. False where the draw did not come out: try again.
// The same English is never drawn with two meanings that another language tells apart.
bool draw_meaning(Random& random, int64_t min_words, int64_t max_words, Meaning& meaning, Line& scratch);

}  // namespace fovea::data::grammar
