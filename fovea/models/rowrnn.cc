#include "fovea/models/rowrnn.h"

#include "fovea/autograd/recurrent.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/models/label_cost.h"
#include "fovea/models/options_json.h"

namespace fovea::models {
namespace {

// Places where noise falls.
struct RowNoise {
  static constexpr uint64_t kEncoder = 1, kVector = 2;
};

}  // namespace

double RowRnnOptions::least_weights() const {
  const auto real = [](int64_t n) { return static_cast<double>(n); };
  const double width = real(dim_rnn), gates = real(kernels::gates_of(nn::cell_named(cell)));
  return gates * width * (real(row_width()) + width + real(enc_depth - 1) * 2 * width) +
         width * static_cast<double>(labels.size());
}

void RowRnnOptions::check() const {
  check_picture("rowrnn");
  check_within("rowrnn", "enc_depth", enc_depth, 1, 100);
  check_within("rowrnn", "dim_rnn", dim_rnn, 1, 1 << 16);
  check_labels("rowrnn", labels);
  check_weights("rowrnn", least_weights(), "dim_rnn or enc_depth");
  fovea::check(dropout >= 0 && dropout < 1, "rowrnn", "a dropout of {}: expected 0 to below 1", dropout);
}

nlohmann::json to_json(const RowRnnOptions& options) { return options_to_json(options, "rowrnn"); }

RowRnnOptions rowrnn_options_from(const nlohmann::json& config) {
  const auto options = options_from_json<RowRnnOptions>(config, "rowrnn");
  options.check();
  return options;
}

RowRnn::RowRnn(const RowRnnOptions& options, uint64_t seed) : options_(options), seed_(seed) {
  options_.check();
  const RowRnnOptions& o = options_;
  Random random(seed, 1);
  encoder_.emplace(nn::RecurrentOptions{nn::cell_named(o.cell), o.row_width(), o.dim_rnn, o.enc_depth},
                   random);
  classifier_.emplace(o.dim_rnn, static_cast<int64_t>(o.labels.size()), true, random);
}

nlohmann::json RowRnn::config() const { return to_json(options_); }

nn::ParameterList RowRnn::parameters() {
  nn::ParameterList list;
  encoder_->collect("encoder.", list);
  classifier_->collect("classifier.", list);
  return list;
}

Cost RowRnn::cost(const data::Batch& batch, const CostOptions& options) {
  const nn::Noise noise{options.training ? static_cast<float>(options_.dropout) : 0, seed_, options.step};
  const int64_t rows = batch.pictures.dim(0), steps = options_.picture_size;
  const Var by_rows = autograd::reshape(Var(batch.pictures), {rows, steps, options_.row_width()});
  const Var h = (*encoder_)(autograd::permute(by_rows, {1, 0, 2}), {}, noise.at(RowNoise::kEncoder));
  const Var vector = autograd::reshape(autograd::slice(h, 0, steps - 1, steps), {rows, options_.dim_rnn});
  return cost_of_labels((*classifier_)(noise.at(RowNoise::kVector).on(vector, 0)), batch, options);
}

}  // namespace fovea::models
