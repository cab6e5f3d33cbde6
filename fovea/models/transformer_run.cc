#include "fovea/models/transformer_run.h"

#include <algorithm>

#include "fovea/models/prefix_rows.h"
#include "fovea/tensor/positions.h"

namespace fovea::models {
namespace {

// Angles of words at these positions, where the model has rotary ones.
tensor::RotaryTable angles_of(const TransformerOptions& o, const std::vector<int32_t>& positions) {
  if (o.positions != "rotary") return {};
  return tensor::rotary_table_at(Tensor::of<int32_t>({static_cast<int64_t>(positions.size())}, positions),
                                 o.dim_model / o.heads);
}

}  // namespace

TransformerRun::TransformerRun(Transformer& model, const data::SourceBatch& source, int64_t beams)
    : model_(&model), beams_(beams) {
  const autograd::NoTape off;
  check(beams > 0, "decode", "{} beams: expected 1 or more", beams);
  const auto lengths = source.lengths.span<int32_t>();
  lengths_.assign(lengths.begin(), lengths.end());
  longest_ = source.ids.dim(1);
  past_.resize(model.decoder_.size());
  places_.resize(lengths_.size() * static_cast<size_t>(beams));
  encode(source);
}

void TransformerRun::encode(const data::SourceBatch& source) {
  const Transformer::Ready& ready = model_->ready();
  const Tensor padded = model_->read_source(source.ids).value();
  const int64_t width = padded.dim(2), S = padded.dim(1);
  std::vector<int32_t> starts = {0}, positions;
  for (const int32_t length : lengths_) {
    starts.push_back(starts.back() + length);
    for (int32_t s = 0; s < length; ++s) positions.push_back(s);
  }
  const Tensor x = Tensor::empty({starts.back(), width});
  for (size_t b = 0; b < lengths_.size(); ++b)
    std::copy_n(padded.data<float>() + static_cast<int64_t>(b) * S * width, lengths_[b] * width,
                x.data<float>() + starts[b] * width);
  const tensor::RotaryTable angles = angles_of(model_->options_, positions);
  for (const nn::ReadyLayer& layer : ready.encoder) layer.read(x, starts, angles, nullptr);
  if (model_->encoder_norm_) ready.encoder_norm(x, x);
  for (size_t i = 0; i < past_.size(); ++i) {
    Past& past = past_[i];
    past.memory = ready.decoder[i].remember(x);
    past.source.resize(lengths_.size());
    for (size_t b = 0; b < lengths_.size(); ++b)
      for (int32_t s = starts[b]; s < starts[b + 1]; ++s)
        past.source[b].push_back(past.memory.data<float>() + s * past.memory.dim(1));
  }
}

Tensor TransformerRun::embed(const Tensor& words, int64_t position) const {
  const autograd::NoTape off;
  const int64_t rows = words.size();
  return model_->read_target(words.reshape({rows, 1}), position)
      .value()
      .reshape({rows, model_->options_.dim_model});
}

Tensor TransformerRun::step(const Tensor& words, Tensor* look) {
  const Transformer::Ready& ready = model_->ready();
  const TransformerOptions& o = model_->options_;
  const int64_t batch = sentences(), rows = batch * beams_;
  if (words.shape() != Shape{batch, beams_} || words.dtype() != DType::kI32)
    fail("decode", "words of shape {}: expected i32 [{}, {}]", words.shape().str(), batch, beams_);
  for (int64_t r = 0; r < rows; ++r) places_[static_cast<size_t>(r)].push_back(static_cast<int32_t>(r));
  const Tensor x = embed(words, position_);
  const int64_t length = ++position_, window = ready.decoder[0].reach().window,
                first = window > 0 ? std::max<int64_t>(0, length - 1 - window) : 0;
  const tensor::RotaryTable angles =
      angles_of(o, std::vector<int32_t>(static_cast<size_t>(rows), static_cast<int32_t>(length - 1)));

  const std::vector<int32_t> counts(static_cast<size_t>(rows), static_cast<int32_t>(length - first));
  std::vector<int32_t> source_counts;
  for (int64_t r = 0; r < rows; ++r) source_counts.push_back(lengths_[static_cast<size_t>(r / beams_)]);
  std::vector<const float*> self(static_cast<size_t>(rows * (length - first)));
  std::vector<const float*const*> self_at, source_at(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) self_at.push_back(self.data() + r * (length - first));
  if (look) *look = Tensor::empty({batch, beams_, o.heads, longest_});

  for (size_t i = 0; i < past_.size(); ++i) {
    Past& past = past_[i];
    const nn::ReadyLayer& layer = ready.decoder[i];
    const int64_t width = layer.row_width();
    past.steps.push_back(Tensor::empty({rows, width}));
    size_t to = 0;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t t = first; t < length; ++t)
        self[to++] = past.steps[static_cast<size_t>(t)].data<float>() +
                     places_[static_cast<size_t>(r)][static_cast<size_t>(t)] * width;
    for (int64_t r = 0; r < rows; ++r)
      source_at[static_cast<size_t>(r)] = past.source[static_cast<size_t>(r / beams_)].data();
    nn::SeenRows memory{.at = source_at.data(), .counts = source_counts.data()};
    if (look && i + 1 == past_.size()) {
      memory.weights = look->data<float>();
      memory.stride = longest_;
    }
    layer.step(x, angles, past.steps.back().data<float>(), {.at = self_at.data(), .counts = counts.data()},
               &memory);
  }
  if (model_->decoder_norm_) ready.decoder_norm(x, x);
  return ready.output(x).reshape({batch, beams_, o.target_vocab});
}

void TransformerRun::reorder(const Tensor& parents) {
  places_ = chosen_prefixes(places_, rows_of_parents(parents, sentences(), beams_));
  beams_ = parents.dim(1);
}

void TransformerRun::keep(const Tensor& sentences) {
  places_ = chosen_prefixes(places_, rows_of_sentences(sentences, beams_));
  std::vector<int32_t> lengths;
  for (const int32_t b : sentences.span<int32_t>()) lengths.push_back(lengths_[static_cast<size_t>(b)]);
  lengths_ = std::move(lengths);
  for (Past& past : past_) {
    std::vector<std::vector<const float*>> source;
    for (const int32_t b : sentences.span<int32_t>())
      source.push_back(std::move(past.source[static_cast<size_t>(b)]));
    past.source = std::move(source);
  }
}

}  // namespace fovea::models
