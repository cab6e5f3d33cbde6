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
      if (file.lead != 0) {
        Shape shape;
        if (file.lead > 0) shape.push_back(1);
        for (int axis = file.lead < 0 ? 1 : 0; axis < part.rank(); ++axis) shape.push_back(part.dim(axis));
        part = part.reshape(shape);
      }
      stored.push_back({.name = std::move(file.name),
                        .tensor = part,
                        .transposed = file.transposed && part.rank() == 2,
                        .channels_first = file.patches});
    }
  return stored;
}

}  // namespace fovea::models
