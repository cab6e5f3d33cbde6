// Philox4x32-10 on vectors, the same bits as philox() of base/random.h.
// Include it after "hwy/highway.h" in a file compiled once for each target.
#if defined(FOVEA_KERNELS_PHILOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_KERNELS_PHILOX_INL_H_
#undef FOVEA_KERNELS_PHILOX_INL_H_
#else
#define FOVEA_KERNELS_PHILOX_INL_H_
#endif

#include <cstdint>

#include "fovea/base/random.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR

// Philox(seed, stream)(position, words) gives the four words of each lane's counter; counters are position +
// lane, whose low 32 bits must not wrap. Strided: counters are position + lane * step, and may wrap.
template <class DU>
class Philox {
 public:
  Philox(uint64_t seed, uint64_t stream) : seed_(seed), stream_(stream) {}

  HWY_INLINE void operator()(uint64_t position, hn::Vec<DU>* words) const {
    const auto x = philox(seed_, stream_, position);
    for (size_t w = 0; w < 4; ++w) words[w] = hn::Set(DU(), x[w]);
  }
  HWY_INLINE void Strided(uint64_t position, uint32_t, hn::Vec<DU>* words) const { (*this)(position, words); }

 private:
  uint64_t seed_, stream_;
};

#else

// Half of the lanes, each in the low 32 bits of a 64-bit lane; the upper bits are whatever they are.
template <class V>
struct PhiloxHalf {
  V x0, x1, x2, x3;

  HWY_INLINE void Round(V key0, V key1) {
    const hn::DFromV<V> d64;
    const hn::Repartition<uint32_t, decltype(d64)> d32;
    auto product = [&](V x, uint32_t by)
                       HWY_ATTR { return hn::MulEven(hn::BitCast(d32, x), hn::Set(d32, by)); };
    const V a = product(x0, 0xD2511F53), b = product(x2, 0xCD9E8D57);
    x0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(b), x1), key0);
    x2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(a), x3), key1);
    x1 = b;
    x3 = a;
  }
};

template <class DU>
class Philox {
 public:
  Philox(uint64_t seed, uint64_t stream) : stream_(stream) {
    auto key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
    for (size_t round = 0; round < 10; ++round) {
      hn::Store(hn::Set(D64(), key0), D64(), keys_ + 2 * round * kLanes);
      hn::Store(hn::Set(D64(), key1), D64(), keys_ + (2 * round + 1) * kLanes);
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
  }

  HWY_INLINE void operator()(uint64_t position, hn::Vec<DU>* words) const {
    Run(hn::Iota(DU(), static_cast<uint32_t>(position)), hn::Set(DU(), static_cast<uint32_t>(position >> 32)),
        words);
  }

  HWY_INLINE void Strided(uint64_t position, uint32_t step, hn::Vec<DU>* words) const {
    const DU du;
    const auto first = hn::Set(du, static_cast<uint32_t>(position));
    const auto low = hn::Add(first, hn::Mul(hn::Iota(du, 0), hn::Set(du, step)));
    const auto high = hn::Set(du, static_cast<uint32_t>(position >> 32));
    // A lane whose low half is less than the first one's has wrapped, once.
    Run(low, hn::IfThenElse(hn::Lt(low, first), hn::Add(high, hn::Set(du, 1)), high), words);
  }

 private:
  HWY_INLINE void Run(hn::Vec<DU> low, hn::Vec<DU> high, hn::Vec<DU>* words) const {
    const D64 d64;
    const DU du;
    const auto low64 = hn::BitCast(d64, low), high64 = hn::BitCast(d64, high);
    const auto low_stream = hn::Set(d64, stream_ & 0xFFFFFFFF), high_stream = hn::Set(d64, stream_ >> 32);
    PhiloxHalf<V64> even{low64, high64, low_stream, high_stream};
    PhiloxHalf<V64> odd{hn::ShiftRight<32>(low64), hn::ShiftRight<32>(high64), low_stream, high_stream};
    for (size_t round = 0; round < 10; ++round) {
      const V64 key0 = hn::Load(d64, keys_ + 2 * round * kLanes),
                key1 = hn::Load(d64, keys_ + (2 * round + 1) * kLanes);
      even.Round(key0, key1);
      odd.Round(key0, key1);
    }
    auto join = [&](V64 e, V64 o) HWY_ATTR {
      return hn::OddEven(hn::BitCast(du, hn::ShiftLeft<32>(o)), hn::BitCast(du, e));
    };
    words[0] = join(even.x0, odd.x0);
    words[1] = join(even.x1, odd.x1);
    words[2] = join(even.x2, odd.x2);
    words[3] = join(even.x3, odd.x3);
  }

  using D64 = hn::Repartition<uint64_t, DU>;
  using V64 = hn::Vec<D64>;
  static constexpr size_t kLanes = hn::MaxLanes(D64());

  uint64_t stream_;
  HWY_ALIGN uint64_t keys_[20 * kLanes];  // the keys of each round, one in every lane
};

#endif

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
