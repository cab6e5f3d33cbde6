#include "fovea/cli/verbs.h"

namespace fovea::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"attend", "computes attention on your own arrays: score, mask, weigh, read", attend},
    {"bench", "times the engine, with the machine's limit beside each figure", bench},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

}  // namespace fovea::cli
