#include "fovea/cli/bench_step.h"

#include "fovea/autograd/arithmetic.h"
#include "fovea/base/random.h"
#include "fovea/nn/parameter_buffer.h"

namespace fovea::cli {
namespace {

Tensor random_ids(int64_t rows, int64_t length, int64_t below, Random& random) {
  const Tensor ids = Tensor::empty({rows, length}, DType::kI32);
  for (int32_t& id : ids.span<int32_t>()) id = static_cast<int32_t>(random.below(below));
  return ids;
}

// A model, its optimiser and one batch; step() is one update.
struct Training {
  Training(std::unique_ptr<models::Net> made, data::Batch examples, const StepRecipe& recipe)
      : model(std::move(made)),
        parameters(model->parameters()),
        optimizer(recipe.optimizer),
        batch(std::move(examples)),
        label_smoothing(recipe.label_smoothing) {
    nn::gather(parameters);
  }

  void step() {
    autograd::Tape tape;
    const models::Cost cost =
        model->cost(batch, {.training = true, .step = ++count, .label_smoothing = label_smoothing});
    for (autograd::Parameter* parameter : parameters) parameter->clear_grad();
    tape.backward(autograd::scale(cost.total, 1.0 / static_cast<double>(cost.tokens)));
    optimizer.step(parameters);
  }

  std::unique_ptr<models::Net> model;
  nn::ParameterList parameters;
  train::Optimizer optimizer;
  data::Batch batch;
  float label_smoothing;
  uint64_t count = 0;
};

}  // namespace

data::Batch random_batch(int64_t rows, int64_t source, int64_t target, int64_t vocabulary) {
  Random random(1);
  data::Batch batch;
  batch.source = {random_ids(rows, source, vocabulary, random),
                  Tensor::full({rows}, static_cast<double>(source), DType::kI32)};
  batch.target_in = random_ids(rows, target, vocabulary, random);
  batch.target_out = random_ids(rows, target, vocabulary, random);
  batch.target_lengths = Tensor::full({rows}, static_cast<double>(target), DType::kI32);
  batch.target_tokens = rows * target;
  return batch;
}

BenchCase step_case(const char* name, double gflop, std::function<std::unique_ptr<models::Net>()> make,
                    std::function<data::Batch()> batch, StepRecipe recipe) {
  return {.name = name, .gflop = gflop, .setup = [=]() -> std::function<void()> {
            const auto training = std::make_shared<Training>(make(), batch(), recipe);
            return [training] { training->step(); };
          }};
}

}  // namespace fovea::cli
