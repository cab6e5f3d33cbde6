// DeiT (Touvron et al. 2021): ViT with a second token, which learned from a teacher.
#include "fovea/models/layouts/vit_family.h"

namespace fovea::models {
namespace {

constexpr NameRule kNames[] = {
    {.ours = "class_token.weight", .theirs = "deit.embeddings.cls_token", .lead = 1},
    {.ours = "distillation_token.weight", .theirs = "deit.embeddings.distillation_token", .lead = 1},
    {.ours = "positions.weight", .theirs = "deit.embeddings.position_embeddings", .lead = 1},
    {.ours = "patches.weight",
     .theirs = "deit.embeddings.patch_embeddings.projection.weight",
     .patches = true},
    {"patches.bias", "deit.embeddings.patch_embeddings.projection.bias"},
    {"layer.#.self.qkv.", "deit.encoder.layer.#.attention.attention.query.", false, NameRule::kQuery},
    {"layer.#.self.qkv.", "deit.encoder.layer.#.attention.attention.key.", false, NameRule::kKey},
    {"layer.#.self.qkv.", "deit.encoder.layer.#.attention.attention.value.", false, NameRule::kValue},
    {"layer.#.self.out.", "deit.encoder.layer.#.attention.output.dense."},
    {"layer.#.self_norm.", "deit.encoder.layer.#.layernorm_before."},
    {"layer.#.feed_forward.in.", "deit.encoder.layer.#.intermediate.dense."},
    {"layer.#.feed_forward.out.", "deit.encoder.layer.#.output.dense."},
    {"layer.#.feed_forward_norm.", "deit.encoder.layer.#.layernorm_after."},
    {"norm.", "deit.layernorm."},
    {"pooler.", "deit.pooler.dense."},
    {"classifier.", "classifier."},
    {"cls_classifier.", "cls_classifier."},
    {"teacher_classifier.", "distillation_classifier."},
};
constexpr std::string_view kLeftOut[] = {"embeddings.mask_token", "pooler.dense.weight", "pooler.dense.bias"};
constexpr HeadName kHeads[] = {{"none", "Model"},
                               {"labels", "ForImageClassification"},
                               {"teacher", "ForImageClassificationWithTeacher"}};

void fix(VitOptions& o) { o.distilled = true; }

constexpr auto kFields = [](auto& f, VitOptions& o) { vit_fields(f, o, "DeiT", kHeads); };

}  // namespace

constexpr Layout layouts::kDeit = {.model_type = "deit",
                                   .model = "vit",
                                   .names = kNames,
                                   .prefix = "deit.",
                                   .left_out = kLeftOut,
                                   .config = config_form<VitOptions, fix>(kFields),
                                   .complete = complete_vit};

}  // namespace fovea::models
