// A hash table from 64-bit keys to values, in one block of memory: a lookup touches one or two lines of the cache.
#pragma once

#include <cstdint>
#include <vector>

namespace fovea::data {

template <typename Value>
class FlatTable {
 public:
  explicit FlatTable(size_t expected = 0) { resize(expected); }

  // Null where there is none.
  const Value* find(uint64_t key) const {
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return &slots_[i].value;
      if (slots_[i].key == kNone) return nullptr;
    }
  }
  // The value of the key; a new one where there was none. Good until the next call. No key is 2^64 - 1.
  Value& at(uint64_t key) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    for (size_t i = place(key);; i = (i + 1) & mask_) {
      if (slots_[i].key == key) return slots_[i].value;
      if (slots_[i].key != kNone) continue;
      ++size_;
      slots_[i].key = key;
      return slots_[i].value;
    }
  }
  size_t size() const { return size_; }

  // Calls f(key, value) for all, in no particular order.
  template <typename F>
  void for_each(F&& f) const {
    for (const Slot& slot : slots_)
      if (slot.key != kNone) f(slot.key, slot.value);
  }

 private:
  static constexpr uint64_t kNone = ~uint64_t{0};
  struct Slot {
    uint64_t key = kNone;
    Value value{};
  };

  size_t place(uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15u >> 32 ^ key) * 0xD6E8FEB86659FD93u >> 20 & mask_;
  }
  void resize(size_t expected) {
    size_t slots = 16;
    while (slots < 2 * expected) slots *= 2;
    slots_.assign(slots, {});
    mask_ = slots - 1;
    size_ = 0;
  }
  void grow() {
    std::vector<Slot> old = std::move(slots_);
    resize(old.size());
    for (Slot& slot : old)
      if (slot.key != kNone) at(slot.key) = std::move(slot.value);
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0, size_ = 0;
};

}  // namespace fovea::data
