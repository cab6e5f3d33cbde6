// Special tokens of a model that turns one sequence into another, as its own config.json has them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "fovea/data/tokenizer.h"

namespace fovea::models {

// f(key, id) of every one; `options` has source_ids and ids, the target's. -1 is null in config.json: there is none.
template <typename Options, typename F>
void each_special_id(Options& options, F&& f) {
  f("source_pad_token_id", options.source_ids.pad);
  f("source_eos_token_id", options.source_ids.eos);
  f("pad_token_id", options.ids.pad);
  f("unk_token_id", options.ids.unk);
  f("bos_token_id", options.ids.sos);
  f("eos_token_id", options.ids.eos);
}

// Throws unless every id is one of its vocabulary, and those that every sequence needs are there.
void check_special_ids(std::string_view who, const data::SpecialIds& source, int64_t source_vocab,
                       const data::SpecialIds& target, int64_t target_vocab);

// Adds the ids of the tokenizers to a config that has none. Throws where it has others: `dir` stands in the message.
void add_special_ids(nlohmann::json& config, const data::SpecialIds& source, const data::SpecialIds& target,
                     const std::string& dir);

}  // namespace fovea::models
