#include "fovea/run/transformer.h"

#include <cmath>

#include "fovea/models/transformer.h"
#include "fovea/tensor/positions.h"

namespace fovea::run {
namespace {

// x [rows, width] += the sines of each row's position, worked out once for neighbours that share one.
void add_sines(std::span<const int32_t> positions, int64_t width, float* x) {
  Tensor row;
  for (size_t r = 0; r < positions.size(); ++r, x += width) {
    if (r == 0 || positions[r] != positions[r - 1])
      row = tensor::sinusoidal_positions(1, width, positions[r], tensor::Sines::kHalves);
    const float* sines = row.data<float>();
    for (int64_t c = 0; c < width; ++c) x[c] += sines[c];
  }
}

}  // namespace

Transformer::Transformer(const models::TransformerOptions& o, Weights& weights, Precision precision)
    : width_(o.dim_model),
      scaled_(o.scale_embeddings),
      sinusoidal_(o.positions == "sinusoidal"),
      starts_from_zero_(o.starts_from_zero()) {
  precision_ = precision;
  const std::string target = o.tied_embeddings_all ? "embedding.weight" : "target_embedding.weight",
                    source = o.tied_embeddings_all ? "embedding.weight" : "source_embedding.weight";
  source_tokens_ = Embedding(weights, source, o.source_vocab, width_);
  target_tokens_ = Embedding(weights, target, o.target_vocab, width_);
  if (o.positions == "learned") {
    source_positions_ = Embedding(weights, "source_positions.weight", o.max_positions, width_);
    target_positions_ = Embedding(weights, "target_positions.weight", o.max_positions, width_);
  }
  const nn::TransformerLayerOptions encoder = models::layer_options(o, false),
                                    decoder = models::layer_options(o, true);
  encoder_ = Stack(weights, "encoder.", o.enc_depth, encoder, precision);
  decoder_ = Stack(weights, "decoder.", o.dec_depth, decoder, precision);
  if (o.norm == "pre") {
    encoder_norm_ = Norm(weights, "encoder.norm", width_, encoder.norm);
    decoder_norm_ = Norm(weights, "decoder.norm", width_, decoder.norm);
  }
  output_ =
      Linear(weights, o.tied() ? target : "output.weight", "output.bias", width_, o.target_vocab, precision);
  held_ = encoder_.held();
  held_ += decoder_.held();
  held_ += output_.held();
  info_.reads_source = true;
  info_.source_vocab = o.source_vocab;
  info_.vocab = o.target_vocab;
  info_.longest_source = o.longest();
  info_.longest = o.longest() > 0 ? o.longest() + 1 : 0;
  info_.layers = o.dec_depth;
  info_.encoder_layers = o.enc_depth;
  info_.heads = decoder.self.heads;
  info_.encoder_heads = encoder.self.heads;
  info_.cross_heads = decoder.cross->heads;
  info_.ids = o.ids;
  info_.source_eos = o.source_ids.eos;
  info_.ends = {o.ids.eos};
}

Tensor Transformer::embed(const Embedding& table, const Embedding& learned, std::span<const int32_t> ids,
                          std::span<const int32_t> positions, bool zero_start) const {
  Tensor x = Tensor::empty({static_cast<int64_t>(ids.size()), width_});
  table.rows(ids, x.data<float>());
  const auto scale = scaled_ ? static_cast<float>(std::sqrt(static_cast<double>(width_))) : 1.0f;
  for (size_t r = 0; r < ids.size(); ++r) {
    const bool nothing = zero_start && positions[r] == 0;
    float* row = x.data<float>() + static_cast<int64_t>(r) * width_;
    for (int64_t c = 0; c < width_; ++c) row[c] = nothing ? 0 : row[c] * scale;
  }
  if (learned.defined()) learned.add_rows(positions, x.data<float>());
  if (sinusoidal_) add_sines(positions, width_, x.data<float>());
  return x;
}

std::vector<std::shared_ptr<Source>> Transformer::encode(std::span<const std::vector<int32_t>> sources,
                                                         Cache& cross, const LookAt* at,
                                                         std::vector<Looked>* looked) const {
  std::vector<int32_t> ids, positions, starts = {0};
  for (const std::vector<int32_t>& source : sources) {
    for (size_t s = 0; s < source.size(); ++s) positions.push_back(static_cast<int32_t>(s));
    ids.insert(ids.end(), source.begin(), source.end());
    starts.push_back(static_cast<int32_t>(ids.size()));
  }
  const Ragged ragged{starts, positions};
  const Tensor x = embed(source_tokens_, source_positions_, ids, positions, false);
  LookAt every;
  if (at) {  // a source is looked at whole
    every = *at;
    every.every_row = true;
  }
  encoder_(x, ragged, {}, {}, {at ? &every : nullptr, Site::kEncoder, {}, looked});
  encoder_norm_(x, x);
  std::vector<std::shared_ptr<Source>> read;
  for (const std::vector<int32_t>& source : sources) {
    read.push_back(std::make_shared<Source>(cross, static_cast<int64_t>(source.size())));
    read.back()->keys.grow(0, read.back()->length);
  }
  for (int64_t layer = 0; layer < decoder_.depth(); ++layer) {
    const Attention& attention = decoder_[layer].cross();
    const HeadRowsOf made = attention.project_keys(x, x, ragged);
    for (int64_t i = 0; i < ragged.sequences(); ++i)
      attention.write(made, ragged, i, cross, layer, read[static_cast<size_t>(i)]->keys.pages(), 0);
  }
  return read;
}

Tensor Transformer::step(const Step& step) const {
  const Tensor x = embed(target_tokens_, target_positions_, step.tokens, step.positions, starts_from_zero_);
  std::vector<KeysOf> self, cross;
  for (size_t i = 0; i < step.states.size(); ++i) {
    const State& state = *step.states[i];
    self.push_back(
        {.count = state.length + step.starts[i + 1] - step.starts[i], .pages = state.keys.pages()});
    cross.push_back({.count = state.source->length, .pages = state.source->keys.pages()});
  }
  const State& any = *step.states.front();
  decoder_(x, {step.starts, step.positions}, {&any.keys.cache(), self}, {&any.source->keys.cache(), cross},
           {step.at, Site::kSelf, step.wanted, step.looked});
  const Tensor rows = chosen_rows(x, step.wanted);
  decoder_norm_(rows, rows);
  return output_(rows);
}

}  // namespace fovea::run
