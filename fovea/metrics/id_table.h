// Numbers 0, 1, 2 ... for keys in the order in which they first appear: a hash table with open addressing whose
// memory is kept from one use to the next.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::metrics {

inline constexpr uint32_t kNoId = UINT32_MAX;

// Hash takes a Key and returns a uint64_t whose every bit depends on the key.
template <typename Key, typename Hash>
class IdTable {
 public:
  // Empty, with room for `most` keys.
  void clear(size_t most) {
    const size_t wanted = std::bit_ceil(2 * most + 2);
    if (slots_.size() < wanted || ++use_ == 0) {
      slots_.assign(std::max(wanted, slots_.size()), Slot{});
      use_ = 1;
    }
    size_ = 0;
  }
  uint32_t size() const { return size_; }

  uint32_t find_or_add(const Key& key) {
    Slot& slot = slots_[place(key)];
    if (slot.use != use_) slot = {key, size_++, use_};
    return slot.id;
  }
  // kNoId where it was never added.
  uint32_t find(const Key& key) const {
    const Slot& slot = slots_[place(key)];
    return slot.use == use_ ? slot.id : kNoId;
  }

 private:
  struct Slot {
    Key key{};
    uint32_t id = 0, use = 0;  // filled since the clear() with this number
  };

  size_t place(const Key& key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = Hash()(key) & mask;
    while (slots_[at].use == use_ && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;
  uint32_t size_ = 0, use_ = 0;
};

}  // namespace fovea::metrics
