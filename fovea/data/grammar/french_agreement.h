// What French verbs, adjectives and participles agree with.
#pragma once

#include "fovea/data/grammar/french_forms.h"
#include "fovea/data/grammar/meaning.h"

namespace fovea::data::grammar {

Person person_of(const Meaning& meaning, int phrase);
// Several are feminine when all of them are.
Gender gender_of(const Meaning& meaning, int phrase);

}  // namespace fovea::data::grammar
