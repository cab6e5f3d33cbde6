#include "fovea/train/average.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"

namespace fovea::train {
namespace {

using ::testing::HasSubstr;

std::string bytes_of(const std::vector<NamedTensor>& tensors) {
  std::string bytes;
  write_safetensors(
      [&](std::span<const std::byte> part) {
        bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
      },
      "memory", tensors);
  return bytes;
}

// The mean of files "0", "1", ...; or what is wrong with them.
std::string mean_text(const std::vector<std::vector<NamedTensor>>& models) {
  std::vector<std::string> bytes, names;
  std::vector<Safetensors> files;
  for (const auto& model : models) {
    bytes.push_back(bytes_of(model));
    names.push_back(fmt::format("{}", names.size()));
  }
  for (size_t i = 0; i < bytes.size(); ++i)
    files.push_back(Safetensors::parse(std::as_bytes(std::span(bytes[i].data(), bytes[i].size())), names[i]));
  std::string text;
  try {
    for (const NamedTensor& each : mean_of(files, names)) {
      text += each.name + ":";
      for (const double x : each.tensor.to(DType::kF64).values<double>()) text += fmt::format(" {}", x);
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
      mean_text({{{"b", floats({1, 2})}, {"a", floats({-1})}}, {{"a", floats({3})}, {"b", floats({2, 4})}}}),
      "a: 1; b: 1.5 3; ");
  EXPECT_EQ(mean_text({{{"a", floats({0.1f})}}}), fmt::format("a: {}; ", double{0.1f}));
}

TEST(Average, SumsInDouble) {
  // In f32, 1e8 + 1 - 1e8 would be 0.
  EXPECT_EQ(
      mean_text(
          {{{"a", floats({1e8f})}}, {{"a", floats({1})}}, {{"a", floats({-1e8f})}}, {{"a", floats({3})}}}),
      "a: 1; ");
}

TEST(Average, CountersAreThoseOfTheFirst) {
  const auto counter = [](double n) { return Tensor::full({1}, n, DType::kI32); };
  EXPECT_EQ(mean_text({{{"n", counter(3)}}, {{"n", counter(8)}}}), "n: 3; ");
}

TEST(Average, ModelsOfDifferentShapesAreErrors) {
  EXPECT_THAT(mean_text({}), HasSubstr("[average] there is nothing to average"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"a", floats({1})}, {"b", floats({1})}}}),
              HasSubstr("0 has 1 tensors and 1 has 2"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"a", floats({1, 2})}}}),
              HasSubstr("0 has a F32 [1] where 1 has a F32 [2]"));
  EXPECT_THAT(mean_text({{{"a", floats({1})}}, {{"b", floats({1})}}}),
              HasSubstr("0 has a F32 [1] where 1 has b F32 [1]"));
}

}  // namespace
}  // namespace fovea::train
