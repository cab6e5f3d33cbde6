// Builds an attention layer, trains it to find the marked word of a sequence, and prints where it looks.
#include <cstdio>

#include "fovea/autograd/arithmetic.h"
#include "fovea/autograd/reduce.h"
#include "fovea/look/terminal.h"
#include "fovea/nn/attention.h"
#include "fovea/train/optimizer.h"

using namespace fovea;

int main() {
  nn::Attention attention({.width = 8, .score = "additive"});
  nn::ParameterList parameters;
  attention.collect("attention.", parameters);
  train::Optimizer adam({.name = "adam", .learning_rate = 0.01f});
  Random random(1);

  nn::Attended seen;
  for (int step = 0; step <= 400; ++step) {
    // 6 random words, one of them marked by a 3 in its first place; the answer is the marked word.
    const Tensor words = nn::normal({32, 6, 8}, 1, random), answer = Tensor::empty({32, 1, 8}),
                 ask = Tensor::full({32, 1, 8}, 1);
    for (int64_t b = 0; b < 32; ++b) {
      const int64_t marked = b % 6;
      for (int64_t w = 0; w < 6; ++w) words.data<float>()[(b * 6 + w) * 8] = w == marked ? 3.0f : 0.0f;
      std::copy_n(words.data<float>() + (b * 6 + marked) * 8, 8, answer.data<float>() + b * 8);
    }
    autograd::Tape tape;
    seen = attention(ask, words, words, {.look = nn::look_at({.batches = {0, 1, 2, 3, 4, 5}})});
    const autograd::Var miss = seen.context - answer, loss = autograd::mean(miss * miss);
    if (step % 100 == 0) std::printf("step %3d   loss %.4f\n", step, loss.value().item());
    for (nn::Parameter* p : parameters) p->zero_grad();
    tape.backward(loss);
    adam.step(parameters);
  }
  look::Map map;
  map.rows = map.columns = {"1st", "2nd", "3rd", "4th", "5th", "6th"};
  map.weights = seen.seen.weights.reshape({6, 6});
  map.title = "marked word (down) and where the layer looked (across)";
  std::fputs(look::to_terminal(map).c_str(), stdout);
  return map.weights.data<float>()[0] > 0.9f ? 0 : 1;
}
