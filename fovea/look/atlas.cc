#include "fovea/look/atlas.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"

namespace fovea::look {
namespace {

void check_numbers(const std::vector<int>& numbers, int64_t expected, std::string_view what) {
  const auto later = [](int a, int b) { return a >= b; };
  const bool ascending = std::adjacent_find(numbers.begin(), numbers.end(), later) == numbers.end();
  check(numbers.empty() || (static_cast<int64_t>(numbers.size()) == expected && ascending && numbers[0] >= 0),
        "look", "[{}] as the numbers of {} {}: expected one for each, ascending from 0 or more",
        fmt::join(numbers, ", "), expected, what);
}

// number(0), number(1), ... up to n, ascending: those that follow each other as a range.
template <typename F>
std::string ranges(int n, F&& number) {
  std::string out;
  for (int first = 0, last = 0; first < n; first = last + 1) {
    last = first;
    while (last + 1 < n && number(last + 1) == number(last) + 1) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", number(first));
    if (last > first) out += fmt::format("{}{}", last == first + 1 ? "," : "-", number(last));
  }
  return out;
}

}  // namespace

std::string Stack::layers_text() const {
  return ranges(depth(), [&](int i) { return layer_number(i); });
}
std::string Stack::heads_text() const {
  return ranges(breadth(), [&](int i) { return head_number(i); });
}

void Stack::check() const {
  fovea::check(weights.defined() && weights.dtype() == DType::kF32 && weights.rank() == 4, "look",
               "{}: weights of shape {} and type {}: expected f32 [layers, H, T, S]", quote(name),
               weights.shape().str(), name_of(weights.dtype()));
  fovea::check(weights.size() > 0, "look", "{}: weights of shape {}: there is nothing to show", quote(name),
               weights.shape().str());
  check_numbers(layers, depth(), "layers");
  check_numbers(heads, breadth(), "heads");
  Map map;  // of all heads in a row: what is asked of its labels, weights and choices is asked of a stack's
  map.rows = rows;
  map.columns = columns;
  map.chosen = chosen;
  map.weights = weights.reshape({weights.dim(0) * weights.dim(1), weights.dim(2), weights.dim(3)});
  map.check();
  fovea::check(row >= -1 && row < map.height(), "look", "{}: row {} of {} is chosen", quote(name), row,
               map.height());
}

int64_t Atlas::weights() const {
  int64_t n = 0;
  for (const Stack& stack : stacks) n += stack.weights.size();
  return n;
}

bool Atlas::has_row() const {
  return std::any_of(stacks.begin(), stacks.end(), [](const Stack& stack) { return stack.row >= 0; });
}

bool Atlas::is_one_head() const {
  return stacks.size() == 1 && stacks[0].depth() == 1 && stacks[0].breadth() == 1;
}

void Atlas::check() const {
  fovea::check(!stacks.empty(), "look", "an atlas without attentions: there is nothing to show");
  for (const Stack& stack : stacks) stack.check();
}

Stack stack_of(const Map& map) {
  map.check();
  Stack stack;
  stack.name = "attention";
  stack.rows = map.rows;
  stack.columns = map.columns;
  stack.weights = map.weights.reshape({1, map.heads(), map.height(), map.breadth()});
  stack.row_name = map.row_name;
  stack.column_name = map.column_name;
  stack.chosen = map.chosen;
  return stack;
}

Map head_map(const Stack& stack, int layer, int head) {
  Map map;
  map.rows = stack.rows;
  map.columns = stack.columns;
  map.row_name = stack.row_name;
  map.column_name = stack.column_name;
  map.title =
      fmt::format("{}, layer {}, head {}", stack.name, stack.layer_number(layer), stack.head_number(head));
  const int64_t at = int64_t{layer} * stack.breadth() + head;
  map.weights = Tensor::of<float>({map.height(), map.breadth()},
                                  stack.weights.span<float>().subspan(static_cast<size_t>(at * stack.cells()),
                                                                      static_cast<size_t>(stack.cells())));
  if (!stack.chosen.empty()) {
    const auto first = stack.chosen.begin() + at * map.height();
    map.chosen.assign(first, first + map.height());
  }
  return map;
}

Map row_map(const Stack& stack) {
  const int64_t s = stack.weights.dim(3), t = stack.weights.dim(2);
  Map map;
  map.title = fmt::format("{}: {}", stack.name, row_label(stack));
  map.row_name = "head";
  map.column_name = stack.column_name;
  map.columns = stack.columns;
  for (int head = 0; head < stack.breadth(); ++head)
    map.rows.push_back(std::to_string(stack.head_number(head)));
  for (int layer = 0; layer < stack.depth(); ++layer)
    map.head_names.push_back(fmt::format("layer {}", stack.layer_number(layer)));
  map.weights = Tensor::zeros({stack.depth(), stack.breadth(), s});
  const int64_t heads = int64_t{stack.depth()} * stack.breadth();
  for (int64_t head = 0; head < heads; ++head) {
    const float* from = stack.weights.data<float>() + (head * t + stack.row) * s;
    std::copy(from, from + s, map.weights.data<float>() + head * s);
    if (!stack.chosen.empty()) map.chosen.push_back(stack.chosen[static_cast<size_t>(head * t + stack.row)]);
  }
  return map;
}

Map mean_row_map(const Stack& stack) {
  const Map heads = row_map(stack);
  Map map;
  map.title = heads.title;
  map.row_name = "layer";
  map.column_name = heads.column_name;
  map.columns = heads.columns;
  map.weights = Tensor::zeros({stack.depth(), heads.breadth()});
  float* to = map.weights.data<float>();
  const float* from = heads.weights.data<float>();
  for (int layer = 0; layer < stack.depth(); ++layer, to += heads.breadth()) {
    map.rows.push_back(std::to_string(stack.layer_number(layer)));
    for (int head = 0; head < stack.breadth(); ++head)
      for (int column = 0; column < heads.breadth(); ++column)
        to[column] += *from++ / static_cast<float>(stack.breadth());
  }
  return map;
}

std::string row_label(const Stack& stack) {
  return fmt::format("{} ({} of {})", stack.rows[static_cast<size_t>(stack.row)], stack.row + 1,
                     stack.rows.size());
}

}  // namespace fovea::look
