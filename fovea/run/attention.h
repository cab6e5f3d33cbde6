// One attention of a model that runs: score -> mask -> weigh -> read over keys and values that are made once and kept.
//
// A score's own matrices are multiplied into the projections where nothing stands between them, so that every score comes down to
// scale * q.k or u.tanh(q + k) of projected rows. Single queries run on the kernel for cached keys, longer runs of queries on the
// block kernel; masks that need each query's vector, and hard attention, run query by query. Immutable.
#pragma once

#include <span>
#include <string>

#include "fovea/nn/attention.h"
#include "fovea/nn/masks/row.h"
#include "fovea/run/cache.h"
#include "fovea/run/linear.h"
#include "fovea/run/look.h"
#include "fovea/tensor/positions.h"

namespace fovea::run {

// Rows of several sequences, one after the other: those of sequence i are starts[i] to before starts[i + 1].
struct Ragged {
  std::span<const int32_t> starts;     // [sequences + 1]
  std::span<const int32_t> positions;  // [rows]: the place of each in its sequence
  int64_t sequences() const { return static_cast<int64_t>(starts.size()) - 1; }
  int64_t begin(int64_t i) const { return starts[static_cast<size_t>(i)]; }
  int64_t count(int64_t i) const { return starts[static_cast<size_t>(i) + 1] - begin(i); }
};

// Projected rows: q, k and v of row r begin at data + r * stride + q_at, k_at, v_at.
struct HeadRowsOf {
  Tensor rows;
  int64_t q_at = 0, k_at = 0, v_at = 0;
  Tensor raw = {};  // queries [rows, H * head width] before the score's products, for masks that ask for them
  const float* data() const { return rows.data<float>(); }
  int64_t stride() const { return rows.dim(1); }
};

// The keys and values that a sequence looks at: in pages of a cache, and where all of them were just made also as rows.
struct KeysOf {
  int64_t count = 0;
  void* const* pages = nullptr;
  const float *k = nullptr, *v = nullptr;
  int64_t stride = 0;
};

// Whose weights to keep, and where they go.
struct Watch {
  const LookAt* at = nullptr;
  Site site = Site::kSelf;
  int64_t layer = 0, depth = 1;
  std::span<const int32_t> wanted;        // rows, where not every row is asked for
  std::vector<Looked>* looked = nullptr;  // by sequence

  bool on() const { return at && looked && at->at(site, layer, depth); }
};

class Attention {
 public:
  Attention() = default;
  // The weights begin with PREFIX: qkv., or query., key. and value.; out.; score.NAME; what masks learn. A mask that cannot be
  // evaluated query by query throws.
  Attention(Weights& weights, const std::string& prefix, const nn::AttentionOptions& options,
            Precision precision);

  int64_t heads() const { return heads_; }
  CacheShape cache_shape() const { return {key_heads_, key_width_, value_heads_, value_width_}; }
  Held held() const;

  // Self-attention: queries, keys and values of x [rows, width].
  HeadRowsOf project(const Tensor& x, const Ragged& ragged) const;
  // Cross-attention: queries alone, and keys and values of what is looked at. Without a projection of their own, keys are made from
  // `keys` and values are `values`.
  HeadRowsOf project_query(const Tensor& x, const Ragged& ragged) const;
  HeadRowsOf project_keys(const Tensor& keys, const Tensor& values, const Ragged& ragged) const;
  // Keys and values of the rows of sequence i become tokens from `first` on.
  void write(const HeadRowsOf& made, const Ragged& ragged, int64_t i, const Cache& cache, int64_t layer,
             void* const* pages, int64_t first) const;

  // What the queries read, [rows, H * value width]. Pages are laid out as `layer` of `cache`.
  Tensor attend(const HeadRowsOf& queries, const Ragged& ragged, std::span<const KeysOf> keys,
                const Cache* cache, int64_t layer, const Watch& watch) const;
  // Heads are joined and projected: x += out(context), or the context itself where there is no projection.
  const Linear& out() const { return out_; }

 private:
  void load_folded(Weights& weights, const std::string& prefix, const nn::AttentionOptions& options,
                   Precision precision);
  void load_plain(Weights& weights, const std::string& prefix, const nn::AttentionOptions& options,
                  Precision precision);
  void rotate(float* rows, int64_t stride, int64_t heads, const Ragged& ragged,
              const tensor::RotaryTable& table) const;
  tensor::RotaryTable angles(const Ragged& ragged) const;
  void score_rows(HeadRowsOf& made, const Ragged& ragged, bool queries, bool keys) const;
  bool in_blocks() const { return !hard_ && !masks_.asks_query(); }
  void attend_rows(const HeadRowsOf& queries, const Ragged& ragged, std::span<const KeysOf> keys,
                   const Cache& cache, int64_t layer, std::span<const int64_t> which, float* context,
                   const Watch& watch) const;
  void attend_block(const HeadRowsOf& queries, const Ragged& ragged, const KeysOf& keys, const Cache* cache,
                    int64_t layer, int64_t i, float* context, const Watch& watch) const;

  int64_t heads_ = 1, kv_heads_ = 1;
  int64_t head_ = 1, key_head_ = 1;  // widths of heads of queries and keys before the score's products
  int64_t key_heads_ = 1, key_width_ = 1, value_heads_ = 1, value_width_ = 1;
  const nn::Score* score_ = nullptr;
  std::vector<Tensor> score_params_;  // where they are not folded
  Tensor u_;                          // additive: [H or 1, key width]
  float scale_ = 1;
  // The score's own products with queries, and with keys, that are not folded into the projections.
  bool scores_queries_ = false, scores_keys_ = false;
  bool hard_ = false, rotary_ = false;
  double rotary_base_ = 10000;
  nn::RowMasks masks_;
  Linear qkv_, query_, kv_, key_, value_, out_;
};

}  // namespace fovea::run
