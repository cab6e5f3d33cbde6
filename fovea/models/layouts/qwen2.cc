// Qwen2 (Yang et al. 2024): Llama with biases in the projections to queries, keys and values.
#include "fovea/models/layouts/generation_config.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/layouts/llama_family.h"

namespace fovea::models {
namespace {

void fix(GptOptions& o) {
  fix_llama(o);
  o.qkv_bias = true;
}

// Newer configs say of every layer what it sees.
void full_attention(const HfConfig& config) {
  if (!config.has("layer_types")) return;
  for (const auto& type : config.json()["layer_types"])
    check(type == "full_attention", "qwen2",
          "config: layer_types has {}: only \"full_attention\" is possible here", quote(type.dump()));
}

constexpr auto kFields = [](auto& f, GptOptions& o) {
  f.write("architectures", {"Qwen2ForCausalLM"});
  llama_fields(f, o, {.vocab = 151936, .width = 4096, .hidden = 22016, .positions = 32768});
  f.only("use_sliding_window", false);
  if (o.n_head > 0) f.only("head_dim", o.n_embd / o.n_head);
  if constexpr (std::remove_reference_t<decltype(f)>::kReads) full_attention(f.config());
};

}  // namespace

constexpr Layout layouts::kQwen2 = {.model_type = "qwen2",
                                    .model = "gpt",
                                    .names = kLlamaNames,
                                    .prefix = "model.",
                                    .left_out = kLlamaLeftOut,
                                    .config = config_form<GptOptions, fix>(kFields),
                                    .complete = add_generation_ends};

}  // namespace fovea::models
