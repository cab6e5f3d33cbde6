#include "fovea/run/rnn.h"

#include "fovea/models/rnn_seq2seq.h"
#include "fovea/nn/recurrent.h"

namespace fovea::run {
namespace {

const char* embedding_of(const models::RnnOptions& o, const char* side) {
  return o.tied_embeddings_all ? "embedding.weight" : side;
}

}  // namespace

Rnn::Rnn(const models::RnnOptions& o, Weights& weights, Precision precision)
    : RnnDecoder(o, embedding_of(o, "target_embedding.weight"), models::read_width(o), weights, precision),
      source_tokens_(weights, embedding_of(o, "source_embedding.weight"), o.source_vocab, o.dim_emb),
      encoder_(weights, "encoder.", nn::cell_named(o.cell), o.dim_emb, o.dim_rnn, o.enc_depth,
               o.bidirectional, precision) {
  held_ += encoder_.held();
  info_.reads_source = true;
  info_.source_vocab = o.source_vocab;
  info_.longest_source = o.longest();
  info_.source_eos = o.source_ids.eos;
}

std::vector<std::shared_ptr<Source>> Rnn::encode(std::span<const std::vector<int32_t>> sources, Cache& cross,
                                                 const LookAt*, std::vector<Looked>*) const {
  std::vector<int32_t> ids, positions, starts = {0};
  for (const std::vector<int32_t>& source : sources) {
    for (size_t s = 0; s < source.size(); ++s) positions.push_back(static_cast<int32_t>(s));
    ids.insert(ids.end(), source.begin(), source.end());
    starts.push_back(static_cast<int32_t>(ids.size()));
  }
  const Ragged ragged{starts, positions};
  const Tensor x = Tensor::empty({static_cast<int64_t>(ids.size()), source_tokens_.width()});
  source_tokens_.rows(ids, x.data<float>());
  const RecurrentEncoder::Read read = encoder_(x, ragged);
  return sources_of(read.states, read.last, ragged, cross);
}

}  // namespace fovea::run
