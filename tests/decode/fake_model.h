// A model that is a table: the logits after a prefix are numbers drawn from (seed, source, prefix). Every search can then be
// compared with one that tries everything.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "fovea/base/random.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/seq2seq.h"

namespace fovea::testing {

using Ids = std::vector<int32_t>;

class FakeModel : public models::Seq2Seq {
 public:
  struct Options {
    int64_t vocabulary = 7;
    int64_t heads = 2;  // 0: it does not look
    float spread = 2;   // of the logits
    uint64_t seed = 1;
    // May change the logits of a prefix.
    std::function<void(const Ids& source, const Ids& prefix, std::vector<float>& logits)> edit = {};
  };

  explicit FakeModel(Options options) : o_(std::move(options)) {}

  // Of the word after `prefix` (without <sos>), for a source with its <eos>.
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
  // [H][S]: each head's weights add up to 1.
  std::vector<float> look(const Ids& source, const Ids& prefix) const {
    Random random(o_.seed, key(source, prefix, 2));
    std::vector<float> w;
    for (int64_t h = 0; h < o_.heads; ++h) {
      std::vector<float> row;
      for (size_t s = 0; s < source.size(); ++s) row.push_back(random.uniform() + 0.01f);
      const float sum = std::accumulate(row.begin(), row.end(), 0.0f);
      for (float v : row) w.push_back(v / sum);
    }
    return w;
  }

  nlohmann::json config() const override { return {}; }
  nn::ParameterList parameters() override { return {}; }
  models::Cost cost(const data::Batch&, const models::CostOptions&) override { return {}; }
  Tensor log_probs(const data::Batch& batch, Tensor* look) override;
  std::unique_ptr<models::Decoding> decode(const data::SourceBatch& source, int64_t beams) override;
  int64_t source_vocab() const override { return 1000; }
  int64_t target_vocab() const override { return o_.vocabulary; }

  const Options& options() const { return o_; }
  int64_t steps = 0;  // taken so far

 private:
  static uint64_t key(const Ids& source, const Ids& prefix, uint64_t what) {
    uint64_t hash = what;
    for (int32_t id : source) hash = hash * 1000003 + static_cast<uint64_t>(id) + 17;
    hash *= 31;
    for (int32_t id : prefix) hash = hash * 1000033 + static_cast<uint64_t>(id) + 5;
    return hash;
  }

  Options o_;
};

class FakeDecoding : public models::Decoding {
 public:
  FakeDecoding(FakeModel& model, const data::SourceBatch& batch, int64_t beams)
      : model_(model), beams_(beams), padded_(batch.ids.dim(1)) {
    for (int64_t b = 0; b < batch.ids.dim(0); ++b) {
      const int32_t* ids = batch.ids.data<int32_t>() + b * padded_;
      const int32_t length = batch.lengths.data<int32_t>()[b];
      EXPECT_EQ(ids[length - 1], data::kEos);
      sources_.emplace_back(ids, ids + length);
      prefixes_.emplace_back(static_cast<size_t>(beams));
    }
  }

  int64_t sentences() const override { return static_cast<int64_t>(sources_.size()); }
  int64_t beams() const override { return beams_; }

  Tensor step(const Tensor& words, Tensor* look) override {
    EXPECT_EQ(words.shape(), (Shape{sentences(), beams_}));
    ++model_.steps;
    const int64_t heads = model_.options().heads, vocabulary = model_.options().vocabulary;
    Tensor logits = Tensor::empty({sentences(), beams_, vocabulary});
    if (look && heads) *look = Tensor::zeros({sentences(), beams_, heads, padded_});
    for (size_t b = 0; b < sources_.size(); ++b)
      for (size_t k = 0; k < prefixes_[b].size(); ++k) {
        const size_t row = b * prefixes_[b].size() + k;
        Ids& prefix = prefixes_[b][k];
        const int32_t word = words.data<int32_t>()[row];
        EXPECT_EQ(word == data::kSos, first_);
        if (!first_) prefix.push_back(word);
        const std::vector<float> x = model_.logits(sources_[b], prefix);
        std::copy(x.begin(), x.end(), logits.data<float>() + row * x.size());
        if (!look || !heads) continue;
        const std::vector<float> w = model_.look(sources_[b], prefix);
        const size_t length = sources_[b].size();
        for (size_t h = 0; h < static_cast<size_t>(heads); ++h)
          std::copy_n(
              w.begin() + static_cast<std::ptrdiff_t>(h * length), length,
              look->data<float>() + (row * static_cast<size_t>(heads) + h) * static_cast<size_t>(padded_));
      }
    first_ = false;
    return logits;
  }

  void reorder(const Tensor& parents) override {
    EXPECT_EQ(parents.dim(0), sentences());
    const int64_t width = parents.dim(1);
    for (size_t b = 0; b < sources_.size(); ++b) {
      std::vector<Ids> next;
      for (int64_t k = 0; k < width; ++k) {
        const int32_t parent = parents.data<int32_t>()[static_cast<int64_t>(b) * width + k];
        EXPECT_GE(parent, 0);
        EXPECT_LT(parent, beams_);
        next.push_back(prefixes_[b].at(static_cast<size_t>(parent)));
      }
      prefixes_[b] = std::move(next);
    }
    beams_ = width;
  }

  void keep(const Tensor& kept) override {
    std::vector<Ids> sources;
    std::vector<std::vector<Ids>> prefixes;
    int32_t last = -1;
    for (int32_t b : kept.span<int32_t>()) {
      EXPECT_GT(b, last);
      last = b;
      sources.push_back(sources_.at(static_cast<size_t>(b)));
      prefixes.push_back(prefixes_.at(static_cast<size_t>(b)));
    }
    sources_ = std::move(sources);
    prefixes_ = std::move(prefixes);
  }

 private:
  FakeModel& model_;
  int64_t beams_, padded_;
  bool first_ = true;
  std::vector<Ids> sources_;
  std::vector<std::vector<Ids>> prefixes_;
};

inline std::unique_ptr<models::Decoding> FakeModel::decode(const data::SourceBatch& source, int64_t beams) {
  return std::make_unique<FakeDecoding>(*this, source, beams);
}

inline Tensor FakeModel::log_probs(const data::Batch& batch, Tensor* look) {
  const int64_t rows = batch.target_out.dim(0), length = batch.target_out.dim(1),
                padded = batch.source.ids.dim(1);
  Tensor y = Tensor::zeros({rows, length});
  if (look && o_.heads) *look = Tensor::zeros({rows, o_.heads, length, padded});
  for (int64_t b = 0; b < rows; ++b) {
    const int32_t* ids = batch.source.ids.data<int32_t>() + b * padded;
    const Ids source(ids, ids + batch.source.lengths.data<int32_t>()[b]);
    Ids prefix;
    for (int64_t t = 0; t < batch.target_lengths.data<int32_t>()[b]; ++t) {
      const int32_t word = batch.target_out.data<int32_t>()[b * length + t];
      y.data<float>()[b * length + t] =
          static_cast<float>(log_probs_of(source, prefix)[static_cast<size_t>(word)]);
      if (look && o_.heads) {
        const std::vector<float> w = this->look(source, prefix);
        for (int64_t h = 0; h < o_.heads; ++h)
          std::copy_n(w.begin() + h * static_cast<int64_t>(source.size()), source.size(),
                      look->data<float>() + ((b * o_.heads + h) * length + t) * padded);
      }
      prefix.push_back(word);
    }
  }
  return y;
}

// Sources of random words and lengths, without <eos>.
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
