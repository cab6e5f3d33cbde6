#include "fovea/look/telling_head.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/look/made_atlas.h"

namespace fovea::look {
namespace {

// Two layers of two heads, all weights 0; the first row is chosen.
Stack empty(const std::string& rows, const std::string& columns) {
  Stack stack = made_stack("self", 2, 2, rows, columns);
  std::fill_n(stack.weights.data<float>(), stack.weights.size(), 0.0f);
  stack.row = 0;
  return stack;
}
float& at(Stack& stack, int layer, int head, int column) {
  const int64_t t = stack.weights.dim(2), s = stack.weights.dim(3);
  return stack.weights.data<float>()[((layer * 2 + head) * t + stack.row) * s + column];
}

TEST(TellingHead, HasTheLargestWeightOnAnotherWord) {
  Stack stack = empty("it was [SEP] <eos>", "it was [SEP] <eos>");
  at(stack, 0, 0, 0) = 0.9f;  // itself
  at(stack, 0, 1, 2) = 0.8f;  // a special token
  at(stack, 1, 1, 3) = 0.8f;
  at(stack, 1, 0, 1) = 0.3f;
  at(stack, 0, 1, 1) = 0.1f;
  EXPECT_EQ(telling_head({"", {stack}}), (HeadPlace{0, 1, 0}));
}

TEST(TellingHead, OfCrossAttentionMayBeAtTheSamePlace) {
  Stack stack = empty("es war", "it was");
  at(stack, 1, 1, 0) = 0.9f;
  at(stack, 0, 0, 1) = 0.8f;
  EXPECT_EQ(telling_head({"", {stack}}), (HeadPlace{0, 1, 1}));
}

TEST(TellingHead, IsLookedForInEveryAttentionWithTheRow) {
  Stack first = empty("a b", "a b"), second = empty("a b", "x y"), third = empty("a b", "x y");
  at(first, 0, 0, 1) = 0.2f;
  at(second, 0, 1, 0) = 0.4f;
  at(third, 1, 0, 0) = 1;
  third.row = -1;
  EXPECT_EQ(telling_head({"", {first, second, third}}), (HeadPlace{1, 0, 1}));
}

TEST(TellingHead, IsNoneWhereTheRowSeesNoOtherWord) {
  Stack stack = empty("a <eos>", "a <eos>");
  at(stack, 0, 0, 0) = 0.5f;
  at(stack, 0, 0, 1) = 0.5f;
  EXPECT_EQ(telling_head({"", {stack}}), std::nullopt);
  stack.row = -1;
  EXPECT_EQ(telling_head({"", {stack}}), std::nullopt);
}

}  // namespace
}  // namespace fovea::look
