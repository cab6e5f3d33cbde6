#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"

namespace fovea::models {
namespace {

constexpr const Layout* kTable[] = {
    &layouts::kMarian,     &layouts::kGpt2,    &layouts::kLlama, &layouts::kQwen2, &layouts::kBert,
    &layouts::kDistilbert, &layouts::kRoberta, &layouts::kVit,   &layouts::kDeit,  &layouts::kClip};

}  // namespace

std::span<const Layout* const> layout_table() { return kTable; }

const Layout* find_layout(std::string_view model_type) {
  if (model_type.starts_with(kOwnType)) model_type.remove_prefix(kOwnType.size());
  for (const Layout* layout : kTable)
    if (layout->model_type == model_type) return layout;
  return nullptr;
}

std::vector<std::string> layouts_of(std::string_view model) {
  std::vector<std::string> types;
  for (const Layout* layout : kTable)
    if (layout->model == model) types.emplace_back(layout->model_type);
  return types;
}

}  // namespace fovea::models
