#include "fovea/look/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::FloatEq;

Map pieces() {
  Map map;
  map.rows = {"▁stu", "dent", "<eos>"};
  map.columns = {"▁학", "생", "▁이", "다"};
  map.weights = Tensor::of<float>(
      {3, 4}, std::vector<float>{0.5f, 0.25f, 0.25f, 0, 0.125f, 0.125f, 0.25f, 0.5f, 0, 0, 0.25f, 0.75f});
  return map;
}
const Merge kRows = {{0, 0, 1}, {"student", "<eos>"}};
const Merge kColumns = {{0, 0, 1, 1}, {"학생", "이다"}};

TEST(Merge, SumsOverColumnsAndMeansOverRows) {
  const Map words = merged(pieces(), kRows, kColumns);
  EXPECT_THAT(words.rows, ElementsAre("student", "<eos>"));
  EXPECT_THAT(words.columns, ElementsAre("학생", "이다"));
  EXPECT_EQ(words.weights.shape(), (Shape{2, 2}));
  EXPECT_THAT(words.weights.values<float>(),
              ElementsAre(FloatEq(0.5f), FloatEq(0.5f), FloatEq(0), FloatEq(1)));
}

TEST(Merge, HeadsStayApart) {
  Map map = pieces();
  std::vector<float> both = map.weights.values<float>();
  both.insert(both.end(), {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  map.weights = Tensor::of<float>({2, 3, 4}, both);
  const Map words = merged(map, kRows, kColumns);
  EXPECT_EQ(words.weights.shape(), (Shape{2, 2, 2}));
  EXPECT_THAT(words.weights.values<float>(), ElementsAre(FloatEq(0.5f), FloatEq(0.5f), FloatEq(0), FloatEq(1),
                                                         FloatEq(1), FloatEq(0), FloatEq(1), FloatEq(0)));
}

TEST(Merge, AChoiceStaysWherePiecesAgree) {
  Map map = pieces();
  map.chosen = {0, 1, 3};
  EXPECT_THAT(merged(map, kRows, kColumns).chosen, ElementsAre(0, 1));
  map.chosen = {0, 2, -1};
  EXPECT_THAT(merged(map, kRows, kColumns).chosen, ElementsAre(-1, -1));
}

TEST(Merge, AStackIsMergedInEveryHeadAndKeepsItsRow) {
  Stack stack = stack_of(pieces());
  std::vector<float> both = stack.weights.values<float>();
  both.insert(both.end(), {1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});
  stack.weights = Tensor::of<float>({2, 1, 3, 4}, both);
  stack.layers = {3, 5};
  stack.row = 2;
  const Stack words = merged(stack, kRows, kColumns);
  EXPECT_EQ(words.weights.shape(), (Shape{2, 1, 2, 2}));
  EXPECT_THAT(words.weights.values<float>(), ElementsAre(FloatEq(0.5f), FloatEq(0.5f), FloatEq(0), FloatEq(1),
                                                         FloatEq(1), FloatEq(0), FloatEq(1), FloatEq(0)));
  EXPECT_THAT(words.rows, ElementsAre("student", "<eos>"));
  EXPECT_THAT(words.layers, ElementsAre(3, 5));
  EXPECT_EQ(words.row, 1);
  words.check();
}

TEST(Merge, WhatDoesNotFitIsNamed) {
  const auto fault = [](const Merge& rows, const Merge& columns) -> std::string {
    try {
      merged(pieces(), rows, columns);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(fault({{0, 0}, {"a"}}, kColumns),
            "[look] 2 rows do not become 1 words: expected an ascending number below that for each of 3");
  EXPECT_NE(fault({{0, 0, 2}, {"a", "b"}}, kColumns), "no error");
  EXPECT_NE(fault({{0, 1, 0}, {"a", "b"}}, kColumns), "no error");
  EXPECT_NE(fault({{-1, 0, 0}, {"a", "b"}}, kColumns), "no error");
  EXPECT_NE(fault(kRows, {{0, 0, 1}, {"a", "b"}}), "no error");
}

}  // namespace
}  // namespace fovea::look
