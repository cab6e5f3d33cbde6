// The languages: each says a meaning and remembers what every word stands for.
#pragma once

#include "fovea/data/grammar/line.h"
#include "fovea/data/grammar/meaning.h"

namespace fovea::data::grammar {

void say_english(const Meaning& meaning, Line& line);
void say_korean(const Meaning& meaning, Line& line);
void say_french(const Meaning& meaning, Line& line);

// How many words a step has in English, without what joins it to the step before.
int english_words(const Meaning& meaning, const Step& step, Line& scratch);

}  // namespace fovea::data::grammar
