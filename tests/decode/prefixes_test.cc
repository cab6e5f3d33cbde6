#include "fovea/decode/prefixes.h"

#include <gtest/gtest.h>

namespace fovea::testing {
namespace {

using Ids = std::vector<int32_t>;

TEST(Prefixes, HoldNoMoreThanWhatIsOwned) {
  decode::Prefixes prefixes;
  const run::Looked none;
  constexpr int32_t kNothing = decode::Prefixes::kNothing;
  const int32_t a = prefixes.extend(kNothing, 10, none), b = prefixes.extend(kNothing, 20, none);
  const int32_t aa = prefixes.extend(a, 11, none), ab = prefixes.extend(a, 12, none);
  prefixes.release(a);  // still part of the longer ones
  EXPECT_EQ(prefixes.size(), 4);
  prefixes.release(aa);
  EXPECT_EQ(prefixes.size(), 3);
  EXPECT_EQ(prefixes.tokens(ab), (Ids{10, 12}));
  prefixes.release(ab);
  EXPECT_EQ(prefixes.size(), 1);
  EXPECT_EQ(prefixes.tokens(b), Ids{20});
  int32_t last = b;
  for (int32_t i = 0; i < 1000; ++i) {  // two go on, one of them is given up each time
    const int32_t on = prefixes.extend(last, i, none), off = prefixes.extend(last, i, none);
    prefixes.release(off);
    prefixes.release(last);
    last = on;
  }
  EXPECT_EQ(prefixes.size(), 1001);
  prefixes.release(last);
  EXPECT_EQ(prefixes.size(), 0);
}

TEST(Prefixes, CarryWhatTheirOwnTokensSaw) {
  decode::Prefixes prefixes;
  const auto saw = [](double x) { return run::Looked{{run::Site::kCross, 0, Tensor::full({1, 1, 2}, x)}}; };
  const int32_t a = prefixes.extend(decode::Prefixes::kNothing, 1, saw(1));
  const int32_t b = prefixes.extend(a, 2, saw(2)), c = prefixes.extend(a, 3, saw(3));
  for (const auto& [node, want] : {std::pair(b, 2.0f), std::pair(c, 3.0f)}) {
    const std::vector<run::Looked> looks = prefixes.looks(node);
    ASSERT_EQ(looks.size(), 2u);
    EXPECT_EQ(looks[0][0].weights.data<float>()[0], 1);
    EXPECT_EQ(looks[1][0].weights.data<float>()[1], want);
  }
}

}  // namespace
}  // namespace fovea::testing
