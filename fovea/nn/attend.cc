#include "fovea/nn/attend.h"

#include <numeric>

#include "fovea/autograd/shape_ops.h"

namespace fovea::nn {
namespace {

void check_shapes(const Var& q, const Var& k, const Var& v, bool keys_ready) {
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
    fail("attend", "query {}, key {}, value {}: expected [batch, row, head, width] each", q.shape().str(),
         k.shape().str(), v.shape().str());
  if (k.dim(0) != q.dim(0) || v.dim(0) != q.dim(0) || v.dim(1) != k.dim(1) || v.dim(2) < 1 ||
      k.dim(2) % v.dim(2) || (!keys_ready && v.dim(2) != k.dim(2)))
    fail("attend",
         "query {}, key {} and value {} do not fit: batches must agree, and every key needs a value",
         q.shape().str(), k.shape().str(), v.shape().str());
  if (k.dim(2) < 1 || q.dim(2) % k.dim(2))
    fail("attend", "{} key/value heads for {} query heads: expected a divisor", k.dim(2), q.dim(2));
  if (q.dtype() != k.dtype() || q.dtype() != v.dtype())
    fail("attend", "query {}, key {} and value {}: expected one type", name_of(q.dtype()), name_of(k.dtype()),
         name_of(v.dtype()));
}

// [B, L, H, D] <-> [B, H, L, D].
Var heads_first(const Var& x) { return autograd::permute(x, {0, 2, 1, 3}); }

std::vector<int64_t> chosen_or_all(const std::vector<int64_t>& chosen, int64_t n, const char* what) {
  std::vector<int64_t> list = chosen;
  if (list.empty()) {
    list.resize(static_cast<size_t>(n));
    std::iota(list.begin(), list.end(), int64_t{0});
  }
  for (int64_t x : list) check(0 <= x && x < n, "look", "{} {} of {}", what, x, n);
  return list;
}

// Fills seen.weights by calling row_run(b, h, begin, end, to) for each run of consecutive rows; `to` is the part
// of seen.weights that they go to, [end - begin, S].
template <typename F>
Seen look_with(const Look& look, int64_t B, int64_t H, int64_t T, int64_t S, DType type, F&& row_run) {
  Seen seen = {chosen_or_all(look.batches, B, "batch entry"),
               chosen_or_all(look.heads, H, "head"),
               chosen_or_all(look.rows, T, "row"),
               {}};
  const auto batches = static_cast<int64_t>(seen.batches.size()),
             heads = static_cast<int64_t>(seen.heads.size());
  const size_t rows = seen.rows.size();
  seen.weights = Tensor::empty({batches, heads, static_cast<int64_t>(rows), S}, type);
  const Tensor flat = seen.weights.reshape({batches * heads * static_cast<int64_t>(rows), S});
  int64_t done = 0;  // rows of `flat`
  for (int64_t b : seen.batches)
    for (int64_t h : seen.heads)
      for (size_t r = 0; r < rows;) {
        size_t end = r + 1;
        while (end < rows && seen.rows[end] == seen.rows[end - 1] + 1) ++end;
        const auto count = static_cast<int64_t>(end - r);
        row_run(b, h, seen.rows[r], seen.rows[end - 1] + 1, flat.slice(done, done + count));
        done += count;
        r = end;
      }
  return seen;
}

// Rows of a written-out matrix of weights [B, H, T, S].
Seen look_at_matrix(const Look& look, const Tensor& w) {
  const int64_t H = w.dim(1), T = w.dim(2), S = w.dim(3), row_bytes = size_of(w.dtype()) * S;
  return look_with(look, w.dim(0), H, T, S, w.dtype(),
                   [&](int64_t b, int64_t h, int64_t begin, int64_t end, const Tensor& to) {
                     std::copy_n(w.bytes_data() + ((b * H + h) * T + begin) * row_bytes,
                                 (end - begin) * row_bytes, to.bytes_data());
                   });
}

const Weigh& weigh_of(const AttendOptions& options) {
  static const Weigh kDefault = weigh_named("soft");
  return options.weigh ? *options.weigh : kDefault;
}

// The fused form of the score.
PairScore pair_of(const Score& score, const Var& q, const Var& k, const AttendOptions& options) {
  const bool change = score.keys && !options.keys_ready;
  return score.fused(q, change ? score.keys(k, 0, q.dim(2), options.score_params) : k, options.score_params);
}

// What a kernel made of `operands` (a PairScore or JointHeads), and where it looked, at S keys.
template <typename Operands>
Attended from_kernel(const autograd::FusedAttention& result, const Operands& operands, const MaskParts& mask,
                     int64_t S, const AttendOptions& options) {
  Attended y;
  y.context = result.context;
  y.fused = true;
  if (options.look)
    y.seen =
        look_with(*options.look, y.context.dim(0), y.context.dim(2), y.context.dim(1), S, y.context.dtype(),
                  [&](int64_t b, int64_t h, int64_t begin, int64_t end, const Tensor& to) {
                    autograd::attention_weights(operands, mask, result.rows, b, h, begin, end, to);
                  });
  return y;
}

Var plain_scores(const Score& score, const Var& q, const Var& k, const AttendOptions& options) {
  if (options.keys_ready) return scores_of(pair_of(score, q, k, options));
  return score.plain(heads_first(q), heads_first(repeat_heads(k, q.dim(2) / k.dim(2))), options.score_params);
}

Attended attend_fused(const Score& score, const Var& q, const Var& k, const Var& v, const MaskParts& mask,
                      const AttendOptions& options) {
  const PairScore pair = pair_of(score, q, k, options);
  const Var values = repeat_heads(v, pair.k.dim(2) / v.dim(2));
  return from_kernel(autograd::attention(pair, values, mask), pair, mask, k.dim(1), options);
}

Attended attend_plain(const Score& score, const Var& q, const Var& k, const Var& v, const MaskParts& mask,
                      const AttendOptions& options) {
  const Weigh& weigh = weigh_of(options);
  const WeighOptions how = {options.temperature, options.seed, options.step};
  const Var values = heads_first(repeat_heads(v, q.dim(2) / v.dim(2)));
  Attended y;
  const Var e = plain_scores(score, q, k, options);           // score
  y.scores = masked(e, mask);                                 // mask
  y.choice = weigh.weigh(y.scores, mask, how);                // weigh
  y.context = heads_first(read(y.choice, values, y.scores));  // read
  if (!options.look) return y;
  Weighed seen = y.choice;
  if (options.dropout > 0) {  // noise of training, not where the model looked
    MaskParts quiet = mask;
    quiet.dropout = 0;
    seen = weigh.weigh(y.scores, quiet, how);
  }
  y.seen = look_at_matrix(*options.look, weights_of(seen, k.dim(1), q.dtype()));
  return y;
}

const Score& score_of(const AttendOptions& options) {
  static const Score kDefault = score_named("scaled_dot");
  return options.score ? *options.score : kDefault;
}

MaskParts mask_of(const AttendOptions& options, const MaskContext& context) {
  MaskParts mask;
  if (options.mask) mask = options.mask->resolve(context);
  mask.dropout = options.dropout;
  mask.seed = options.seed;
  mask.step = options.step;
  return mask;
}

}  // namespace

Attended attend(const Var& q, const Var& k, const Var& v, const AttendOptions& options) {
  check_shapes(q, k, v, options.keys_ready);
  const bool one_position = weigh_of(options).hard;
  check(!options.keys_ready || !options.score || options.score->fused, "attend",
        "keys that are ready need a score with a fused form");
  check(options.dropout >= 0 && options.dropout < 1, "attend", "a dropout of {}: expected 0 to below 1",
        options.dropout);
  check(!one_position || options.dropout == 0, "attend",
        "hard attention reads one position: dropout has no use there");
  const Score& score = score_of(options);
  const MaskParts mask = mask_of(options, {.batch = q.dim(0),
                                           .queries = q.dim(1),
                                           .keys = k.dim(1),
                                           .heads = q.dim(2),
                                           .dtype = q.dtype(),
                                           .query = q,
                                           .at = options.at});
  check(!one_position || !mask.centre.defined(), "attend",
        "hard attention reads one position: a Gaussian around a centre (local_p) has no use there");
  const bool has_kernel = score.fused && !one_position && q.dim(3) > 0;
  if (options.path == Path::kFused && !has_kernel)
    fail("attend", "no fused kernel for {}: use the plain steps",
         one_position ? "hard attention" : score.name);
  if (has_kernel && options.path != Path::kPlain) return attend_fused(score, q, k, v, mask, options);
  return attend_plain(score, q, k, v, mask, options);
}

Attended attend_joint(const Var& qkv, int64_t kv_heads, const AttendOptions& options) {
  const int64_t heads = qkv.rank() == 4 ? qkv.dim(2) - 2 * kv_heads : 0;
  check(kv_heads > 0 && heads > 0, "attend",
        "queries, keys and values of shape {} with {} key/value heads: expected [batch, row, head, width]",
        qkv.shape().str(), kv_heads);
  const Score& score = score_of(options);
  const bool one_position = weigh_of(options).hard;
  const bool in_place = score.scale && !one_position && options.path != Path::kPlain &&
                        !(options.mask && options.mask->asks_queries());
  if (!in_place) {
    const auto part = [&](int64_t first, int64_t count) {
      return autograd::slice(qkv, 2, first, first + count);
    };
    return attend(part(0, heads), part(heads, kv_heads), part(heads + kv_heads, kv_heads), options);
  }
  const int64_t length = qkv.dim(1);
  const MaskParts mask = mask_of(options, {.batch = qkv.dim(0),
                                           .queries = length,
                                           .keys = length,
                                           .heads = heads,
                                           .dtype = qkv.dtype(),
                                           .query = {},
                                           .at = options.at});
  const autograd::JointHeads joint{qkv, kv_heads, score.scale(static_cast<double>(qkv.dim(3)))};
  return from_kernel(autograd::attention(joint, mask), joint, mask, length, options);
}

}  // namespace fovea::nn
