// Strings with a number each, to find the longest one that a text begins with.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "fovea/data/pipeline/flat_table.h"

namespace fovea::data {

class ByteTrie {
 public:
  // Of a string that is given twice, the first number counts.
  void add(std::string_view text, int32_t number) {
    uint32_t node = 0;
    if (!text.empty()) first_[static_cast<unsigned char>(text[0])] = true;
    for (const char c : text) {
      uint32_t& next = next_.at(key(node, c));
      if (next == 0) {
        next = static_cast<uint32_t>(numbers_.size());
        numbers_.push_back(-1);
      }
      node = next;
    }
    if (numbers_[node] < 0) numbers_[node] = number;
  }

  struct Match {
    int32_t number = -1;  // -1: none
    size_t length = 0;
  };
  Match longest(std::string_view text) const {
    Match best{numbers_[0], 0};
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const uint32_t* next = next_.find(key(node, text[i]));
      if (next == nullptr) break;
      node = *next;
      if (numbers_[node] >= 0) best = {numbers_[node], i + 1};
    }
    return best;
  }
  // f(number, length) of every string that the text begins with, the shortest first.
  template <typename F>
  void for_each_prefix(std::string_view text, F&& f) const {
    uint32_t node = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const uint32_t* next = next_.find(key(node, text[i]));
      if (next == nullptr) return;
      node = *next;
      if (numbers_[node] >= 0) f(numbers_[node], i + 1);
    }
  }
  // Whether a string begins with this byte: what most places of a text can be passed over by.
  bool may_begin(char c) const { return first_[static_cast<unsigned char>(c)]; }

 private:
  static uint64_t key(uint32_t node, char c) { return uint64_t{node} << 8 | static_cast<unsigned char>(c); }

  FlatTable<uint32_t> next_;
  std::vector<int32_t> numbers_ = {-1};
  std::array<bool, 256> first_{};
};

}  // namespace fovea::data
