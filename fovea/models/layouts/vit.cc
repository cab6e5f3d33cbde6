// ViT (Dosovitskiy et al. 2021). What stands before a head has names that begin with "vit.".
#include "fovea/models/layouts/vit_family.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {.ours = "class_token.weight", .theirs = "vit.embeddings.cls_token", .lead = 1},
    {.ours = "positions.weight", .theirs = "vit.embeddings.position_embeddings", .lead = 1},
    {.ours = "patches.weight",
     .theirs = "vit.embeddings.patch_embeddings.projection.weight",
     .patches = true},
    {"patches.bias", "vit.embeddings.patch_embeddings.projection.bias"},
    {"layer.#.self.qkv.", "vit.encoder.layer.#.attention.attention.query.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "vit.encoder.layer.#.attention.attention.key.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "vit.encoder.layer.#.attention.attention.value.", false, NameRule::kValue},
    {"layer.#.self.out.", "vit.encoder.layer.#.attention.output.dense."},
    {"layer.#.self_norm.", "vit.encoder.layer.#.layernorm_before."},
    {"layer.#.feed_forward.in.", "vit.encoder.layer.#.intermediate.dense."},
    {"layer.#.feed_forward.out.", "vit.encoder.layer.#.output.dense."},
    {"layer.#.feed_forward_norm.", "vit.encoder.layer.#.layernorm_after."},
    {"norm.", "vit.layernorm."},
    {"pooler.", "vit.pooler.dense."},
    {"classifier.", "classifier."},
};
constexpr std::string_view kLeftOut[] = {"embeddings.mask_token", "pooler.dense.weight", "pooler.dense.bias"};
constexpr HeadName kHeads[] = {{"none", "Model"}, {"labels", "ForImageClassification"}};

void fix(VitOptions&) {}

constexpr auto kFields = [](auto& f, VitOptions& o) { vit_fields(f, o, "ViT", kHeads); };

}  // namespace

constexpr Layout layouts::kVit = {.model_type = "vit",
                                  .model = "vit",
                                  .names = kNames,
                                  .prefix = "vit.",
                                  .left_out = kLeftOut,
                                  .config = config_form<VitOptions, fix>(kFields),
                                  .complete = complete_vit};

}  // namespace fovea::models
