#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/study/kinds.h"

namespace fovea::study {

std::span<const Kind> study_table() {
  static const Kind table[] = {length_study(), scores_study(), samples_study(), look_at_pictures_study()};
  return table;
}

const Kind& study_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Kind& kind : study_table()) {
    if (kind.name == name) return kind;
    names.emplace_back(kind.name);
  }
  fail("study", "there is no study {}; there are {}", quote(name), nearest_first(name, names));
}

}  // namespace fovea::study
