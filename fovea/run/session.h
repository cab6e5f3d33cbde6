// Sequences that grow over one Decoder: they join, advance together whatever their lengths, fork, and leave.
//
//   run::Session session(decoder);
//   const run::Sequence s = session.join({source})[0];
//   const int32_t start[] = {decoder.info().ids.sos};
//   Tensor logits = session.advance({{{s, start}}});           // f32 [1, V]
//
// A sequence's logits have the same bits whatever joins, advances or leaves beside it, on any number of threads: they depend on its
// source and on the tokens fed to it, cut as they were fed.
//
// One thread uses a Session at a time. Any number of Sessions use one Decoder, which must outlive them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "fovea/run/decoder.h"

namespace fovea::run {

using Sequence = int32_t;  // the handle of a sequence; used again after it left

// Tokens for one sequence, at least one. Several are a prefill.
struct Feed {
  Sequence sequence;
  std::span<const int32_t> tokens;
  enum Logits : uint8_t { kNone, kLast, kAll } logits = kLast;  // after which of the tokens
};

struct SessionOptions {
  CacheType cache = CacheType::kF32;  // what keys and values are kept in
};

class Session {
 public:
  explicit Session(const Decoder& decoder, SessionOptions options = {});
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  // Sources as ids without an end-of-sequence token, which is added. They are encoded together. With `looked`, one entry for each.
  // For decoders that read no source, `sources` are empty lists.
  std::vector<Sequence> join(std::span<const std::vector<int32_t>> sources, const LookAt* at = nullptr,
                             std::vector<Looked>* looked = nullptr);
  // A sequence for each picture, of a decoder that looks at pictures: f32 [pictures, size, size, channels], as data::prepared() makes them.
  std::vector<Sequence> join_pictures(const Tensor& pictures);
  // One sequence of a decoder that reads no source.
  Sequence join();

  // Feeds tokens and returns logits f32 [rows, V]: those of the first feed, then of the next. A sequence is fed once at most. With `at`,
  // looked[i] is what feeds[i] saw. Throws, and changes nothing, where a sequence would grow longer than the model can read.
  Tensor advance(std::span<const Feed> feeds, const LookAt* at = nullptr,
                 std::vector<Looked>* looked = nullptr);

  // A sequence with the same past: it is shared, not copied.
  Sequence fork(Sequence sequence);
  void leave(Sequence sequence);

  // Tokens fed so far.
  int64_t length(Sequence sequence) const;
  // Tokens of the source, the end-of-sequence token included, or places of the picture: the keys of cross-attention.
  int64_t source_length(Sequence sequence) const;
  int64_t sequences() const { return count_; }
  // Bytes of keys and values held.
  int64_t cache_bytes() const;

  const Decoder& decoder() const { return *decoder_; }

 private:
  State& state(Sequence sequence) const;
  // A sequence for each of these; null: of nothing.
  std::vector<Sequence> begin(std::vector<std::shared_ptr<Source>> sources);

  const Decoder* decoder_;
  Cache self_, cross_;
  std::vector<std::unique_ptr<State>> states_;  // by handle; null where it is free
  std::vector<Sequence> free_;
  int64_t count_ = 0;
};

}  // namespace fovea::run
