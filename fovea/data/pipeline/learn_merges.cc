#include "fovea/data/pipeline/learn_merges.h"

#include <algorithm>
#include <queue>

#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/flat_table.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

constexpr int32_t kAll = -1;
constexpr size_t kLongest =
    1024;  // characters of a word that are looked at together: each merge reads a word again

struct Pair {
  int64_t count = 0;
  std::vector<int32_t> words;  // where it is, or was; one may be there twice
};

struct Candidate {
  int64_t count;
  uint64_t pair;
  // The greatest comes first.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.count != b.count ? a.count < b.count : a.pair > b.pair;
  }
};

uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
}

struct Word {
  std::vector<int32_t> ids;
  int64_t count;
};

class Learner {
 public:
  Learner(const WordCounts& words, const LearnOptions& options) : options_(options) {
    for (const std::string& piece : options.first) id_of(piece);
    add_characters(words);
    for (const auto& [word, count] : words) add_word(word, count);
    for (size_t w = 0; w < words_.size(); ++w) count_pairs(static_cast<int32_t>(w), 1, kAll);
    pairs_.for_each([&](uint64_t key, const Pair& pair) { queue_.push({pair.count, key}); });
    touched_.clear();
  }

  LearnedPieces learn() {
    while (static_cast<int64_t>(found_.pieces.size()) < options_.size && !queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      Pair& pair = pairs_.at(top.pair);
      if (pair.count !=
          top.count) {  // it has become rarer since it was queued, or more frequent and is queued again
        if (pair.count > 0 && pair.count < top.count) queue_.push({pair.count, top.pair});
        continue;
      }
      if (pair.count > 0) merge(top.pair, std::move(pair.words));
    }
    return std::move(found_);
  }

 private:
  int32_t id_of(const std::string& piece) {
    const auto [found, fresh] = ids_.try_emplace(piece, static_cast<int32_t>(found_.pieces.size()));
    if (fresh) found_.pieces.push_back(piece);
    return found->second;
  }

  // The most frequent characters, in the order of their codes. They take half of the room at most: the other half is for merges.
  void add_characters(const WordCounts& words) {
    std::unordered_map<uint64_t, int64_t> counts;  // by 2^32 (with a mark) + code
    for (const auto& [word, count] : words)
      for (size_t at = 0; at < word.size();) {
        const uint64_t inside = at > 0 && !options_.mark.empty() ? uint64_t{1} << 32 : 0;
        counts[inside | next_code(word, at)] += count;
      }
    std::vector<std::pair<uint64_t, int64_t>> order;
    for (const auto& [code, count] : counts)
      if (!ids_.contains(text_of(code))) order.emplace_back(code, count);
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    const auto room =
        static_cast<size_t>(std::max<int64_t>(0, options_.size - static_cast<int64_t>(ids_.size())));
    order.resize(std::min(order.size(), (room + 1) / 2));
    std::sort(order.begin(), order.end());
    for (const auto& [code, count] : order) id_of(text_of(code));
  }
  std::string text_of(uint64_t code) const {
    std::string text = code >> 32 != 0 ? options_.mark : "";
    append_utf8(text, static_cast<uint32_t>(code));
    return text;
  }

  void add_word(std::string_view word, int64_t count) {
    std::vector<int32_t> ids;
    const auto flush = [&] {
      if (ids.size() > 1) words_.push_back({ids, count});
      ids.clear();
    };
    for (size_t at = 0; at < word.size();) {
      const size_t from = at;
      next_code(word, at);
      const auto found =
          ids_.find((from > 0 ? options_.mark : "") + std::string(word.substr(from, at - from)));
      if (found == ids_.end() || ids.size() == kLongest) flush();
      if (found != ids_.end()) ids.push_back(found->second);
    }
    flush();
  }

  // Adds the pairs of a word to the counts, `sign` times its own count. Pairs with the piece `fresh` are there for the first time
  // (kAll: every pair is).
  void count_pairs(int32_t w, int sign, int32_t fresh) {
    const Word& word = words_[static_cast<size_t>(w)];
    for (size_t i = 0; i + 1 < word.ids.size(); ++i) {
      const uint64_t key = pair_key(word.ids[i], word.ids[i + 1]);
      Pair& pair = pairs_.at(key);
      pair.count += sign * word.count;
      if (sign < 0 || (fresh != kAll && word.ids[i] != fresh && word.ids[i + 1] != fresh)) continue;
      if (pair.words.empty() || pair.words.back() != w) pair.words.push_back(w);
      touched_.push_back(key);
    }
  }

  void merge(uint64_t key, std::vector<int32_t> where) {
    const auto left = static_cast<int32_t>(key >> 32), right = static_cast<int32_t>(key & 0xFFFFFFFF);
    const std::string end = found_.pieces[static_cast<size_t>(right)];
    const bool marked = !options_.mark.empty() && end.starts_with(options_.mark);
    const int32_t both =
        id_of(found_.pieces[static_cast<size_t>(left)] + (marked ? end.substr(options_.mark.size()) : end));
    found_.merges.emplace_back(left, right);
    std::sort(where.begin(), where.end());
    where.erase(std::unique(where.begin(), where.end()), where.end());
    touched_.clear();
    for (const int32_t w : where) {
      std::vector<int32_t>& ids = words_[static_cast<size_t>(w)].ids;
      count_pairs(w, -1, both);
      size_t to = 0;
      for (size_t i = 0; i < ids.size(); ++to) {
        const bool fits = i + 1 < ids.size() && ids[i] == left && ids[i + 1] == right;
        ids[to] = fits ? both : ids[i];
        i += fits ? 2 : 1;
      }
      ids.resize(to);
      count_pairs(w, 1, both);
    }
    // Pairs with the new piece are new, or more frequent than before; others are at most as frequent.
    std::sort(touched_.begin(), touched_.end());
    touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
    for (const uint64_t pair : touched_) queue_.push({pairs_.at(pair).count, pair});
  }

  const LearnOptions& options_;
  LearnedPieces found_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<Word> words_;
  FlatTable<Pair> pairs_;
  std::priority_queue<Candidate> queue_;
  std::vector<uint64_t> touched_;
};

}  // namespace

LearnedPieces learn_merges(const WordCounts& words, const LearnOptions& options) {
  return Learner(words, options).learn();
}

}  // namespace fovea::data
