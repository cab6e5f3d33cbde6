#include "fovea/models/stored_names.h"

#include <algorithm>

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

Tensor part_of(const Tensor& whole, NameRule::Part part, JointRows rows) {
  switch (part) {
    case NameRule::kQuery:
      return whole.slice(0, rows.query);
    case NameRule::kKey:
      return whole.slice(rows.query, rows.query + rows.key);
    case NameRule::kValue:
      return whole.slice(rows.query + rows.key, whole.dim(0));
    default:
      return whole;
  }
}

}  // namespace

std::vector<Stored> stored_as(const nn::ParameterList& parameters, std::span<const NameRule> rules,
                              JointRows rows, std::string_view prefix) {
  std::vector<Stored> stored;
  for (const nn::Parameter* parameter : parameters) {
    bool known = false;
    for (const NameRule& rule : rules) {
      std::string_view number, rest;
      if (!begins(parameter->name, rule.ours, number, rest)) continue;
      known = true;
      stored.push_back({std::string(prefix) + filled(rule.theirs, number, rest),
                        part_of(parameter->value, rule.part, rows),
                        rule.transposed && parameter->value.rank() == 2});
    }
    check(known, "model", "'{}' has no name in this layout", parameter->name);
  }
  return stored;
}

}  // namespace fovea::models
