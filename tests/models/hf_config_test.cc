#include "fovea/models/hf_config.h"

#include <gtest/gtest.h>

#include "fovea/nn/feed_forward.h"

namespace fovea::models {
namespace {

TEST(HfConfig, NamesOfActivationsGoThereAndBack) {
  for (const std::string_view name : nn::activation_names())
    EXPECT_EQ(activation_from_hf(activation_to_hf(std::string(name))), name);
  EXPECT_EQ(activation_to_hf("gelu_tanh"), "gelu_new");
  EXPECT_EQ(activation_from_hf("swish"), "silu");
  EXPECT_THROW(activation_from_hf("mish"), Error);
}

}  // namespace
}  // namespace fovea::models
