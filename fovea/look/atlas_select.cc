#include "fovea/look/atlas_select.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/look/label.h"

namespace fovea::look {
namespace {

std::vector<int> numbers_of(const std::vector<int>& numbers, int n) {
  if (!numbers.empty()) return numbers;
  std::vector<int> all(static_cast<size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Places in `have` of the numbers that are wanted.
std::vector<int> places(const std::vector<int>& have, const std::vector<int>& want) {
  std::vector<int> found;
  for (size_t i = 0; i < have.size(); ++i)
    if (want.empty() || std::binary_search(want.begin(), want.end(), have[i]))
      found.push_back(static_cast<int>(i));
  return found;
}

std::vector<int> picked(const std::vector<int>& from, const std::vector<int>& places) {
  std::vector<int> out;
  for (const int place : places) out.push_back(from[static_cast<size_t>(place)]);
  return out;
}

void check_known(const Atlas& atlas, const Selection& selection) {
  const auto known = [&](int wanted, bool layer) {
    return std::any_of(atlas.stacks.begin(), atlas.stacks.end(), [&](const Stack& stack) {
      const std::vector<int> have =
          layer ? numbers_of(stack.layers, stack.depth()) : numbers_of(stack.heads, stack.breadth());
      return std::binary_search(have.begin(), have.end(), wanted);
    });
  };
  int most_layers = 0, most_heads = 0;
  for (const Stack& stack : atlas.stacks) {
    most_layers = std::max(most_layers, stack.layer_number(stack.depth() - 1));
    most_heads = std::max(most_heads, stack.head_number(stack.breadth() - 1));
  }
  for (const int layer : selection.layers)
    check(known(layer, true), "look", "layer {}: layers count from 0, and the last is {}", layer,
          most_layers);
  for (const int head : selection.heads)
    check(known(head, false), "look", "head {}: heads count from 0, and the last is {}", head, most_heads);
}

// False where nothing of the stack is left.
bool keep(Stack& stack, const Selection& selection) {
  const std::vector<int> layers = numbers_of(stack.layers, stack.depth());
  const std::vector<int> heads = numbers_of(stack.heads, stack.breadth());
  const std::vector<int> l = places(layers, selection.layers), h = places(heads, selection.heads);
  if (l.empty() || h.empty()) return false;
  if (l.size() < layers.size() || h.size() < heads.size()) {
    const int64_t t = stack.weights.dim(2), cells = stack.cells();
    Tensor weights = Tensor::zeros(
        {static_cast<int64_t>(l.size()), static_cast<int64_t>(h.size()), t, stack.weights.dim(3)});
    std::vector<int> chosen;
    float* to = weights.data<float>();
    for (const int layer : l)
      for (const int head : h) {
        const int64_t at = int64_t{layer} * stack.breadth() + head;
        const float* from = stack.weights.data<float>() + at * cells;
        to = std::copy(from, from + cells, to);
        if (!stack.chosen.empty())
          chosen.insert(chosen.end(), stack.chosen.begin() + at * t, stack.chosen.begin() + (at + 1) * t);
      }
    stack.weights = weights;
    stack.chosen = chosen;
  }
  stack.layers = picked(layers, l);
  stack.heads = picked(heads, h);
  return true;
}

void keep_attention(Atlas& atlas, const std::string& wanted) {
  std::vector<Stack> found;
  std::vector<std::string> names;
  for (const Stack& stack : atlas.stacks) {
    names.push_back(stack.name);
    if (stack.name == wanted) {
      found = {stack};
      break;
    }
    if (stack.name.find(wanted) != std::string::npos) found.push_back(stack);
  }
  check(found.size() == 1, "look", "the attention {}: expected one of {}", quote(wanted),
        fmt::join(names, ", "));
  atlas.stacks = found;
}

void choose_row(Atlas& atlas, const std::string& token) {
  for (Stack& stack : atlas.stacks) stack.row = find_row(stack.rows, token);
  check(atlas.has_row(), "look", "the token {}: no row has it; expected one of {}", quote(token),
        quote(fmt::format("{}", fmt::join(atlas.stacks[0].rows, " "))));
  std::erase_if(atlas.stacks, [](const Stack& stack) { return stack.row < 0; });
}

// Without the mark of a word's first piece, and that of an unknown token.
std::string_view bare(std::string_view label) {
  label = without_mark(label);
  for (const std::string_view mark : {"▁", "Ġ"})
    if (label.size() > mark.size() && label.starts_with(mark)) return label.substr(mark.size());
  return label;
}

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

// Rows whose label is `text`; where there is none, those that differ in capitals alone, which some tokenizers make small.
std::vector<int> rows_with(const std::vector<std::string>& rows, std::string_view text) {
  std::vector<int> exact, marked, near;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == text) exact.push_back(static_cast<int>(i));
    if (bare(rows[i]) == text) marked.push_back(static_cast<int>(i));
    if (same_but_for_case(bare(rows[i]), text)) near.push_back(static_cast<int>(i));
  }
  return !marked.empty() ? marked : !exact.empty() ? exact : near;
}

// The number from 1 that is all of `text`; 0 where it is none.
int number_in(std::string_view text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size() && number > 0 ? number : 0;
}

}  // namespace

int find_row(const std::vector<std::string>& rows, std::string_view token) {
  const std::vector<int> whole = rows_with(rows, token);
  if (!whole.empty()) {
    check(whole.size() == 1, "look", "the token {} is there {} times: choose one, as {}@1 or #{}",
          quote(token), whole.size(), token, whole[0] + 1);
    return whole[0];
  }
  if (token.starts_with('#')) {
    const int place = number_in(token.substr(1));
    return place <= static_cast<int>(rows.size()) ? place - 1 : -1;
  }
  const size_t at = token.rfind('@');
  if (at == std::string_view::npos) return -1;
  const auto occurrence = static_cast<size_t>(number_in(token.substr(at + 1)));
  const std::vector<int> found = rows_with(rows, token.substr(0, at));
  return occurrence > 0 && occurrence <= found.size() ? found[occurrence - 1] : -1;
}

Atlas selected(Atlas atlas, const Selection& selection) {
  atlas.check();
  if (!selection.attention.empty()) keep_attention(atlas, selection.attention);
  check_known(atlas, selection);
  std::erase_if(atlas.stacks, [&](Stack& stack) { return !keep(stack, selection); });
  check(!atlas.stacks.empty(), "look",
        "no attention has one of the layers and one of the heads that are chosen");
  if (!selection.token.empty()) choose_row(atlas, selection.token);
  return atlas;
}

}  // namespace fovea::look
