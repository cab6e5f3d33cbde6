#include "fovea/run/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/attend_cached.h"
#include "fovea/kernels/attention.h"
#include "fovea/kernels/rope.h"

namespace fovea::run {
namespace {

using autograd::Var;

// Columns [from, from + width) of rows [begin, begin + count) as a tensor.
Tensor columns(const Tensor& x, int64_t begin, int64_t count, int64_t from, int64_t width) {
  Tensor part = Tensor::empty({count, width});
  for (int64_t r = 0; r < count; ++r)
    std::copy_n(x.data<float>() + (begin + r) * x.dim(1) + from, width, part.data<float>() + r * width);
  return part;
}

// The rows of sequence i whose weights are asked for, counted from its first one.
std::vector<int64_t> watched_rows(const Watch& watch, const Ragged& ragged, int64_t i) {
  std::vector<int64_t> rows;
  const int64_t begin = ragged.begin(i), count = ragged.count(i);
  if (watch.at->every_row) {
    for (int64_t r = 0; r < count; ++r) rows.push_back(r);
  } else {
    for (const int32_t row : watch.wanted)
      if (row >= begin && row < begin + count) rows.push_back(row - begin);
  }
  return rows;
}

std::vector<int64_t> watched_heads(const Watch& watch, int64_t heads) {
  std::vector<int64_t> chosen = watch.at->heads;
  if (chosen.empty())
    for (int64_t h = 0; h < heads; ++h) chosen.push_back(h);
  for (const int64_t h : chosen)
    if (h < 0 || h >= heads) fail("attention", "head {}: this attention has heads 0 to {}", h, heads - 1);
  return chosen;
}

}  // namespace

tensor::RotaryTable Attention::angles(const Ragged& ragged) const {
  const std::vector<int32_t> positions(ragged.positions.begin(), ragged.positions.end());
  return tensor::rotary_table_at(Tensor::of<int32_t>({static_cast<int64_t>(positions.size())}, positions),
                                 head_, rotary_base_);
}

// Turns the first `heads` heads of each row, which are all its heads or all but the values.
void Attention::rotate(float* rows, int64_t stride, int64_t heads, const Ragged& ragged,
                       const tensor::RotaryTable& table) const {
  const auto count = static_cast<int64_t>(ragged.positions.size());
  const int64_t all = stride / head_;
  kernels::rope(rows, table.cos.data<float>(), table.sin.data<float>(), rows,
                {.tokens = count, .heads = all, .width = head_, .positions = count, .copied = all - heads},
                0.0f);
}

// What the score makes of rows where that is not part of their projection, sequence by sequence: location looks at where a key stands.
void Attention::score_rows(HeadRowsOf& made, const Ragged& ragged, bool queries, bool keys) const {
  if (queries && masks_.asks_query())
    made.raw =
        columns(made.rows, 0, made.rows.dim(0), made.q_at, heads_ * (scores_queries_ ? head_ : key_width_));
  const bool new_queries = queries && scores_queries_, new_keys = keys && scores_keys_;
  if (!new_queries && !new_keys) return;
  const autograd::NoTape off;
  const std::vector<Var> params(score_params_.begin(), score_params_.end());
  const int64_t rows = made.rows.dim(0), q_from = heads_ * (new_queries ? head_ : key_width_),
                q_to = queries ? heads_ * key_width_ : 0,
                k_from = new_keys ? kv_heads_ * key_head_ : key_heads_ * key_width_,
                k_to = keys ? key_heads_ * key_width_ : 0, v = keys ? value_heads_ * value_width_ : 0;
  HeadRowsOf scored{Tensor::empty({rows, q_to + k_to + v}), 0, q_to, q_to + k_to, made.raw};
  const auto put = [&](const Tensor& from, int64_t begin, int64_t at) {
    const int64_t width = from.dim(2) * from.dim(3);
    for (int64_t r = 0; r < from.dim(1); ++r)
      std::copy_n(from.data<float>() + r * width, width,
                  scored.rows.data<float>() + (begin + r) * scored.stride() + at);
  };
  for (int64_t i = 0; i < ragged.sequences(); ++i) {
    const int64_t begin = ragged.begin(i), count = ragged.count(i);
    if (count == 0) continue;
    if (queries) {
      const Tensor q = columns(made.rows, begin, count, made.q_at, q_from).reshape({1, count, heads_, -1});
      put(new_queries ? score_->fused(q, Tensor::zeros({1, 1, key_heads_, key_width_}), params).q.value() : q,
          begin, 0);
    }
    if (keys) {
      const Tensor k = columns(made.rows, begin, count, made.k_at, k_from)
                           .reshape({1, count, new_keys ? kv_heads_ : key_heads_, -1});
      put(new_keys ? score_->keys(k, ragged.positions[static_cast<size_t>(begin)], heads_, params).value()
                   : k,
          begin, scored.k_at);
      put(columns(made.rows, begin, count, made.v_at, v).reshape({1, count, value_heads_, value_width_}),
          begin, scored.v_at);
    }
  }
  made = scored;
}

HeadRowsOf Attention::project(const Tensor& x, const Ragged& ragged) const {
  HeadRowsOf made;
  const int64_t q = heads_ * (scores_queries_ ? head_ : key_width_),
                k = scores_keys_ ? kv_heads_ * key_head_ : key_heads_ * key_width_;
  if (qkv_.defined()) {
    made = {qkv_(x), 0, q, q + k};
  } else {  // one sequence, projected in parts
    made = {Tensor::empty({x.dim(0), q + k + value_heads_ * value_width_}), 0, q, q + k};
    float* to = made.rows.data<float>();
    query_.run(x.data<float>(), x.dim(1), x.dim(0), 0, to, made.stride());
    if (kv_.defined()) {
      kv_.run(x.data<float>(), x.dim(1), x.dim(0), 0, to + q, made.stride());
    } else {
      key_.run(x.data<float>(), x.dim(1), x.dim(0), 0, to + q, made.stride());
      value_.run(x.data<float>(), x.dim(1), x.dim(0), 0, to + q + k, made.stride());
    }
  }
  if (rotary_) rotate(made.rows.data<float>(), made.stride(), heads_ + kv_heads_, ragged, angles(ragged));
  score_rows(made, ragged, true, true);
  return made;
}

HeadRowsOf Attention::project_query(const Tensor& x, const Ragged& ragged) const {
  HeadRowsOf made{query_.defined() ? query_(x) : x, 0, 0, 0};
  if (rotary_) rotate(made.rows.data<float>(), made.stride(), heads_, ragged, angles(ragged));
  score_rows(made, ragged, true, false);
  return made;
}

HeadRowsOf Attention::project_keys(const Tensor& keys, const Tensor& values, const Ragged& ragged) const {
  const int64_t rows = keys.dim(0), k = scores_keys_ ? kv_heads_ * key_head_ : key_heads_ * key_width_,
                v = value_heads_ * value_width_;
  HeadRowsOf made;
  if (kv_.defined()) {
    made = {kv_(keys), 0, 0, k};
  } else {
    made = {Tensor::empty({rows, k + v}), 0, 0, k};
    float* to = made.rows.data<float>();
    const auto part = [&](const Linear& linear, const Tensor& from, float* at, int64_t width) {
      if (linear.defined()) return linear.run(from.data<float>(), from.dim(1), rows, 0, at, k + v);
      for (int64_t r = 0; r < rows; ++r) std::copy_n(from.data<float>() + r * width, width, at + r * (k + v));
    };
    part(key_, keys, to, k);
    part(value_, values, to + k, v);
  }
  if (rotary_) rotate(made.rows.data<float>(), made.stride(), kv_heads_, ragged, angles(ragged));
  score_rows(made, ragged, false, true);
  return made;
}

void Attention::write(const HeadRowsOf& made, const Ragged& ragged, int64_t i, const Cache& cache,
                      int64_t layer, void* const* pages, int64_t first) const {
  const float* from = made.data() + ragged.begin(i) * made.stride();
  const int64_t end = first + ragged.count(i);
  kernels::write_cached_keys(cache.keys(layer), pages, first, end, from + made.k_at, made.stride());
  kernels::write_cached_values(cache.values(layer), pages, first, end, from + made.v_at, made.stride());
}

Tensor Attention::attend(const HeadRowsOf& queries, const Ragged& ragged, std::span<const KeysOf> keys,
                         const Cache* cache, int64_t layer, const Watch& watch) const {
  Tensor context = Tensor::empty({queries.rows.dim(0), heads_ * value_width_});
  if (watch.on())
    for (int64_t i = 0; i < ragged.sequences(); ++i) {
      const auto rows = static_cast<int64_t>(watched_rows(watch, ragged, i).size()),
                 heads = static_cast<int64_t>(watched_heads(watch, heads_).size());
      (*watch.looked)[static_cast<size_t>(i)].push_back(
          {watch.site, watch.layer, Tensor::zeros({heads, rows, keys[static_cast<size_t>(i)].count})});
    }
  std::vector<int64_t> single, several;
  for (int64_t i = 0; i < ragged.sequences(); ++i)
    (in_blocks() && (ragged.count(i) > 1 || !cache) ? several : single).push_back(i);
  if (!several.empty())
    parallel_for(static_cast<int64_t>(several.size()), [&](int64_t j) {
      const int64_t i = several[static_cast<size_t>(j)];
      if (ragged.count(i) > 0)
        attend_block(queries, ragged, keys[static_cast<size_t>(i)], cache, layer, i, context.data<float>(),
                     watch);
    });
  if (single.empty()) return context;
  if (cache) {
    attend_rows(queries, ragged, keys, *cache, layer, single, context.data<float>(), watch);
    return context;
  }
  // Whole sequences that nobody keeps, query by query: their keys go to pages for as long as that takes.
  Cache own({cache_shape()}, CacheType::kF32);
  std::vector<KeysOf> paged(keys.begin(), keys.end());
  std::vector<std::unique_ptr<CachedTokens>> tokens;
  for (KeysOf& one : paged) {
    tokens.push_back(std::make_unique<CachedTokens>(own));
    tokens.back()->grow(0, one.count);
    one.pages = tokens.back()->pages();
    kernels::write_cached_keys(own.keys(0), one.pages, 0, one.count, one.k, one.stride);
    kernels::write_cached_values(own.values(0), one.pages, 0, one.count, one.v, one.stride);
  }
  attend_rows(queries, ragged, paged, own, 0, single, context.data<float>(), watch);
  return context;
}

void Attention::attend_rows(const HeadRowsOf& queries, const Ragged& ragged, std::span<const KeysOf> keys,
                            const Cache& cache, int64_t layer, std::span<const int64_t> which, float* context,
                            const Watch& watch) const {
  std::vector<int64_t> rows;
  std::vector<const void* const*> pages;
  std::vector<int64_t> counts;
  for (const int64_t i : which)
    for (int64_t r = 0; r < ragged.count(i); ++r) {
      rows.push_back(ragged.begin(i) + r);
      pages.push_back(keys[static_cast<size_t>(i)].pages);
      counts.push_back(keys[static_cast<size_t>(i)].count);
    }
  const auto count = static_cast<int64_t>(rows.size());
  if (count == 0) return;
  const int64_t longest = *std::max_element(counts.begin(), counts.end()), width = heads_ * key_width_,
                out = heads_ * value_width_;
  Scratch scratch;
  // Rows that lie apart are gathered, so that the kernel sees them side by side.
  const bool together = count == queries.rows.dim(0);
  const float* q = queries.data() + queries.q_at;
  int64_t q_stride = queries.stride();
  float* to = context;
  if (!together) {
    auto* gathered = scratch.take<float>(count * width);
    for (int64_t r = 0; r < count; ++r)
      std::copy_n(q + rows[static_cast<size_t>(r)] * q_stride, width, gathered + r * width);
    q = gathered;
    q_stride = width;
    to = scratch.take<float>(count * out);
  }

  auto *first = scratch.take<int32_t>(count), *last = scratch.take<int32_t>(count);
  const bool by_head = masks_.has_bias() || masks_.asks_query();
  const float **bias = nullptr, **factor = nullptr;
  float* biases = nullptr;
  if (by_head) {
    bias = scratch.take<const float*>(count);
    biases = scratch.take<float>(count * heads_ * longest);
  }
  std::vector<float> factors;
  std::vector<const float*> factor_at;
  for (int64_t r = 0; r < count; ++r) {
    const int64_t S = counts[static_cast<size_t>(r)];
    nn::RowQuery where{.query = ragged.positions[static_cast<size_t>(rows[static_cast<size_t>(r)])],
                       .keys = S,
                       .head = 0,
                       .heads = heads_,
                       .q = nullptr,
                       .width = head_};
    if (!by_head) {
      const nn::RowMask seen = masks_.row(where, nullptr);
      first[r] = static_cast<int32_t>(seen.first);
      last[r] = static_cast<int32_t>(std::max(seen.first, seen.last));
      continue;
    }
    first[r] = 0;
    last[r] = static_cast<int32_t>(S);
    float* row = biases + r * heads_ * longest;
    bias[r] = row;
    for (int64_t h = 0; h < heads_; ++h, row += longest) {
      where.head = h;
      if (queries.raw.defined())
        where.q = queries.raw.data<float>() + (rows[static_cast<size_t>(r)] * heads_ + h) * head_;
      std::fill_n(row, S, 0.0f);
      const nn::RowMask seen = masks_.row(where, row);
      constexpr float kHidden = -std::numeric_limits<float>::infinity();
      std::fill_n(row, std::min(S, seen.first), kHidden);
      std::fill(row + std::clamp<int64_t>(seen.last, 0, S), row + S, kHidden);
      if (seen.sigma == 0) continue;
      factors.resize(static_cast<size_t>(count * heads_ * longest), 1.0f);
      float* scaled = factors.data() + (r * heads_ + h) * longest;
      for (int64_t j = 0; j < S; ++j) {
        const float off = (static_cast<float>(j) - seen.centre) / seen.sigma;
        scaled[j] = std::exp(-0.5f * off * off);
      }
    }
  }
  if (!factors.empty()) {
    for (int64_t r = 0; r < count; ++r) factor_at.push_back(factors.data() + r * heads_ * longest);
    factor = factor_at.data();
  }

  kernels::AttendCached a;
  a.queries = count;
  a.H = heads_;
  a.score = u_.defined() ? kernels::CachedScore::kAdditive : kernels::CachedScore::kDot;
  a.scale = scale_;
  if (u_.defined()) {
    a.u = u_.data<float>();
    a.u_stride = u_.dim(0) == 1 ? 0 : u_.dim(1);
  }
  a.q = q;
  a.q_stride = q_stride;
  a.keys = cache.keys(layer);
  a.values = cache.values(layer);
  a.key_pages = a.value_pages = pages.data();
  a.first = first;
  a.last = last;
  a.bias = bias;
  a.bias_stride = longest;
  a.factor = factor;
  a.factor_stride = longest;
  a.hard = hard_;
  a.out = to;
  a.out_stride = out;
  float* weights = nullptr;
  if (watch.on()) {
    weights = scratch.take<float>(count * heads_ * longest);
    a.weights = weights;
    a.weights_stride = longest;
  }
  kernels::attend_cached(a);
  if (!together)
    for (int64_t r = 0; r < count; ++r)
      std::copy_n(to + r * out, out, context + rows[static_cast<size_t>(r)] * out);
  if (!watch.on()) return;
  const std::vector<int64_t> heads = watched_heads(watch, heads_);
  int64_t at = 0;
  for (const int64_t i : which) {
    const int64_t S = keys[static_cast<size_t>(i)].count;
    const std::vector<int64_t> watched = watched_rows(watch, ragged, i);
    float* seen = (*watch.looked)[static_cast<size_t>(i)].back().weights.data<float>();
    for (const int64_t h : heads)
      for (const int64_t r : watched) {
        const int64_t last_seen = last[at + r];
        std::copy_n(weights + ((at + r) * heads_ + h) * longest, std::min(S, last_seen), seen);
        seen += S;
      }
    at += ragged.count(i);
  }
}

void Attention::attend_block(const HeadRowsOf& queries, const Ragged& ragged, const KeysOf& keys,
                             const Cache* cache, int64_t layer, int64_t i, float* context,
                             const Watch& watch) const {
  const int64_t begin = ragged.begin(i), T = ragged.count(i), S = keys.count;
  Scratch scratch;
  KeysOf rows = keys;
  if (!rows.k) {
    const int64_t k = key_heads_ * key_width_, v = value_heads_ * value_width_;
    auto* gathered = scratch.take<float>(S * (k + v));
    kernels::read_cached_keys(cache->keys(layer), keys.pages, 0, S, gathered, k + v);
    kernels::read_cached_values(cache->values(layer), keys.pages, 0, S, gathered + k, k + v);
    rows.k = gathered;
    rows.v = gathered + k;
    rows.stride = k + v;
  }
  // The kernel has one number of key/value heads: where keys have more than values, those are repeated.
  const int64_t G = key_heads_;
  if (value_heads_ != G) {
    auto* repeated = scratch.take<float>(S * G * value_width_);
    for (int64_t s = 0; s < S; ++s)
      for (int64_t g = 0; g < G; ++g)
        std::copy_n(rows.v + s * rows.stride + g / (G / value_heads_) * value_width_, value_width_,
                    repeated + (s * G + g) * value_width_);
    rows.v = repeated;
  }
  const int64_t v_stride = value_heads_ != G ? G * value_width_ : rows.stride;

  auto *first = scratch.take<int32_t>(T), *last = scratch.take<int32_t>(T);
  float* bias = masks_.has_bias() ? scratch.take<float>(heads_ * T * S) : nullptr;
  for (int64_t t = 0; t < T; ++t) {
    nn::RowQuery where{
        .query = ragged.positions[static_cast<size_t>(begin + t)], .keys = S, .head = 0, .heads = heads_};
    for (int64_t h = 0; h < (bias ? heads_ : 1); ++h) {
      where.head = h;
      float* row = bias ? bias + (h * T + t) * S : nullptr;
      if (row) std::fill_n(row, S, 0.0f);
      const nn::RowMask seen = masks_.row(where, row);
      first[t] = static_cast<int32_t>(std::clamp<int64_t>(seen.first, 0, S));
      last[t] = static_cast<int32_t>(std::clamp<int64_t>(seen.last, first[t], S));
    }
  }

  auto *max = scratch.take<float>(heads_ * T), *sum = scratch.take<float>(heads_ * T);
  const auto run = [&](auto& a) {
    a.size = {.B = 1, .T = T, .S = S, .H = heads_, .G = G, .D = key_width_, .M = value_width_};
    a.q = {queries.data() + begin * queries.stride() + queries.q_at, 0, key_width_, queries.stride()};
    a.k = {rows.k, 0, key_width_, rows.stride};
    a.v = {rows.v, 0, value_width_, v_stride};
    a.mask.first = first;
    a.mask.last = last;
    a.mask.bias = bias;
    a.mask.bias_head = T * S;
    a.mask.bias_row = S;
    kernels::attention_forward(
        a, {context + begin * heads_ * value_width_, 0, value_width_, heads_ * value_width_}, {max, sum});
    if (!watch.on()) return;
    float* seen = (*watch.looked)[static_cast<size_t>(i)].back().weights.data<float>();
    const std::vector<int64_t> watched = watched_rows(watch, ragged, i);
    for (const int64_t h : watched_heads(watch, heads_))
      for (const int64_t r : watched) {
        kernels::attention_weights(a, {max, sum}, 0, h, r, r + 1, seen);
        seen += S;
      }
  };
  if (u_.defined()) {
    kernels::AdditiveAttention<float> a;
    a.u = u_.data<float>();
    a.u_head = u_.dim(0) == 1 ? 0 : u_.dim(1);
    run(a);
  } else {
    kernels::DotAttention<float> a;
    a.scale = scale_;
    run(a);
  }
}

}  // namespace fovea::run
