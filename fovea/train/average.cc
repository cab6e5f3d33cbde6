#include "fovea/train/average.h"

#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/models/model_dir.h"
#include "fovea/train/checkpoint.h"

namespace fovea::train {
namespace {

constexpr std::string_view kWho = "average";

Tensor mean_of(std::span<const Safetensors> files, const Safetensors::Entry& entry) {
  const Tensor first = files.front().read(entry.name);
  if (!first.is_float()) return first;
  Tensor sum = first.to(DType::kF64);
  for (const Safetensors& file : files.subspan(1)) {
    const Tensor other = file.read(entry.name).to(DType::kF64);
    for (int64_t i = 0; i < sum.size(); ++i) sum.data<double>()[i] += other.data<double>()[i];
  }
  for (double& x : sum.span<double>()) x /= static_cast<double>(files.size());
  return sum.to(first.dtype());
}

}  // namespace

std::vector<NamedTensor> mean_of(std::span<const Safetensors> files, std::span<const std::string> sources) {
  check(!files.empty(), kWho, "there is nothing to average");
  const auto& entries = files.front().entries();
  for (size_t k = 1; k < files.size(); ++k) {
    const auto& other = files[k].entries();
    check(other.size() == entries.size(), kWho,
          "{} has {} tensors and {} has {}: expected models of one shape", sources[0], entries.size(),
          sources[k], other.size());
    for (size_t i = 0; i < entries.size(); ++i)
      check(other[i].name == entries[i].name && other[i].shape == entries[i].shape &&
                other[i].dtype == entries[i].dtype,
            kWho, "{} has {} {} {} where {} has {} {} {}: expected models of one shape", sources[0],
            entries[i].name, entries[i].dtype, entries[i].shape.str(), sources[k], other[i].name,
            other[i].dtype, other[i].shape.str());
  }
  std::vector<NamedTensor> mean;
  for (const auto& entry : entries) mean.push_back({entry.name, mean_of(files, entry)});
  return mean;
}

void average(std::span<const std::string> paths, const std::string& out) {
  check(!paths.empty(), kWho, "there is nothing to average");
  check(!std::filesystem::exists(out + "/state.json"), kWho,
        "{} is a checkpoint that a training run goes on from: choose another --out", out);
  std::vector<std::string> places;
  for (const std::string& path : paths) places.push_back(models::find_model(path));
  const auto describe = [](const std::string& place) {
    models::AnyModel model = models::load_any_model(place);
    check(model.net->precision() == nn::Precision::kF32, kWho,
          "{} has weights in 8 bits: average the models it was made from", place);
    model.written = Written::kWhole;
    return models::describe(model);
  };
  const NamedFiles files = describe(places.front());
  std::vector<Safetensors> weights;
  for (const std::string& place : places) {
    const NamedFiles other = describe(place);
    for (size_t i = 0; i < std::max(files.size(), other.size()); ++i)
      check(i < files.size() && i < other.size() && files[i] == other[i], kWho,
            "{} and {} differ in {}: expected models of one shape, with the same vocabularies",
            places.front(), place, i < files.size() ? files[i].first : other[i].first);
    weights.push_back(Safetensors::open(place + "/model.safetensors"));
  }
  save_checkpoint(out, {.files = files, .weights = mean_of(weights, places), .optimizer = {}});
}

}  // namespace fovea::train
