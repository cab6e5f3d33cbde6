#include "fovea/models/rnn_seq2seq.h"

#include <nlohmann/json.hpp>

#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/shape_ops.h"

namespace fovea::models {
namespace {

// Places where noise falls, beside those of the decoder.
struct RnnNoise {
  static constexpr uint64_t kSource = 1, kEncoder = 3;
};

}  // namespace

int64_t read_width(const RnnOptions& o) { return (o.bidirectional ? 2 : 1) * o.dim_rnn; }

RnnSeq2Seq::RnnSeq2Seq(const RnnOptions& options, uint64_t seed) : options_(options) {
  options_.check();
  const RnnOptions& o = options_;
  Random random(seed, 1);
  if (!o.tied_embeddings_all) source_embedding_.emplace(o.source_vocab, o.dim_emb, random);
  nn::Embedding target(o.target_vocab, o.dim_emb, random);
  encoder_.emplace(
      nn::RecurrentOptions{nn::cell_named(o.cell), o.dim_emb, o.dim_rnn, o.enc_depth, o.bidirectional},
      random);
  decoder_.emplace(o, std::move(target), encoder_->out(), seed, random);
}

nlohmann::json RnnSeq2Seq::config() const { return to_json(options_); }

nn::ParameterList RnnSeq2Seq::parameters() {
  nn::ParameterList list;
  if (source_embedding_) source_embedding_->collect("source_embedding.", list);
  decoder_->tokens().collect(options_.tied_embeddings_all ? "embedding." : "target_embedding.", list);
  encoder_->collect("encoder.", list);
  decoder_->collect(list);
  return list;
}

RecurrentDecoder::Annotations RnnSeq2Seq::encode(const data::SourceBatch& source,
                                                 const RecurrentDecoder::Request& request) {
  nn::Embedding& words = options_.tied_embeddings_all ? decoder_->tokens() : *source_embedding_;
  const Var x = request.noise.at(RnnNoise::kSource)
                    .on(request.source_words.on_rows(words(time_first(source.ids)), 0), 0);
  const nn::Noise own = request.noise.at(RnnNoise::kEncoder);
  const Var h = own.on((*encoder_)(x, source.lengths, own), 0);
  return {autograd::permute(h, {1, 0, 2}), autograd::last_states(h, encoder_->directions(), source.lengths),
          source.lengths};
}

Cost RnnSeq2Seq::cost(const data::Batch& batch, const CostOptions& options) {
  const RecurrentDecoder::Request request = decoder_->request(batch, options);
  return decoder_->cost(batch, encode(batch.source, request), request, options);
}

}  // namespace fovea::models
