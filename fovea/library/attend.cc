#include <limits>

#include "fovea/library/arrays.h"
#include "fovea/library/guarded.h"
#include "fovea/nn/attend_arrays.h"

namespace fovea {
namespace {

Tensor truth_of(const ArrayView& view) {
  const Tensor numbers = library::tensor_of(view, "visible");
  if (!numbers.defined()) return {};
  Tensor truth = Tensor::empty(numbers.shape(), DType::kU8);
  for (int64_t i = 0; i < numbers.size(); ++i) truth.data<uint8_t>()[i] = view.data[i] != 0;
  return truth;
}

Attended attended(const ArrayView& query, const ArrayView& key, const ArrayView& value,
                  const AttendOptions& options) {
  nn::ArrayAttention arrays;
  arrays.query = library::tensor_of(query, "query");
  arrays.key = library::tensor_of(key, "key");
  arrays.value = library::tensor_of(value, "value");
  arrays.score = options.score;
  for (const auto& [name, param] : options.params) arrays.params[name] = library::tensor_of(param, name);
  arrays.heads = options.heads;
  arrays.kv_heads = options.kv_heads;
  const bool named = !options.mask.empty() && options.mask != "none";
  arrays.masks = nn::MaskSpec(options.causal ? (named ? "causal+" + options.mask : "causal") : options.mask);
  if (!options.lengths.empty()) {
    arrays.lengths = Tensor::empty({static_cast<int64_t>(options.lengths.size())}, DType::kI32);
    for (size_t i = 0; i < options.lengths.size(); ++i) {
      check(options.lengths[i] >= 0 && options.lengths[i] <= std::numeric_limits<int32_t>::max(), "attend",
            "a length of {}: expected the number of keys, or fewer", options.lengths[i]);
      arrays.lengths.data<int32_t>()[i] = static_cast<int32_t>(options.lengths[i]);
    }
  }
  arrays.visible = truth_of(options.visible);
  arrays.bias = library::tensor_of(options.bias, "bias");
  arrays.relative = library::tensor_of(options.relative, "relative");
  arrays.rope = options.rope;
  arrays.hard = options.hard;
  arrays.seed = options.seed;
  arrays.path = options.plain ? nn::Path::kPlain : nn::Path::kBest;
  const nn::Look everything;
  if (options.weights) arrays.look = &everything;
  arrays.upstream = library::tensor_of(options.upstream, "upstream");
  const nn::ArrayAttended y = nn::attend_arrays(arrays);
  Attended result;
  result.context = library::array_of(y.context);
  if (options.weights) result.weights = library::array_of(y.seen.weights);
  if (y.chosen.defined()) result.chosen = y.chosen.values<int32_t>();
  for (const auto& [name, gradient] : y.gradients) result.gradients[name] = library::array_of(gradient);
  return result;
}

}  // namespace

Attended attend(const ArrayView& query, const ArrayView& key, const ArrayView& value,
                const AttendOptions& options) {
  return library::guarded("attend", [&] { return attended(query, key, value, options); });
}

}  // namespace fovea
