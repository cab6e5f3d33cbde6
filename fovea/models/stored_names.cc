#include "fovea/models/stored_names.h"

namespace fovea::models {
namespace {

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

std::vector<Stored> stored_as(const nn::ParameterList& parameters, const Layout* layout, JointRows rows) {
  std::vector<Stored> stored;
  for (const nn::Parameter* parameter : parameters)
    for (FilePart& file : file_parts(layout, parameter->name)) {
      Tensor part = part_of(parameter->value, file.part, rows);
      if (file.row) part = part.reshape({1, part.size()});
      stored.push_back({std::move(file.name), part, file.transposed && part.rank() == 2});
    }
  return stored;
}

}  // namespace fovea::models
