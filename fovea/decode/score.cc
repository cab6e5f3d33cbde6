#include "fovea/decode/score.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/data/length_batches.h"
#include "fovea/decode/looks.h"
#include "fovea/kernels/blocks.h"
#include "fovea/kernels/softmax.h"

namespace fovea::decode {
namespace {

// Requests side by side have at most so many tokens, and numbers in the logits of a step (or are one).
constexpr int64_t kMostScoredTokens = 1 << 15, kMostScoredLogits = 1 << 25;
// Tokens of one sequence in a step: fewer only where the vocabulary is so large that their logits would be too many.
constexpr int64_t kChunk = 512;

// A request while it is scored.
struct Row {
  size_t request;
  std::vector<int32_t> fed, wanted;  // wanted[t] is scored by the logits after fed[skipped + t]
  int64_t skipped = 0;
  int64_t read = 0;
  run::Sequence sequence = -1;
  std::vector<run::Looked> looks = {};
  Scored scored = {};

  int64_t left() const { return static_cast<int64_t>(fed.size()) - read; }
};

class Scoring {
 public:
  Scoring(const run::Decoder& decoder, const run::LookAt& look,
          const std::function<void(size_t, Scored)>& found)
      : info_(decoder.info()),
        session_(decoder),
        look_(look),
        found_(found),
        chunk_(std::clamp<int64_t>(kMostScoredLogits / info_.vocab, 1, kChunk)) {}

  Row row_of(size_t i, const ScoreRequest& request) const {
    Row row{.request = i, .fed = request.prompt, .wanted = request.target};
    if (row.fed.empty()) {
      check(info_.ids.sos >= 0, "score",
            "there is nothing before the first token, and the model has no start token");
      row.fed = {info_.ids.sos};
    }
    row.skipped = static_cast<int64_t>(row.fed.size()) - 1;
    row.fed.insert(row.fed.end(), request.target.begin(), request.target.end());
    if (request.end) {
      check(info_.ids.eos >= 0, "score", "the model has no end-of-sequence token to score");
      row.wanted.push_back(info_.ids.eos);
    } else {
      row.fed.pop_back();  // nothing is asked of what comes after it
    }
    for (const int32_t id : row.wanted)
      check(id >= 0 && id < info_.vocab, "score", "token {}: expected 0 to {}", id, info_.vocab - 1);
    return row;
  }

  // Rows that run side by side. False: stopped.
  bool run(std::vector<Row>& rows, std::span<const ScoreRequest> requests,
           const std::function<bool()>& stop) {
    std::vector<std::vector<int32_t>> sources;
    for (const Row& row : rows) sources.push_back(requests[row.request].source);
    std::vector<run::Looked> encoder(rows.size());
    const std::vector<run::Sequence> joined =
        look_.encoder ? session_.join(sources, &look_, &encoder) : session_.join(sources);
    for (size_t r = 0; r < rows.size(); ++r) {
      rows[r].sequence = joined[r];
      rows[r].scored.encoder = std::move(encoder[r]);
    }
    size_t left = rows.size();
    for (Row& row : rows)
      if (row.left() == 0) finish(row), --left;
    while (left > 0) {
      if (stop && stop()) return false;
      left -= step(rows);
    }
    return true;
  }

 private:
  // A chunk of each row that is left, as many as there is room for; returns how many finished.
  size_t step(std::vector<Row>& rows) {
    std::vector<run::Feed> feeds;
    std::vector<Row*> turn;
    int64_t tokens = 0;
    for (Row& row : rows) {
      const int64_t count = std::min(row.left(), chunk_);
      if (count == 0) continue;
      if (tokens > 0 && (tokens + count) * info_.vocab > kMostScoredLogits) break;
      tokens += count;
      turn.push_back(&row);
      feeds.push_back({row.sequence,
                       std::span(row.fed).subspan(static_cast<size_t>(row.read), static_cast<size_t>(count)),
                       run::Feed::kAll});
    }
    std::vector<run::Looked> looked(feeds.size());
    const bool looks = look_.self || look_.cross;
    const Tensor logits = looks ? session_.advance(feeds, &look_, &looked) : session_.advance(feeds);
    size_t finished = 0;
    int64_t first = 0;
    for (size_t i = 0; i < turn.size(); ++i) {
      Row& row = *turn[i];
      const auto count = static_cast<int64_t>(feeds[i].tokens.size());
      read(row, logits.data<float>() + first * info_.vocab, count);
      if (looks) row.looks.push_back(std::move(looked[i]));
      first += count;
      if (row.left() == 0) finish(row), ++finished;
    }
    return finished;
  }

  void read(Row& row, const float* logits, int64_t count) {
    const int64_t begin = row.read;
    row.read += count;
    row.scored.tokens.resize(static_cast<size_t>(std::max<int64_t>(0, row.read - row.skipped)));
    parallel_ranges(count, kernels::rows_per_block(info_.vocab), [&](int64_t from, int64_t to) {
      Scratch scratch;
      auto* log_probs = scratch.take<float>(info_.vocab);
      for (int64_t t = std::max(from, row.skipped - begin); t < to; ++t) {
        kernels::log_softmax_rows(logits + t * info_.vocab, log_probs, 1, info_.vocab);
        const auto at = static_cast<size_t>(begin + t - row.skipped);
        row.scored.tokens[at] = log_probs[row.wanted[at]];
      }
    });
  }

  void finish(Row& row) {
    session_.leave(row.sequence);
    for (const float one : row.scored.tokens) row.scored.log_prob += static_cast<double>(one);
    row.scored.looked = without_first(join_looks(row.looks), row.skipped);
    row.looks.clear();
    found_(row.request, std::move(row.scored));
  }

  static run::Looked without_first(run::Looked looked, int64_t rows) {
    if (rows == 0) return looked;
    for (run::Seen& seen : looked) {
      const int64_t heads = seen.weights.dim(0), all = seen.weights.dim(1), keys = seen.weights.dim(2);
      Tensor kept = Tensor::empty({heads, all - rows, keys});
      for (int64_t h = 0; h < heads; ++h)
        std::copy_n(seen.weights.data<float>() + (h * all + rows) * keys, (all - rows) * keys,
                    kept.data<float>() + h * (all - rows) * keys);
      seen.weights = std::move(kept);
    }
    return looked;
  }

  const run::DecoderInfo& info_;
  run::Session session_;
  const run::LookAt& look_;
  const std::function<void(size_t, Scored)>& found_;
  int64_t chunk_;
};

}  // namespace

bool score_all(const run::Decoder& decoder, std::span<const ScoreRequest> requests, int64_t batch,
               const run::LookAt& look, const std::function<void(size_t, Scored)>& found,
               const std::function<bool()>& stop) {
  check(batch >= 1, "score", "batches of {}: expected 1 or more", batch);
  std::vector<int64_t> lengths;
  for (const ScoreRequest& r : requests)
    lengths.push_back(static_cast<int64_t>(std::max(r.source.size(), r.prompt.size() + r.target.size())) + 1);

  Scoring scoring(decoder, look, found);
  for (const std::vector<size_t>& which :
       data::length_batches(lengths, {.rows = batch, .places = kMostScoredTokens})) {
    std::vector<Row> rows;
    for (const size_t i : which) rows.push_back(scoring.row_of(i, requests[i]));
    if (stop && stop()) return false;
    if (!scoring.run(rows, requests, stop)) return false;
  }
  return true;
}

}  // namespace fovea::decode
