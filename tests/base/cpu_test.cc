#include "fovea/base/cpu.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fovea/base/error.h"

namespace fovea {
namespace {

const std::vector<std::string> kNames = {"portable", "sse4", "avx2", "avx512"};

size_t level(const std::string& name) {
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return i;
  ADD_FAILURE() << name << " is no kind of SIMD";
  return 0;
}

TEST(Simd, ALimitIsObeyedAndLiftedAgain) {
  limit_simd("");
  const size_t best = level(simd_name());
  for (size_t limit = 0; limit < kNames.size(); ++limit) {
    limit_simd(kNames[limit]);
    EXPECT_LE(level(simd_name()), limit) << kNames[limit];  // less where a build leaves a kind out
    if (limit == 0 || limit >= best) {
      EXPECT_EQ(level(simd_name()), std::min(best, limit)) << kNames[limit];
    }
  }
  limit_simd("");
  EXPECT_EQ(level(simd_name()), best);
}

TEST(Simd, TheEnvironmentSetsTheLimit) {
  limit_simd("");
  const char* before = std::getenv("FOVEA_SIMD");
  const std::string kept = before ? before : "";
  setenv("FOVEA_SIMD", "portable", 1);
  limit_simd_by_environment();
  EXPECT_EQ(simd_name(), "portable");
  setenv("FOVEA_SIMD", kept.c_str(), 1);
  limit_simd_by_environment();
}

TEST(Simd, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  try {
    limit_simd("avx9");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "[simd] FOVEA_SIMD is \"avx9\": expected portable, sse4, avx2 or avx512");
  }
}

}  // namespace
}  // namespace fovea
