// The names that tensors have in the files of other programs. A layout has a table of rules, in which '#' stands for the number of a
// layer and a rule holds for every parameter whose name begins with `ours`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::models {

struct Layout;
class WeightFiles;

struct NameRule {
  std::string_view ours;    // "layer.#.self.out."
  std::string_view theirs;  // "transformer.h.#.attn.c_proj."
  bool transposed = false;  // matrices: the file has [in, out]
  // Of a joint projection: the part that this file tensor is. kWhole: all of it, or no joint projection at all.
  enum Part : int8_t { kWhole = -1, kQuery, kKey, kValue } part = kWhole;
  int8_t lead = 0;       // 1: [n, ..] is [1, n, ..] in the file; -1: [1, n, ..] is [n, ..] there
  bool patches = false;  // [n, height, width, channels] is [n, channels, height, width] in the file
};

// A tensor of a file, as part of a parameter of ours.
struct FilePart {
  std::string name;
  bool transposed = false;  // where the parameter is a matrix
  NameRule::Part part = NameRule::kWhole;
  int8_t lead = 0;
  bool patches = false;
};

// The tensors of a file that make up the parameter `ours`, in the order of its rows: one, or query, key and value of a joint
// projection. Without a layout files have our own names. A parameter that no rule names throws: an error of ours.
std::vector<FilePart> file_parts(const Layout* layout, std::string_view ours);

// The other form of a file's name: without the prefix that it has, or with the one that it lacks. The name itself in layouts without prefix.
std::string other_name(const Layout* layout, const std::string& name);
// `name`, or its other form where the files have only that.
std::string name_in(const WeightFiles& files, const Layout* layout, const std::string& name);
// Whether a tensor of a file may be left unread: constants, copies of tied weights, and heads that are not used here.
bool may_be_left_out(const Layout* layout, std::string_view name);

}  // namespace fovea::models
