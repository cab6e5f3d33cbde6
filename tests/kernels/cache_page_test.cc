#include "fovea/kernels/cache_page.h"

#include <cmath>
#include <cstring>

#include "fovea/base/half.h"
#include "tests/kernels/simd_twins.h"

namespace fovea::kernels {
namespace {

using namespace fovea::testing;

// Pages of exactly the bytes they need, a few elements after the start of their memory.
class Pages {
 public:
  Pages(int64_t count, const CacheRows& rows, int64_t shift)
      : bytes_(static_cast<size_t>(rows.offset * bytes_of(rows.type) + rows.page_bytes())),
        shift_(static_cast<size_t>(shift * bytes_of(rows.type))) {
    for (int64_t p = 0; p < count; ++p) {
      memory_.emplace_back(bytes_ + shift_, uint8_t{0xff});  // every element is NaN
      pages_.push_back(memory_.back().data() + shift_);
    }
  }
  void* const* data() { return pages_.data(); }
  const void* const* read() const { return pages_.data(); }
  bool operator==(const Pages& other) const { return memory_ == other.memory_; }

 private:
  size_t bytes_, shift_;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<void*> pages_;
};

TEST(CachePage, TokensAreWrittenAndReadAsThePlainLoopsDo) {
  struct Tokens {
    int64_t begin, end;
  };
  for_each_simd_target([] {
    Random random(1);
    for (const CacheType type : {CacheType::kF32, CacheType::kF16})
      for (const auto& [heads, width] :
           {std::pair<int64_t, int64_t>{1, 1}, {3, 5}, {2, 16}, {1, 64}, {3, 67}})
        for (const auto& [begin, end] :
             {Tokens{0, 0}, {0, 1}, {63, 64}, {5, 6}, {3, 20}, {60, 70}, {0, 64}, {64, 128}, {7, 250}}) {
          SCOPED_TRACE(::testing::Message() << "f16 " << (type == CacheType::kF16) << ", " << heads << " x "
                                            << width << ", tokens " << begin << " to " << end);
          const CacheRows rows{.type = type, .heads = heads, .width = width, .offset = random.below(4)};
          const int64_t shift = random.below(4), stride = heads * width + random.below(3), n = end - begin;
          Guarded x(n * stride, shift);
          x.fill(Numbers::kNormal, 2);
          Pages got(4, rows, shift), want(4, rows, shift);
          for (const bool keys : {true, false}) {
            (keys ? write_cached_keys : write_cached_values)(rows, got.data(), begin, end, x.data(), stride);
            (keys ? ref::write_cached_keys : ref::write_cached_values)(rows, want.data(), begin, end,
                                                                       x.data(), stride);
            ASSERT_TRUE(got == want);
            Guarded y(n * stride, 1, 5.0f), plain(n * stride, 2, 5.0f);
            (keys ? read_cached_keys : read_cached_values)(rows, got.read(), begin, end, y.data(), stride);
            (keys ? ref::read_cached_keys : ref::read_cached_values)(rows, got.read(), begin, end,
                                                                     plain.data(), stride);
            ASSERT_TRUE(same_numbers(y, plain, 0, 0));
            for (int64_t t = 0; t < n; ++t)
              for (int64_t c = 0; c < heads * width; ++c)
                ASSERT_EQ(y.data()[t * stride + c],
                          type == CacheType::kF32 ? x.data()[t * stride + c]
                                                  : half_to_float(float_to_half(x.data()[t * stride + c])));
          }
        }
  });
}

TEST(CachePage, EveryHalfIsReadExactly) {
  const CacheRows rows{.type = CacheType::kF16, .heads = 1, .width = 65536 / kCachePage};
  std::vector<uint16_t> page(65536);
  for (size_t i = 0; i < page.size(); ++i) page[i] = static_cast<uint16_t>(i);
  const void* pages[] = {page.data()};
  for_each_simd_target([&] {
    std::vector<float> got(65536), want(65536);
    read_cached_values(rows, pages, 0, kCachePage, got.data(), rows.width);
    for (size_t i = 0; i < page.size(); ++i) want[i] = half_to_float(page[i]);
    EXPECT_TRUE(same_numbers(got, want, 0, 0));
  });
}

TEST(CachePage, HalvesAreRoundedToTheNearestAndTiesToEven) {
  std::vector<float> x = {0.0f,
                          -0.0f,
                          65519.0f,
                          65520.0f,
                          -65520.0f,
                          1e30f,
                          std::ldexp(1.0f, -25),
                          1e-40f,
                          std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  for (uint32_t half = 0; half < 0x7c00;
       ++half) {  // each half, the middle to the next one, and both sides of it
    const float a = half_to_float(static_cast<uint16_t>(half)),
                b = half_to_float(static_cast<uint16_t>(half + 1));
    const float middle = half + 1 < 0x7c00 ? (a + b) / 2 : 65520.0f;
    for (const float y : {a, middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e9f)})
      x.insert(x.end(), {y, -y});
  }
  x.resize((x.size() + kCachePage - 1) / kCachePage * kCachePage);
  const CacheRows rows{
      .type = CacheType::kF16, .heads = 1, .width = static_cast<int64_t>(x.size()) / kCachePage};
  for_each_simd_target([&] {
    std::vector<uint16_t> page(x.size());
    void* pages[] = {page.data()};
    write_cached_values(rows, pages, 0, kCachePage, x.data(), rows.width);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(page[i], float_to_half(x[i])) << x[i];
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const CacheRows one{.type = CacheType::kF16};
    write_cached_values(one, pages, 0, 1, &nan, 1);
    EXPECT_TRUE(std::isnan(half_to_float(page[0])));
  });
}

}  // namespace
}  // namespace fovea::kernels
