#include "fovea/models/special_ids.h"

#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"

namespace fovea::models {
namespace {

struct Ids {
  data::SpecialIds source_ids, ids;
};

}  // namespace

void check_special_ids(std::string_view who, const data::SpecialIds& source, int64_t source_vocab,
                       const data::SpecialIds& target, int64_t target_vocab) {
  const Ids all{source, target};
  each_special_id(all, [&](std::string_view key, int32_t id) {
    const int64_t vocab = key.starts_with("source") ? source_vocab : target_vocab;
    const bool needed = key.ends_with("eos_token_id") || key == "bos_token_id";
    check(id < vocab && id >= (needed ? 0 : -1), who,
          "config: {} is {}: expected an id of a vocabulary of {}", key, id, grouped(vocab));
  });
}

void add_special_ids(nlohmann::json& config, const data::SpecialIds& source, const data::SpecialIds& target,
                     const std::string& dir) {
  const Ids all{source, target};
  each_special_id(all, [&](const char* key, int32_t id) {
    const nlohmann::json theirs = id < 0 ? nlohmann::json() : nlohmann::json(id);
    const auto found = config.find(key);
    if (found == config.end())
      config[key] = theirs;
    else
      check(*found == theirs, "model",
            "{}: config.json says {} for {}, and the tokenizer {}: they do not belong together", dir,
            quote(found->dump()), key, theirs.dump());
  });
}

}  // namespace fovea::models
