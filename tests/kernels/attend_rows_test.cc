#include "fovea/kernels/attend_rows.h"

#include "simd_twins.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

struct Case {
  int64_t queries, H, G, D;
  std::vector<int32_t> counts;
};

// Rows lie anywhere, and queries share some of them.
class Rows {
 public:
  Rows(const Case& c, uint64_t seed) : c_(c), random_(seed) {
    const int32_t most = *std::max_element(c.counts.begin(), c.counts.end());
    for (int32_t i = 0; i < most + 3; ++i) memory_.push_back(numbers(2 * c.G * c.D));
    for (const int32_t count : c.counts) {
      std::vector<const float*>& row = rows_.emplace_back();
      for (int32_t t = 0; t < count; ++t)
        row.push_back(memory_[static_cast<size_t>(random_.below(most + 3))].data());
    }
    for (const auto& row : rows_) at_.push_back(row.data());
    q_ = numbers(c.queries * stride());
  }
  int64_t stride() const { return c_.H * c_.D + 5; }
  AttendRows kernel(std::vector<float>& out, std::vector<float>* weights) const {
    AttendRows a;
    a.queries = c_.queries;
    a.H = c_.H;
    a.G = c_.G;
    a.D = c_.D;
    a.scale = 0.7f;
    a.q = q_.data();
    a.q_stride = stride();
    a.rows = at_.data();
    a.counts = c_.counts.data();
    out.assign(static_cast<size_t>(c_.queries * c_.H * c_.D), 77.0f);
    a.out = out.data();
    a.weights_stride = 40;
    if (weights) {
      weights->assign(static_cast<size_t>(c_.queries * c_.H * a.weights_stride), 77.0f);
      a.weights = weights->data();
    }
    return a;
  }

 private:
  std::vector<float> numbers(int64_t n) {
    std::vector<float> x(static_cast<size_t>(n));
    for (float& v : x) v = static_cast<float>(random_.normal());
    return x;
  }
  const Case& c_;
  Random random_;
  std::vector<std::vector<float>> memory_;
  std::vector<std::vector<const float*>> rows_;
  std::vector<const float* const*> at_;
  std::vector<float> q_;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {1, 1, 1, 1, {1}},
      {3, 4, 2, 5, {0, 1, 7}},
      {2, 6, 6, 16, {4, 5}},
      {4, 8, 1, 33, {31, 2, 9, 0}},
      {5, 2, 2, 64, {17, 3, 40, 40, 8}},
      {1, 12, 12, 64, {37}},
  };
  return list;
}

TEST(AttendRows, IsItsPlainTwin) {
  for_each_simd_target([] {
    for (size_t i = 0; i < cases().size(); ++i) {
      const Rows rows(cases()[i], i);
      std::vector<float> got, want, weights, want_weights;
      attend_rows(rows.kernel(got, &weights));
      ref::attend_rows(rows.kernel(want, &want_weights));
      for (size_t k = 0; k < want.size(); ++k)
        ASSERT_NEAR(got[k], want[k], 2e-5) << "case " << i << " at " << k;
      for (size_t k = 0; k < want_weights.size(); ++k)
        ASSERT_NEAR(weights[k], want_weights[k], 2e-6) << "case " << i;
    }
  });
}

TEST(AttendRows, AQueryDependsOnNothingButItsOwnRows) {
  const Case& many = cases()[4];
  const Rows rows(many, 9);
  std::vector<float> all;
  attend_rows(rows.kernel(all, nullptr));
  for (int64_t i = 0; i < many.queries; ++i) {
    std::vector<float> one;
    AttendRows a = rows.kernel(one, nullptr);
    a.queries = 1;
    a.q += i * a.q_stride;
    a.rows += i;
    a.counts += i;
    attend_rows(a);
    for (int64_t k = 0; k < a.H * a.D; ++k)
      EXPECT_EQ(one[static_cast<size_t>(k)], all[static_cast<size_t>(i * a.H * a.D + k)]) << i;
  }
}

}  // namespace
}  // namespace fovea::kernels
