// Llama (Touvron et al. 2023): no biases at all.
#include "fovea/models/layouts/generation_config.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/layouts/llama_family.h"

namespace fovea::models {
namespace {

constexpr auto kFields = [](auto& f, GptOptions& o) {
  f.write("architectures", {"LlamaForCausalLM"});
  llama_fields(f, o, {.vocab = 32000, .width = 4096, .hidden = 11008, .positions = 2048});
  f.only("attention_bias", false);
  f.only("mlp_bias", false);
  if (o.n_head > 0) f.only("head_dim", o.n_embd / o.n_head);
};

}  // namespace

constexpr Layout layouts::kLlama = {.model_type = "llama",
                                    .model = "gpt",
                                    .names = kLlamaNames,
                                    .prefix = "model.",
                                    .left_out = kLlamaLeftOut,
                                    .config = config_form<GptOptions, fix_llama>(kFields),
                                    .complete = add_generation_ends};

}  // namespace fovea::models
