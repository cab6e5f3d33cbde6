// Keys that Llama and its relatives have in common.
#pragma once

#include "fovea/models/gpt_options.h"
#include "fovea/models/layouts/fields.h"

namespace fovea::models {

// Where older programs look for the base, and newer ones. Only plain rotary positions are computed.
inline void rotary_positions(FieldReader& f, GptOptions& o) {
  f("rope_theta", o.rope_base, 10000.0);
  if (f.config().has("rope_parameters")) {
    const HfConfig rope(f.config().json()["rope_parameters"], "gpt");
    for (const auto& [key, value] : rope.json().items())
      if (key != "rope_theta")
        rope.only(key.c_str(), key == "partial_rotary_factor" ? nlohmann::json(1.0) : "default");
    o.rope_base = rope.real("rope_theta", o.rope_base);
  }
  check(!f.config().has("rope_scaling"), "gpt",
        "config: rope_scaling is not possible here: only plain rotary positions are");
}
inline void rotary_positions(FieldWriter& f, const GptOptions& o) {
  f.write("rope_theta", o.rope_base);
  f.write("rope_parameters", {{"rope_type", "default"}, {"rope_theta", o.rope_base}});
}

inline void key_heads(FieldReader& f, GptOptions& o) { f("num_key_value_heads", o.n_kv_head, 0); }
inline void key_heads(FieldWriter& f, const GptOptions& o) {
  f.write("num_key_value_heads", o.n_kv_head > 0 ? o.n_kv_head : o.n_head);
}

inline void hidden_units(FieldReader& f, GptOptions& o, int64_t otherwise) {
  f("intermediate_size", o.dim_ffn, otherwise);
}
inline void hidden_units(FieldWriter& f, const GptOptions& o, int64_t) {
  f.write("intermediate_size", o.hidden());
}

}  // namespace fovea::models
