#include "fovea/run/gpt.h"

#include "fovea/models/gpt.h"

namespace fovea::run {

Gpt::Gpt(const models::GptOptions& o, Weights& weights, Precision precision) {
  precision_ = precision;
  tokens_ = Embedding(weights, "embedding.weight", o.vocab, o.n_embd);
  const nn::TransformerLayerOptions layer = models::layer_options(o);
  if (!layer.self.rotary) positions_ = Embedding(weights, "positions.weight", o.block_size, o.n_embd);
  layers_ = Stack(weights, "layer.", o.n_layer, layer, precision);
  norm_ = Norm(weights, "norm", o.n_embd, layer.norm);
  output_ = Linear(weights, o.tied ? "embedding.weight" : "output.weight", "", o.n_embd, o.vocab, precision);
  held_ = layers_.held();
  held_ += output_.held();
  info_.vocab = o.vocab;
  info_.longest = o.block_size;
  info_.layers = o.n_layer;
  info_.heads = o.n_head;
  info_.ids = {.pad = -1, .unk = -1, .sos = o.sos, .eos = o.ends.empty() ? -1 : o.ends.front()};
  info_.ends = o.ends;
}

Tensor Gpt::step(const Step& step) const {
  const Tensor x = Tensor::empty({step.rows(), tokens_.width()});
  tokens_.rows(step.tokens, x.data<float>());
  if (positions_.defined()) positions_.add_rows(step.positions, x.data<float>());
  std::vector<KeysOf> keys;
  for (int64_t i = 0; i < step.sequences(); ++i) {
    const auto at = static_cast<size_t>(i);
    const State& state = *step.states[at];
    keys.push_back(
        {.count = state.length + step.starts[at + 1] - step.starts[at], .pages = state.keys.pages()});
  }
  layers_(x, {step.starts, step.positions}, {&step.states.front()->keys.cache(), keys}, {},
          {step.at, Site::kSelf, step.wanted, step.looked});
  const Tensor rows = chosen_rows(x, step.wanted);
  norm_(rows, rows);
  return output_(rows);
}

}  // namespace fovea::run
