#include "fovea/look/atlas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/look/atlas_select.h"
#include "fovea/look/thumbnail.h"
#include "tests/error_message.h"
#include "tests/look/made_atlas.h"

namespace fovea::look {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::HasSubstr;

std::string fault_of(const Stack& stack) {
  return error_of([&] { stack.check(); });
}

float weight(const Stack& stack, int layer, int head, int row, int column) {
  const int64_t t = stack.weights.dim(2), s = stack.weights.dim(3);
  return stack.weights.data<float>()[((int64_t{layer} * stack.breadth() + head) * t + row) * s + column];
}

TEST(Atlas, WhatDoesNotFitIsNamed) {
  const Stack good = made_stack("cross", 2, 3, "a b", "x y z");
  good.check();
  Stack stack = good;
  stack.weights = stack.weights.reshape({6, 2, 3});
  EXPECT_EQ(fault_of(stack),
            "[look] 'cross': weights of shape [6, 2, 3] and type f32: expected f32 [layers, H, T, S]");
  stack = good;
  stack.weights = Tensor::zeros({0, 3, 2, 3});
  EXPECT_THAT(fault_of(stack), HasSubstr("there is nothing to show"));
  stack = good;
  stack.rows.pop_back();
  EXPECT_THAT(fault_of(stack), HasSubstr("1 row labels"));
  stack = good;
  stack.layers = {4, 4};
  EXPECT_EQ(fault_of(stack),
            "[look] [4, 4] as the numbers of 2 layers: expected one for each, ascending from 0 or more");
  stack.layers = {1};
  EXPECT_THAT(fault_of(stack), HasSubstr("[1] as the numbers of 2 layers"));
  stack = good;
  stack.heads = {-1, 0, 1};
  EXPECT_THAT(fault_of(stack), HasSubstr("of 3 heads"));
  stack = good;
  stack.row = 2;
  EXPECT_EQ(fault_of(stack), "[look] 'cross': row 2 of 2 is chosen");
  EXPECT_THAT(error_of([] { Atlas().check(); }), HasSubstr("without attentions"));
}

TEST(Atlas, NumbersThatFollowEachOtherAreARange) {
  Stack stack = made_stack("self", 6, 2, "a", "b");
  EXPECT_EQ(stack.layers_text(), "0-5");
  EXPECT_EQ(stack.heads_text(), "0,1");
  stack.layers = {0, 2, 3, 4, 7, 8};
  EXPECT_EQ(stack.layers_text(), "0,2-4,7,8");
}

TEST(Selection, KeepsNumbersAndTheirWeights) {
  const Atlas all = made_translator(6, 8);
  const Atlas some = selected(all, {.attention = "cross", .layers = {1, 5}, .heads = {0, 6, 7}});
  ASSERT_EQ(some.stacks.size(), 1u);
  const Stack &from = all.stacks[2], &to = some.stacks[0];
  EXPECT_EQ(to.weights.shape(), (Shape{2, 3, 8, 11}));
  EXPECT_THAT(to.layers, ElementsAre(1, 5));
  EXPECT_THAT(to.heads, ElementsAre(0, 6, 7));
  for (int row = 0; row < 8; ++row)
    for (int column = 0; column < 11; ++column) {
      EXPECT_EQ(weight(to, 1, 1, row, column), weight(from, 5, 6, row, column));
      EXPECT_EQ(weight(to, 0, 2, row, column), weight(from, 1, 7, row, column));
    }
  const Atlas fewer = selected(some, {.layers = {5}, .heads = {7}});
  EXPECT_EQ(head_map(fewer.stacks[0], 0, 0).title, "cross, layer 5, head 7");
  EXPECT_EQ(weight(fewer.stacks[0], 0, 0, 3, 4), weight(from, 5, 7, 3, 4));
}

TEST(Selection, StacksWithoutWhatIsWantedAreLeftOut) {
  Atlas atlas = made_translator(2, 2);
  atlas.stacks[0] = made_stack("encoder self", 6, 2, kSentence, kSentence);
  EXPECT_EQ(selected(atlas, {.layers = {1}}).stacks.size(), 3u);
  EXPECT_EQ(selected(atlas, {.layers = {4}}).stacks.size(), 1u);
  const Atlas street = selected(atlas, {.token = "길을"});
  ASSERT_EQ(street.stacks.size(), 2u);
  EXPECT_EQ(street.stacks[1].row, 5);
  const auto fault = [&](const Selection& selection) {
    return error_of([&] { selected(atlas, selection); });
  };
  EXPECT_EQ(fault({.layers = {6}}), "[look] layer 6: layers count from 0, and the last is 5");
  EXPECT_EQ(fault({.heads = {1, 2}}), "[look] head 2: heads count from 0, and the last is 1");
  EXPECT_EQ(fault({.attention = "self"}),
            "[look] the attention 'self': expected one of encoder self, decoder self, cross");
  EXPECT_THAT(fault({.token = "cat"}),
              HasSubstr("the token 'cat': no row has it; expected one of 'The animal"));
}

TEST(Selection, ChoicesStayWithTheirHeads) {
  Atlas atlas{"", {made_stack("cross", 1, 2, "a b", "x y")}};
  atlas.stacks[0].chosen = {0, 1, 1, 0};
  EXPECT_THAT(selected(atlas, {.heads = {1}}).stacks[0].chosen, ElementsAre(1, 0));
}

TEST(FindRow, ByTextOccurrenceAndPlace) {
  const std::vector<std::string> rows = {"it", "was", "it", "▁too", "Ġlate", "a@b", "#2"};
  EXPECT_EQ(find_row(rows, "was"), 1);
  EXPECT_EQ(find_row(rows, "it@1"), 0);
  EXPECT_EQ(find_row(rows, "it@2"), 2);
  EXPECT_EQ(find_row(rows, "too"), 3);
  EXPECT_EQ(find_row(rows, "▁too"), 3);
  EXPECT_EQ(find_row(rows, "late@1"), 4);
  EXPECT_EQ(find_row(rows, "#1"), 0);
  EXPECT_EQ(find_row(rows, "#7"), 6);
  EXPECT_EQ(find_row(rows, "a@b"), 5);
  EXPECT_EQ(find_row(rows, "#2"), 6) << "a label goes before a place";
  EXPECT_EQ(find_row(rows, "It@2"), 2) << "where no label has capitals";
  EXPECT_EQ(find_row({"it", "It"}, "It"), 1) << "one that has them goes first";
  for (const char* none :
       {"", "its", "it@3", "it@0", "it@", "it@x", "#0", "#8", "#-1", "#", "#1x", "@", "#99999999999"})
    EXPECT_EQ(find_row(rows, none), -1) << none;
  EXPECT_EQ(error_of([&] { find_row(rows, "it"); }),
            "[look] the token 'it' is there 2 times: choose one, as it@1 or #1");
}

TEST(RowMap, HasAPanelForEachLayerAndARowForEachHead) {
  const Atlas atlas = selected(made_encoder(4, 3), {.layers = {0, 3}, .token = "it"});
  const Map map = row_map(atlas.stacks[0]);
  map.check();
  EXPECT_EQ(map.title, "self: it (8 of 11)");
  EXPECT_THAT(map.head_names, ElementsAre("layer 0", "layer 3"));
  EXPECT_THAT(map.rows, ElementsAre("0", "1", "2"));
  EXPECT_EQ(panel_of(map, 1).at(2, 4), weight(atlas.stacks[0], 1, 2, 7, 4));
  const Map mean = mean_row_map(atlas.stacks[0]);
  mean.check();
  EXPECT_THAT(mean.rows, ElementsAre("0", "3"));
  float sum = 0;
  for (int head = 0; head < 3; ++head) sum += weight(atlas.stacks[0], 1, head, 7, 4);
  EXPECT_THAT(panel_of(mean, 0).at(1, 4), FloatNear(sum / 3, 1e-6f));
}

TEST(Thumbnail, IsTheMeanOfWhatFallsTogether) {
  Stack stack = made_stack("self", 1, 2, "a b", "w x y z");
  const std::vector<float> second = {0.5f, 0.25f, 0.25f, 0, 0, 0, 0.5f, 0.5f};
  std::copy(second.begin(), second.end(), stack.weights.data<float>() + 8);
  const Thumbnail whole = thumbnail(stack, 0, 1, 4);
  EXPECT_THAT(whole.weights, testing::ElementsAreArray(second));
  const Thumbnail half = thumbnail(stack, 0, 1, 2);
  EXPECT_EQ(half.width, 2);
  EXPECT_EQ(half.height, 1);
  EXPECT_THAT(half.weights, ElementsAre(FloatEq(0.1875f), FloatEq(0.3125f)));
  EXPECT_EQ(half.most, 0.3125f);
  EXPECT_EQ(half.largest, 0.5f);
}

}  // namespace
}  // namespace fovea::look
