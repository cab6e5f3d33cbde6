#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/nn/weigh/weigh.h"

namespace fovea::nn {

std::span<const Weigh> weigh_table() {
  static const Weigh kTable[] = {weighs::soft(), weighs::sample(), weighs::argmax(), weighs::gumbel()};
  return kTable;
}

const Weigh& weigh_named(std::string_view name) {
  for (const Weigh& weigh : weigh_table())
    if (name == weigh.name) return weigh;
  std::vector<std::string> names;
  for (const Weigh& weigh : weigh_table()) names.emplace_back(weigh.name);
  fail("weigh", "there is no way {} to weigh: did you mean '{}'?", quote(name),
       nearest(name, names, 1).front());
}

}  // namespace fovea::nn
