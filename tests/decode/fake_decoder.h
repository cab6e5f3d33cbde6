// A decoder that is a table: the logits after a prefix are numbers drawn from (seed, source, prefix). Every search can then be
// compared with one that tries everything.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "fovea/base/random.h"
#include "fovea/run/session.h"

namespace fovea::testing {

using Ids = std::vector<int32_t>;

class FakeDecoder final : public run::Decoder {
 public:
  struct Options {
    int64_t vocabulary = 7;
    int64_t heads = 2;  // 0: it does not look
    float spread = 2;   // of the logits
    uint64_t seed = 1;
    // May change the logits of a prefix.
    std::function<void(const Ids& source, const Ids& prefix, std::vector<float>& logits)> edit = {};
    // May change the weights [H][S] with which it looks at the source.
    std::function<void(const Ids& source, const Ids& prefix, std::vector<float>& weights)> edit_look = {};
    bool reads_source = true;
    int64_t longest = 0, longest_source = 0;
    Ids ends = {data::kEos};
    data::SpecialIds ids = {};
  };

  explicit FakeDecoder(Options options) : o_(std::move(options)) {
    info_.reads_source = o_.reads_source;
    info_.source_vocab = 1000;
    info_.vocab = o_.vocabulary;
    info_.longest = o_.longest;
    info_.longest_source = o_.longest_source;
    info_.layers = o_.heads ? 2 : 0;
    info_.heads = o_.heads;
    info_.ids = o_.ids;
    info_.ends = o_.ends;
  }

  // Of the token after `prefix` (without the start token of a decoder that reads a source), for a source with its end.
  std::vector<float> logits(const Ids& source, const Ids& prefix) const {
    std::vector<float> x(static_cast<size_t>(o_.vocabulary));
    Random random(o_.seed, key(source, prefix, 1));
    for (float& v : x) v = o_.spread * random.normal();
    if (o_.edit) o_.edit(source, prefix, x);
    return x;
  }
  std::vector<double> log_probs_of(const Ids& source, const Ids& prefix) const {
    const std::vector<float> x = logits(source, prefix);
    double sum = 0;
    for (float v : x) sum += std::exp(static_cast<double>(v));
    std::vector<double> y;
    for (float v : x) y.push_back(static_cast<double>(v) - std::log(sum));
    return y;
  }
  // [H][keys] of a layer: each head's weights add up to 1. `site` 0: the source; 1: the sequence itself.
  std::vector<float> look(const Ids& source, const Ids& prefix, int64_t keys, uint64_t site = 0,
                          int64_t layer = 0) const {
    Random random(o_.seed, key(source, prefix, 2 + 10 * site + static_cast<uint64_t>(layer)));
    std::vector<float> w;
    for (int64_t h = 0; h < o_.heads; ++h) {
      std::vector<float> row;
      for (int64_t s = 0; s < keys; ++s) row.push_back(random.uniform() + 0.01f);
      const float sum = std::accumulate(row.begin(), row.end(), 0.0f);
      for (float v : row) w.push_back(v / sum);
    }
    if (o_.edit_look && site == 0) o_.edit_look(source, prefix, w);
    return w;
  }

  const Options& options() const { return o_; }
  mutable std::atomic<int64_t> steps = 0;      // taken so far
  mutable std::atomic<int64_t> most_rows = 0;  // tokens of the largest step

 protected:
  std::vector<std::shared_ptr<run::Source>> encode(std::span<const Ids> sources, run::Cache& cross,
                                                   const run::LookAt* at,
                                                   std::vector<run::Looked>* looked) const override {
    std::vector<std::shared_ptr<run::Source>> read;
    for (size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(sources[i].back(), o_.ids.eos);
      const auto length = static_cast<int64_t>(sources[i].size());
      read.push_back(std::make_shared<run::Source>(cross, length));
      read.back()->state.assign(sources[i].begin(), sources[i].end());
      if (at && at->encoder && looked)
        (*looked)[i].push_back({run::Site::kEncoder, 0, Tensor::full({o_.heads, length, length}, 0.5)});
    }
    return read;
  }

  // A sequence's state: the ids of its source, then those it was fed.
  Tensor step(const run::Step& step) const override {
    ++steps;
    most_rows = std::max<int64_t>(most_rows, step.rows());
    Tensor out = Tensor::empty({static_cast<int64_t>(step.wanted.size()), o_.vocabulary});
    size_t wanted = 0;
    for (size_t i = 0; i < step.states.size(); ++i) {
      run::State& state = *step.states[i];
      const auto split = state.source ? state.source->length : 0;
      const Ids source(state.state.begin(), state.state.begin() + split);
      Ids fed(state.state.begin() + split, state.state.end());
      EXPECT_EQ(static_cast<int64_t>(fed.size()), state.length);
      std::vector<Ids> rows;  // prefixes of the rows that are wanted
      for (int32_t row = step.starts[i]; row < step.starts[i + 1]; ++row) {
        const int32_t token = step.tokens[static_cast<size_t>(row)];
        EXPECT_TRUE(!o_.reads_source || (token == o_.ids.sos) == fed.empty());
        EXPECT_EQ(step.positions[static_cast<size_t>(row)], static_cast<int32_t>(fed.size()));
        fed.push_back(token);
        state.state.push_back(static_cast<float>(token));
        if (wanted >= step.wanted.size() || step.wanted[wanted] != row) continue;
        rows.emplace_back(fed.begin() + (o_.reads_source ? 1 : 0), fed.end());
        const std::vector<float> x = logits(source, rows.back());
        std::copy(x.begin(), x.end(), out.data<float>() + wanted * x.size());
        ++wanted;
      }
      if (step.looked && o_.heads) {
        if (step.at->cross && o_.reads_source) see(step, i, source, rows, run::Site::kCross, 0, 1, split);
        for (int64_t layer = 0; step.at->self && layer < 2; ++layer)
          see(step, i, source, rows, run::Site::kSelf, layer, 2, static_cast<int64_t>(fed.size()));
      }
    }
    return out;
  }

 private:
  void see(const run::Step& step, size_t i, const Ids& source, const std::vector<Ids>& rows, run::Site site,
           int64_t layer, int64_t depth, int64_t keys) const {
    if (!step.at->at(site, layer, depth)) return;
    const auto count = static_cast<int64_t>(rows.size());
    Tensor weights = Tensor::zeros({o_.heads, count, keys});
    for (int64_t r = 0; r < count; ++r) {
      const Ids& prefix = rows[static_cast<size_t>(r)];
      const int64_t own =
          site == run::Site::kCross ? keys : static_cast<int64_t>(prefix.size()) + (o_.reads_source ? 1 : 0);
      const std::vector<float> w = look(source, prefix, own, site == run::Site::kCross ? 0 : 1, layer);
      for (int64_t h = 0; h < o_.heads; ++h)
        std::copy_n(w.begin() + h * own, own, weights.data<float>() + (h * count + r) * keys);
    }
    (*step.looked)[i].push_back({site, layer, std::move(weights)});
  }

  static uint64_t key(const Ids& source, const Ids& prefix, uint64_t what) {
    uint64_t hash = what;
    for (int32_t id : source) hash = hash * 1000003 + static_cast<uint64_t>(id) + 17;
    hash *= 31;
    for (int32_t id : prefix) hash = hash * 1000033 + static_cast<uint64_t>(id) + 5;
    return hash;
  }

  Options o_;
};

// Sources of random tokens and lengths, without their end.
inline std::vector<Ids> random_sources(uint64_t seed, size_t count, int64_t longest = 9) {
  Random random(seed, 77);
  std::vector<Ids> sources(count);
  for (Ids& source : sources) {
    const int64_t length = 1 + random.below(longest);
    for (int64_t i = 0; i < length; ++i) source.push_back(4 + static_cast<int32_t>(random.below(900)));
  }
  return sources;
}

}  // namespace fovea::testing
