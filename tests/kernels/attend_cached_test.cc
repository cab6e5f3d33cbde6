#include "fovea/kernels/attend_cached.h"

#include <cmath>

#include "fovea/base/parallel.h"
#include "tests/kernels/simd_twins.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  int64_t queries, H, Gk, Gv, D, M;
  CachedScore score;
  CacheType type;
  std::vector<int32_t> first, last;
  bool bias, factor, hard, weights;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  out << c.queries << " queries, H " << c.H << " Gk " << c.Gk << " Gv " << c.Gv << " D " << c.D << " M "
      << c.M << " score " << static_cast<int>(c.score) << " f16 " << (c.type == CacheType::kF16) << " bias "
      << c.bias << " factor " << c.factor << " hard " << c.hard << " weights " << c.weights << ", tokens";
  for (size_t i = 0; i < c.last.size(); ++i) out << ' ' << c.first[i] << ".." << c.last[i];
  return out;
}

// The inputs of a case. Every query has pages of its own, or shares those of the one before; they end where they have to, and what no
// query sees is NaN.
class Inputs {
 public:
  Inputs(const Case& c, uint64_t seed) : case_(c), random_(seed) {
    const int64_t shift = random_.below(4);
    a_.queries = c.queries;
    a_.H = c.H;
    a_.score = c.score;
    a_.hard = c.hard;
    a_.scale = 0.7f / std::sqrt(static_cast<float>(c.D));
    a_.keys = {.type = c.type, .heads = c.Gk, .width = c.D, .offset = 0};
    a_.values = {.type = c.type, .heads = c.Gv, .width = c.M, .offset = c.Gk * c.D * kCachePage};
    a_.q_stride = c.H * c.D + random_.below(4);
    q_ = numbers(c.queries * a_.q_stride);
    a_.u_stride = random_.below(2) * c.D;
    u_ = numbers(c.H * c.D);
    longest_ = *std::max_element(c.last.begin(), c.last.end());
    memory_.reserve(static_cast<size_t>(c.queries * (longest_ / kCachePage + 1)));
    for (int64_t i = 0; i < c.queries; ++i) add_pages(c.last[static_cast<size_t>(i)], shift);
    for (const auto& pages : pages_) tables_.push_back(pages.data());
    bias_ = rows(c.bias,
                 [this] { return random_.below(5) == 0 ? -kInf : 2 * static_cast<float>(random_.normal()); });
    factor_ = rows(c.factor, [this] { return random_.uniform(0, 1); });
    a_.q = q_.data();
    a_.u = u_.data();
    a_.key_pages = a_.value_pages = tables_.data();
    a_.first = c.first.data();
    a_.last = c.last.data();
    a_.bias_stride = a_.factor_stride = longest_;
    a_.out_stride = c.H * c.M + 3;
    a_.weights_stride = longest_ + 2;
    point();
  }

  // Query i, head h, token j.
  float& bias(int64_t i, int64_t h, int64_t j) {
    return bias_[static_cast<size_t>(i)][static_cast<size_t>(h * longest_ + j)];
  }
  void spoil(int64_t i, int64_t j) {
    const std::vector<float> nan(static_cast<size_t>(case_.H * std::max(case_.D, case_.M)), kNan);
    void* const* pages = pages_[static_cast<size_t>(i)].data();
    write_cached_keys(a_.keys, pages, j, j + 1, nan.data(), 0);
    write_cached_values(a_.values, pages, j, j + 1, nan.data(), 0);
  }
  AttendCached& kernel() { return a_; }

 private:
  std::vector<float> numbers(int64_t n) {
    std::vector<float> x(static_cast<size_t>(n));
    for (float& v : x) v = static_cast<float>(random_.normal());
    return x;
  }
  template <typename F>
  std::vector<std::vector<float>> rows(bool wanted, F&& f) {
    std::vector<std::vector<float>> all(static_cast<size_t>(case_.queries));
    for (auto& row : all) {
      if (!wanted || random_.below(4) == 0) continue;
      row.resize(static_cast<size_t>(case_.H * longest_));
      for (float& x : row) x = f();
    }
    return all;
  }
  void add_pages(int64_t tokens, int64_t shift) {
    std::vector<void*>& pages = pages_.emplace_back();
    const int64_t size = bytes_of(case_.type), bytes = a_.keys.page_bytes() + a_.values.page_bytes();
    for (int64_t p = 0; p * kCachePage < tokens; ++p) {
      memory_.emplace_back(static_cast<size_t>(shift * size + bytes), uint8_t{0xff});
      pages.push_back(memory_.back().data() + shift * size);
    }
    const int64_t stride = std::max(case_.Gk * case_.D, case_.Gv * case_.M);
    const std::vector<float> x = numbers(tokens * stride), y = numbers(tokens * stride);
    ref::write_cached_keys(a_.keys, pages.data(), 0, tokens, x.data(), stride);
    ref::write_cached_values(a_.values, pages.data(), 0, tokens, y.data(), stride);
    if (pages_.size() > 1 && random_.below(2) == 0 && pages_[pages_.size() - 2].size() >= pages.size() &&
        case_.last[pages_.size() - 2] >= tokens)
      pages = {pages_[pages_.size() - 2].begin(),
               pages_[pages_.size() - 2].begin() + static_cast<int64_t>(pages.size())};
  }
  void point() {
    for (size_t i = 0; i < bias_.size(); ++i) {
      bias_at_.push_back(bias_[i].empty() ? nullptr : bias_[i].data());
      factor_at_.push_back(factor_[i].empty() ? nullptr : factor_[i].data());
    }
    a_.bias = case_.bias ? bias_at_.data() : nullptr;
    a_.factor = case_.factor ? factor_at_.data() : nullptr;
  }

  const Case case_;
  Random random_;
  AttendCached a_;
  int64_t longest_ = 0;
  std::vector<float> q_, u_;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<std::vector<void*>> pages_;
  std::vector<const void* const*> tables_;
  std::vector<std::vector<float>> bias_, factor_;
  std::vector<const float*> bias_at_, factor_at_;
};

// What a call leaves: out, and the weights where they are wanted.
struct Result {
  Result(const AttendCached& a, bool wants_weights, void (*run)(const AttendCached&), int64_t offset = 0)
      : out(a.queries * a.out_stride, offset, 77.0f),
        weights(wants_weights ? a.queries * a.H * a.weights_stride : 0, offset + 1, 77.0f) {
    AttendCached call = a;
    call.out = out.data();
    call.weights = wants_weights ? weights.data() : nullptr;
    run(call);
  }
  Guarded out, weights;
};

Case random_case(Random& random) {
  const auto pick = [&](std::initializer_list<int64_t> from) {
    return from.begin()[random.below(static_cast<int64_t>(from.size()))];
  };
  Case c;
  c.queries = pick({1, 1, 2, 5});
  c.H = pick({1, 2, 3, 4, 6, 9, 12, 14});
  const auto divisor = [&] {
    int64_t g = 1 + random.below(c.H);
    while (c.H % g != 0) --g;
    return g;
  };
  c.Gv = divisor();
  c.Gk = random.below(3) == 0 ? divisor() : random.below(2) ? c.H : c.Gv;
  c.D = pick({1, 3, 8, 16, 33, 64});
  c.M = pick({1, 5, 16, 23, 64, 70, 100});
  c.score = static_cast<CachedScore>(random.below(3));
  c.type = random.below(2) ? CacheType::kF32 : CacheType::kF16;
  for (int64_t i = 0; i < c.queries; ++i) {
    c.last.push_back(
        static_cast<int32_t>(pick({1, 2, 7, 63, 64, 65, 130, 256, 257, 520, 700}) - random.below(2)));
    c.first.push_back(random.below(2) ? 0 : static_cast<int32_t>(random.below(c.last.back() + 1)));
  }
  c.bias = random.below(2);
  c.factor = random.below(4) == 0;
  c.hard = random.below(4) == 0;
  c.weights = random.below(2);
  return c;
}

TEST(AttendCached, IsItsPlainTwin) {
  for_each_simd_target([] {
    for (uint64_t seed = 0; seed < 150; ++seed) {
      Random random(seed);
      const Case c = random_case(random);
      SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << c);
      Inputs inputs(c, seed);
      const Result got(inputs.kernel(), c.weights, attend_cached, random.below(4)),
          want(inputs.kernel(), c.weights, ref::attend_cached);
      ASSERT_TRUE(same_numbers(got.out, want.out, 1e-5, 1e-5));
      ASSERT_TRUE(same_numbers(got.weights, want.weights, 2e-5, 1e-7));
    }
  });
}

// One query of a call by itself.
AttendCached only(AttendCached a, int64_t i) {
  a.queries = 1;
  a.q += i * a.q_stride;
  a.key_pages += i;
  a.value_pages += i;
  a.first += i;
  a.last += i;
  if (a.bias) a.bias += i;
  if (a.factor) a.factor += i;
  return a;
}

TEST(AttendCached, AQueryHasTheSameBitsInAnyCompanyAndOnAnyNumberOfThreads) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed, 1);
    Case c = random_case(random);
    c.queries = 5;
    c.last = {700, 3, 300, 0, 257};
    c.first = {0, 1, 250, 0, 0};
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ": " << c);
    Inputs inputs(c, seed);
    set_threads(1);
    const Result all(inputs.kernel(), true, attend_cached);
    set_threads(2);
    const Result threaded(inputs.kernel(), true, attend_cached);
    set_threads(0);
    ASSERT_TRUE(same_numbers(threaded.out, all.out, 0, 0));
    ASSERT_TRUE(same_numbers(threaded.weights, all.weights, 0, 0));
    for (int64_t i = 0; i < c.queries; ++i) {
      const AttendCached a = only(inputs.kernel(), i);
      const Result one(a, true, attend_cached, i % 4);
      const auto n = static_cast<size_t>(a.out_stride), w = static_cast<size_t>(a.H * a.weights_stride);
      ASSERT_TRUE(same_numbers(one.out.span(), all.out.span().subspan(static_cast<size_t>(i) * n, n), 0, 0));
      ASSERT_TRUE(
          same_numbers(one.weights.span(), all.weights.span().subspan(static_cast<size_t>(i) * w, w), 0, 0));
    }
  }
}

Case plain(std::vector<int32_t> last) {
  Case c{.queries = static_cast<int64_t>(last.size()),
         .H = 6,
         .Gk = 3,
         .Gv = 3,
         .D = 20,
         .M = 24,
         .score = CachedScore::kDot,
         .type = CacheType::kF32,
         .first = {},
         .last = last,
         .bias = false,
         .factor = false,
         .hard = false,
         .weights = true};
  c.first.assign(last.size(), 0);
  return c;
}

TEST(AttendCached, NothingOfAHiddenTokenIsRead) {
  for_each_simd_target([] {
    for (const bool hard : {false, true}) {
      const Case c = plain({300});
      Inputs inputs(c, 1);
      std::vector<float> bias(static_cast<size_t>(c.H * 300), 0.0f);
      for (const int64_t j : {0, 17, 255, 256, 299})
        for (int64_t h = 0; h < c.H; ++h) bias[static_cast<size_t>(h * 300 + j)] = -kInf;
      const float* rows[] = {bias.data()};
      inputs.kernel().bias = rows;
      inputs.kernel().hard = hard;
      const Result before(inputs.kernel(), true, attend_cached);
      for (const int64_t j : {0, 17, 255, 256, 299}) inputs.spoil(0, j);
      const Result after(inputs.kernel(), true, attend_cached),
          plainly(inputs.kernel(), true, ref::attend_cached);
      EXPECT_TRUE(same_numbers(after.out, before.out, 0, 0));
      EXPECT_TRUE(same_numbers(after.weights, before.weights, 0, 0));
      EXPECT_TRUE(same_numbers(after.out, plainly.out, 1e-5, 1e-5));
    }
  });
}

TEST(AttendCached, AQueryThatSeesNothingReadsZeros) {
  for_each_simd_target([] {
    for (const bool hard : {false, true}) {
      Case c = plain({0, 300, 70});
      c.first = {0, 300, 0};
      Inputs inputs(c, 2);
      const std::vector<float> hidden(static_cast<size_t>(c.H * 300), -kInf);
      const float* rows[] = {nullptr, nullptr, hidden.data()};
      inputs.kernel().bias = rows;
      inputs.kernel().hard = hard;
      const Result r(inputs.kernel(), true, attend_cached);
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t k = 0; k < c.H * c.M; ++k)
          ASSERT_EQ(r.out.data()[i * inputs.kernel().out_stride + k], 0);
        for (int64_t h = 0; h < c.H; ++h)
          for (int64_t j = 0; j < c.last[static_cast<size_t>(i)]; ++j)
            ASSERT_EQ(r.weights.data()[(i * c.H + h) * inputs.kernel().weights_stride + j], 0);
      }
    }
  });
}

TEST(AttendCached, ABiasOfMinusABillionEverywhereIsASoftmaxAllTheSame) {
  Case c = plain({600});
  c.score = CachedScore::kGiven;
  Inputs inputs(c, 3);
  const std::vector<float> far(static_cast<size_t>(c.H * 600), -1e9f);
  const float* rows[] = {far.data()};
  inputs.kernel().bias = rows;
  const Result r(inputs.kernel(), true, attend_cached);
  for (int64_t j = 0; j < 600; ++j) ASSERT_NEAR(r.weights.data()[j], 1.0 / 600, 1e-9);
}

TEST(AttendCached, HardWeightsTakeTheFirstOfEqualScores) {
  Case c = plain({600});
  c.score = CachedScore::kGiven;
  c.hard = true;
  Inputs inputs(c, 4);
  std::vector<float> scores(static_cast<size_t>(c.H * 600), -1.0f);
  for (const int64_t j : {259, 300, 511, 599}) scores[static_cast<size_t>(600 + j)] = 2;  // of head 1
  const float* rows[] = {scores.data()};
  inputs.kernel().bias = rows;
  const Result r(inputs.kernel(), true, attend_cached);
  const float* weights = r.weights.data();
  const int64_t stride = inputs.kernel().weights_stride;
  for (int64_t j = 0; j < 600; ++j) {
    EXPECT_EQ(weights[j], j == 0);
    EXPECT_EQ(weights[stride + j], j == 259);
  }
}

TEST(AttendCached, NanInWhatAQuerySeesIsNanInItsResultAlone) {
  for_each_simd_target([] {
    for (const bool hard : {false, true}) {
      Case c = plain({300, 300});
      Inputs inputs(c, 5);
      std::vector<float> bias(static_cast<size_t>(c.H * 300), 0.0f);
      bias[290] = kNan;  // of head 0
      const float* rows[] = {nullptr, bias.data()};
      inputs.kernel().bias = rows;
      inputs.kernel().hard = hard;
      const Result r(inputs.kernel(), true, attend_cached);
      const int64_t stride = inputs.kernel().out_stride;
      for (int64_t k = 0; k < c.H * c.M; ++k) {
        ASSERT_FALSE(std::isnan(r.out.data()[k]));
        ASSERT_EQ(std::isnan(r.out.data()[stride + k]), k < c.M) << k;
      }
    }
  });
}

}  // namespace
}  // namespace fovea::kernels
