#include "fovea/train/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;

// The mean of models "0", "1", ...; or what is wrong with them.
std::string mean_text(const std::vector<std::vector<NamedTensor>>& models) {
  std::string text;
  try {
    WeightMean mean;
    for (size_t i = 0; i < models.size(); ++i) mean.add(models[i], fmt::format("{}", i));
    for (const NamedTensor& each : mean.mean()) {
      text += each.name + ":";
      for (const float x : each.tensor.values<float>()) text += fmt::format(" {}", x);
      text += "; ";
    }
  } catch (const Error& error) {
    return error.what();
  }
  return text;
}

Tensor floats(const std::vector<float>& values) {
  return Tensor::of<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(Average, IsTheMeanOfEachElement) {
  EXPECT_EQ(
      mean_text({{{"b", floats({1, 2})}, {"a", floats({-1})}}, {{"b", floats({2, 4})}, {"a", floats({3})}}}),
      "b: 1.5 3; a: 1; ");
  EXPECT_EQ(mean_text({{{"a", floats({0.1f})}}}), "a: 0.1; ");
}

TEST(Average, SumsInDouble) {
  // In f32, 1e8 + 1 - 1e8 would be 0.
  EXPECT_EQ(
      mean_text(
          {{{"a", floats({1e8f})}}, {{"a", floats({1})}}, {{"a", floats({-1e8f})}}, {{"a", floats({3})}}}),
      "a: 1; ");
}

TEST(Average, ModelsOfDifferentShapesAreErrors) {
  EXPECT_THAT(mean_text({}), HasSubstr("[average] there is nothing to average"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"a", floats({1})}, {"b", floats({1})}}}),
              HasSubstr("0 has 1 tensors and 1 has 2"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"a", floats({1, 2})}}}),
              HasSubstr("0 has a [1] where 1 has a [2]"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"b", floats({1})}}}),
              HasSubstr("0 has a [1] where 1 has b [1]"));
}

}  // namespace
}  // namespace fovea::train
