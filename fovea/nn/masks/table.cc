#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/nn/masks/kinds.h"

namespace fovea::nn {

std::span<const MaskKind> mask_table() {
  static const MaskKind kTable[] = {
      masks::causal(), masks::window(),   masks::prefix(),  masks::local_m(), masks::local_p(),
      masks::alibi(),  masks::relative(), masks::lengths(), masks::visible(), masks::bias(),
  };
  return kTable;
}

const MaskKind& mask_named(std::string_view name) {
  std::vector<std::string> names;
  for (const MaskKind& kind : mask_table()) {
    if (name == kind.name) return kind;
    names.emplace_back(kind.name);
  }
  fail("mask", "there is no mask {}: did you mean '{}'?", quote(name), nearest(name, names, 1).front());
}

}  // namespace fovea::nn
