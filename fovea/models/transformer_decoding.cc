#include "fovea/models/transformer_decoding.h"

#include <algorithm>

#include "fovea/autograd/matmul.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/base/parallel.h"
#include "fovea/models/prefix_rows.h"

namespace fovea::models {

TransformerDecoding::TransformerDecoding(Transformer& model, const data::SourceBatch& source, int64_t beams)
    : model_(&model), beams_(beams) {
  const autograd::NoTape off;
  check(beams > 0, "decode", "{} beams: expected 1 or more", beams);
  encoded_ = model.encode(source, {});
  past_.resize(model.decoder_.size());
  places_.resize(static_cast<size_t>(sentences() * beams));
}

Tensor TransformerDecoding::prefixes(const std::vector<Tensor>& steps) const {
  const auto rows = static_cast<int64_t>(places_.size()), length = static_cast<int64_t>(steps.size());
  const Tensor& last = steps.back();
  const int64_t heads = last.dim(2), width = last.dim(3), size = heads * width;
  Tensor all = Tensor::empty({rows, length, heads, width});
  parallel_for(rows, [&](int64_t r) {
    for (int64_t t = 0; t < length; ++t) {
      const int32_t place = places_[static_cast<size_t>(r)][static_cast<size_t>(t)];
      std::copy_n(steps[static_cast<size_t>(t)].data<float>() + place * size, size,
                  all.data<float>() + (r * length + t) * size);
    }
  });
  return all;
}

nn::AttentionMemory TransformerDecoding::extend(size_t layer, const nn::AttentionMemory& newest) {
  Past& past = past_[layer];
  past.keys.push_back(newest.keys.value());
  past.values.push_back(newest.values.value());
  return {prefixes(past.keys), prefixes(past.values)};
}

Tensor TransformerDecoding::step(const Tensor& words, Tensor* look) {
  const autograd::NoTape off;
  const int64_t batch = sentences(), rows = batch * beams_, width = model_->options_.dim_model;
  if (words.shape() != Shape{batch, beams_} || words.dtype() != DType::kI32)
    fail("decode", "words of shape {}: expected i32 [{}, {}]", words.shape().str(), batch, beams_);
  for (int64_t r = 0; r < rows; ++r) places_[static_cast<size_t>(r)].push_back(static_cast<int32_t>(r));
  Var x = model_->read_target(words.reshape({rows, 1}), position_++);
  x = autograd::reshape(x, {rows, width});
  for (size_t i = 0; i < model_->decoder_.size(); ++i) {
    nn::TransformerStep how;
    how.extend = [&](const nn::AttentionMemory& newest) { return extend(i, newest); };
    how.position = position_ - 1;
    how.memory = &encoded_.memory[i];
    how.memory_mask = nn::lengths(encoded_.lengths);
    if (look && i + 1 == model_->decoder_.size()) how.look_at_memory = nn::Look{};
    nn::TransformerLayer::Result result = model_->decoder_[i]->step(x, how);
    x = result.out;
    if (how.look_at_memory) {  // [B, H, K, S] -> [B, K, H, S]
      const autograd::Var seen = result.memory_seen.weights;
      *look = autograd::permute(seen, {0, 2, 1, 3}).value();
    }
  }
  if (model_->decoder_norm_) x = (*model_->decoder_norm_)(x);
  return autograd::linear(x, model_->output_weight(), model_->output_bias())
      .value()
      .reshape({batch, beams_, model_->target_vocab()});
}

void TransformerDecoding::reorder(const Tensor& parents) {
  places_ = chosen_prefixes(places_, rows_of_parents(parents, sentences(), beams_));
  beams_ = parents.dim(1);
}

void TransformerDecoding::keep(const Tensor& sentences) {
  const autograd::NoTape off;
  places_ = chosen_prefixes(places_, rows_of_sentences(sentences, beams_));
  for (nn::AttentionMemory& memory : encoded_.memory) {
    memory.keys = autograd::gather(memory.keys, 0, sentences);
    memory.values = autograd::gather(memory.values, 0, sentences);
  }
  encoded_.lengths = chosen(encoded_.lengths, sentences);
}

}  // namespace fovea::models
