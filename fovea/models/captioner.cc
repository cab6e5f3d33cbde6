#include "fovea/models/captioner.h"

#include <numeric>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/pooling.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/options_json.h"

namespace fovea::models {
namespace {

// Where noise falls, beside the places of the decoder.
constexpr uint64_t kGridNoise = 3;

}  // namespace

double CaptionerOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double words = real(decoder.target_vocab) * real(decoder.dim_emb) * (decoder.tied_embeddings ? 1 : 2);
  return ConvOptions::least_weights(channels) + real(places()) * real(out()) + words +
         real(decoder.dec_depth) * real(decoder.dim_rnn) * real(decoder.dim_rnn);
}

void CaptionerOptions::check() const {
  check_picture("captioner");
  check_conv("captioner", picture_size);
  check_weights("captioner", least_weights(), "the vocabulary, conv_channels or dim_rnn");
  RnnOptions same = decoder;
  same.source_vocab = same.target_vocab;
  same.check();
  fovea::check(!decoder.looks() || decoder.score != "location" || decoder.max_keys >= places(), "captioner",
               "max_keys {}, and a picture has {} places: expected as many or more", decoder.max_keys,
               places());
}

nlohmann::json to_json(const CaptionerOptions& options) { return options_to_json(options, "captioner"); }

CaptionerOptions captioner_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<CaptionerOptions>(config, "captioner");
  options.check();
  return options;
}

Captioner::Captioner(const CaptionerOptions& options, uint64_t seed) : options_(options) {
  options_.check();
  Random random(seed, 1);
  encoder_.emplace(options.channels, options, random);
  positions_.emplace(options.places(), options.out(), random);
  nn::Embedding tokens(options.decoder.target_vocab, options.decoder.dim_emb, random);
  decoder_.emplace(options.decoder, std::move(tokens), options.out(), seed, random);
}

nlohmann::json Captioner::config() const { return to_json(options_); }

nn::ParameterList Captioner::parameters() {
  nn::ParameterList list;
  encoder_->collect("encoder.", list);
  positions_->collect("positions.", list);
  decoder_->tokens().collect("target_embedding.", list);
  decoder_->collect(list);
  return list;
}

std::vector<NamedTensor> Captioner::buffers() {
  std::vector<NamedTensor> list = decoder_->buffers();
  encoder_->collect_buffers("encoder.", list);
  return list;
}

RecurrentDecoder::Annotations Captioner::look(const Tensor& pictures, const nn::Noise& noise, bool training) {
  const Var grid = (*encoder_)(Var(pictures), training);
  const int64_t rows = grid.dim(0), places = options_.places();
  const Tensor every = Tensor::empty({places}, DType::kI32);
  std::iota(every.data<int32_t>(), every.data<int32_t>() + places, 0);
  const Var annotations =
      autograd::add(autograd::reshape(grid, {rows, places, options_.out()}), (*positions_)(every));
  return {noise.at(kGridNoise).on(annotations, 0), autograd::global_average_pool(grid),
          Tensor::full({rows}, static_cast<double>(places), DType::kI32)};
}

Cost Captioner::cost(const data::Batch& batch, const CostOptions& options) {
  const RecurrentDecoder::Request request = decoder_->request(batch, options);
  return decoder_->cost(batch, look(batch.pictures, request.noise, options.training), request, options);
}

}  // namespace fovea::models
