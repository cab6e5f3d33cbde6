#include "fovea/train/average.h"

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/models/model_dir.h"
#include "fovea/train/checkpoint.h"

namespace fovea::train {
namespace {}  // namespace

void WeightMean::add(std::span<const NamedTensor> weights, const std::string& source) {
  if (count_ == 0) {
    first_ = source;
    for (const NamedTensor& each : weights)
      sums_.push_back({each.name, Tensor::zeros(each.tensor.shape(), DType::kF64)});
  }
  check(weights.size() == sums_.size(), "average",
        "{} has {} tensors and {} has {}: expected models of one shape", first_, sums_.size(), source,
        weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    const auto& [name, sum, as] = sums_[i];
    check(weights[i].name == name && weights[i].tensor.shape() == sum.shape(), "average",
          "{} has {} {} where {} has {} {}: expected models of one shape", first_, name, sum.shape().str(),
          source, weights[i].name, weights[i].tensor.shape().str());
    const Tensor more = weights[i].tensor.to(DType::kF64);
    for (int64_t k = 0; k < sum.size(); ++k) sum.data<double>()[k] += more.data<double>()[k];
  }
  ++count_;
}

std::vector<NamedTensor> WeightMean::mean() const {
  check(count_ > 0, "average", "there is nothing to average");
  std::vector<NamedTensor> mean;
  for (const NamedTensor& each : sums_) {
    Tensor part = each.tensor.copy();
    for (double& x : part.span<double>()) x /= static_cast<double>(count_);
    mean.push_back({each.name, part.to(DType::kF32)});
  }
  return mean;
}

void average(std::span<const std::string> paths, const std::string& out) {
  check(!paths.empty(), "average", "there is nothing to average");
  check(!std::filesystem::exists(out + "/state.json"), "average",
        "{} is a checkpoint that a training run goes on from: choose another --out", out);
  NamedFiles files;
  WeightMean weights;
  for (const std::string& path : paths) {
    const std::string place = models::find_model(path);
    models::Model model = models::load_model(place);
    check(!model.quantized, "average", "{} has weights in 8 bits: average the models it was made from",
          place);
    model.file_dtype = FileDType::kAsIs;
    const NamedFiles described = models::describe(model);
    if (files.empty()) files = described;
    for (size_t i = 0; i < std::max(files.size(), described.size()); ++i)
      check(i < files.size() && i < described.size() && files[i] == described[i], "average",
            "{} and {} differ in {}: expected models of one shape, with the same vocabularies", paths.front(),
            place, i < files.size() ? files[i].first : described[i].first);
    weights.add(models::weights_of(*model.net, FileDType::kAsIs), place);
  }
  save_checkpoint(out, {.files = files, .weights = weights.mean(), .optimizer = {}});
}

}  // namespace fovea::train
