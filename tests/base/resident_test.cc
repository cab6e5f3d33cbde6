#include "fovea/base/resident.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

namespace fovea {
namespace {

TEST(Resident, ThePeakRemembersMemoryThatWasGivenBack) {
  constexpr int64_t kBytes = 64 << 20;
  const int64_t before = resident_bytes();
  EXPECT_GT(before, 0);
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  munmap(memory, kBytes);
  EXPECT_GE(resident_peak_bytes() - before, kBytes - (1 << 20));
  EXPECT_LT(resident_bytes() - before, kBytes / 2);
  if (reset_resident_peak()) {
    EXPECT_LT(resident_peak_bytes() - before, kBytes / 2);
  }
}

}  // namespace
}  // namespace fovea
