// Models that continue or read texts: that they learn. text_goldens_test.cc is about their gradients.
#include <gtest/gtest.h>

#include "fovea/autograd/arithmetic.h"
#include "fovea/models/bert.h"
#include "fovea/models/gpt.h"
#include "fovea/train/optimizer.h"
#include "tests/models/random_batch.h"

namespace fovea::models {
namespace {

struct Kind {
  const char* name;
  std::shared_ptr<Net> (*make)();
  bool reads;  // source and wanted words, rather than a text and what follows
};

std::shared_ptr<Net> gpt(const char* layout, bool bias, bool tied, int64_t kv_heads) {
  GptOptions o = gpt_defaults(layout);
  o.vocab = 13;
  o.n_layer = 2;
  o.n_head = 4;
  o.n_kv_head = kv_heads;
  o.n_embd = 16;
  o.block_size = 8;
  if (!o.rotary()) o.bias = bias;
  o.tied = tied;
  return std::make_shared<Gpt>(o, 3);
}
std::shared_ptr<Net> bert(const char* head) {
  BertOptions o;
  o.vocab = 13;
  o.layers = 2;
  o.heads = 4;
  o.width = 16;
  o.dim_ffn = 24;
  o.max_positions = 9;
  o.dropout = o.dropout_attention = 0;
  o.head = head;
  o.pooler = o.head == "labels";
  if (o.head != "words") o.labels = {"a", "b", "c"};
  return std::make_shared<Bert>(o, 3);
}

const Kind kKinds[] = {
    {"gpt2", [] { return gpt("gpt2", true, true, 0); }, false},
    {"gpt2_bare", [] { return gpt("gpt2", false, false, 0); }, false},
    {"llama", [] { return gpt("llama", false, true, 2); }, false},
    {"bert_words", [] { return bert("words"); }, true},
    {"bert_labels", [] { return bert("labels"); }, true},
    {"bert_token_labels", [] { return bert("token_labels"); }, true},
};

data::Batch some_batch(const Kind& kind, Net& net) {
  Random random(4);
  constexpr int64_t B = 3, T = 8;
  const auto ids = [&](int64_t rows, int64_t cols, int64_t below) {
    const Tensor x = Tensor::empty({rows, cols}, DType::kI32);
    for (int32_t& id : x.span<int32_t>()) id = static_cast<int32_t>(random.below(below));
    return x;
  };
  data::Batch batch;
  const nlohmann::json config = net.config();
  const bool of_sentence = kind.reads && config["architectures"][0] == "BertForSequenceClassification";
  const int64_t choices = kind.reads && config["architectures"][0] != "BertForMaskedLM" ? 3 : 13;
  batch.target_out = ids(B, of_sentence ? 1 : T, choices);
  if (kind.reads) {
    batch.source = {ids(B, T, 13), Tensor::of<int32_t>({B}, std::vector<int32_t>{8, 5, 7}), ids(B, T, 2)};
    for (int64_t i = 0; !of_sentence && i < B * T; ++i)
      if (i % 2 || i % T >= 5) batch.target_out.data<int32_t>()[i] = data::kIgnore;
  } else {
    batch.target_in = ids(B, T, 13);
  }
  for (const int32_t id : batch.target_out.span<int32_t>()) batch.target_tokens += id != data::kIgnore;
  return batch;
}

class TextNets : public ::testing::TestWithParam<Kind> {};

TEST_P(TextNets, LearnsABatchByHeart) {
  const std::shared_ptr<Net> net = GetParam().make();
  const data::Batch batch = some_batch(GetParam(), *net);
  const nn::ParameterList parameters = net->parameters();
  train::Optimizer optimizer({.name = "adam", .learning_rate = 0.02f, .clip_norm = 1});
  double first = 0, last = 0;
  for (uint64_t step = 1; step <= 150; ++step) {
    autograd::Tape tape;
    const Cost cost = net->cost(batch, {.training = true, .step = step});
    for (nn::Parameter* p : parameters) p->clear_grad();
    tape.backward(autograd::scale(cost.total, 1.0 / static_cast<double>(cost.tokens)));
    optimizer.step(parameters);
    last = cost.cross_entropy / static_cast<double>(cost.tokens);
    if (step == 1) first = last;
  }
  EXPECT_GT(first, 0.8);
  EXPECT_LT(last, 0.15);
}

TEST_P(TextNets, AStepAfterTheFirstTakesNothingFromTheHeap) {
  const std::shared_ptr<Net> net = GetParam().make();
  EXPECT_EQ(allocations_of_steps(*net, some_batch(GetParam(), *net)), 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, TextNets, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fovea::models
