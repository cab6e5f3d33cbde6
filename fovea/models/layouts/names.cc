#include "fovea/models/layouts/names.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/mask_options.h"
#include "fovea/models/weight_files.h"

namespace fovea::models {
namespace {

// The digits of `name` where `pattern` has its '#', if `name` begins with the pattern; the rest of the name in `rest`.
bool begins(std::string_view name, std::string_view pattern, std::string_view& number,
            std::string_view& rest) {
  const size_t mark = pattern.find('#');
  number = {};
  if (mark == std::string_view::npos) {
    if (!name.starts_with(pattern)) return false;
    rest = name.substr(pattern.size());
    return true;
  }
  if (!name.starts_with(pattern.substr(0, mark))) return false;
  const size_t end = std::min(name.find_first_not_of("0123456789", mark), name.size());
  const std::string_view after = pattern.substr(mark + 1);
  if (end == mark || !name.substr(end).starts_with(after)) return false;
  number = name.substr(mark, end - mark);
  rest = name.substr(end + after.size());
  return true;
}

std::string filled(std::string_view pattern, std::string_view number, std::string_view rest) {
  std::string name;
  for (const char c : pattern) {
    if (c == '#')
      name += number;
    else
      name += c;
  }
  return name.append(rest);
}

}  // namespace

std::vector<FilePart> file_parts(const Layout* layout, std::string_view ours) {
  if (!layout) return {{.name = std::string(ours)}};
  std::vector<FilePart> parts;
  for (const NameRule& rule : layout->names) {
    std::string_view number, rest;
    if (begins(ours, rule.ours, number, rest))
      parts.push_back(
          {filled(rule.theirs, number, rest), rule.transposed, rule.part, rule.lead, rule.patches});
  }
  if (parts.empty() && is_of_mask(ours)) return {{.name = std::string(ours)}};
  check(!parts.empty(), "model", "'{}' has no name in the layout {}", ours, layout->model_type);
  return parts;
}

std::string other_name(const Layout* layout, const std::string& name) {
  if (!layout || layout->prefix.empty()) return name;
  return name.starts_with(layout->prefix) ? name.substr(layout->prefix.size())
                                          : std::string(layout->prefix) + name;
}

std::string name_in(const WeightFiles& files, const Layout* layout, const std::string& name) {
  if (files.contains(name)) return name;
  std::string other = other_name(layout, name);
  return files.contains(other) ? other : name;
}

bool may_be_left_out(const Layout* layout, std::string_view name) {
  return layout &&
         std::ranges::any_of(layout->left_out, [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace fovea::models
