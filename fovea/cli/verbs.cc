#include "fovea/cli/verbs.h"

namespace fovea::cli {
namespace {

constexpr Verb kVerbs[] = {
    {"attend", "computes attention on your own arrays: score, mask, weigh, read", attend},
    {"train", "trains a model on pairs of lines, or goes on with a run", train},
    {"average", "makes one model of several: the mean of their weights", average},
    {"translate", "source lines in, target lines out: beam search, n-best lists, alignments", translate},
    {"look", "translates a sentence, and shows where the model looked for each word", look},
    {"score", "log-probabilities and alignments of given translations", score},
    {"eval", "scores translations, alignments and models: BLEU, chrF, exact match, AER, perplexity", eval},
    {"generate", "continues a text", generate},
    {"fill", "says which words fit the gaps of a sentence", fill},
    {"embed", "makes one vector of each line", embed},
    {"classify", "says the label of each line, or of each of its words", classify},
    {"convert", "writes a model in another form: for Hugging Face transformers, or in 8 bits", convert},
    {"info", "says what a model is", info},
    {"logits", "what a model computes from given ids, for comparing with other programs", logits},
    {"tokenize", "lines into the pieces or ids that a model reads, and back", tokenize},
    {"bench", "times the engine, with the machine's limit beside each figure", bench},
    {"study", "the classic claims as experiments: a table, a plot, a sentence", study},
    {"corpus", "writes the built-in corpora: copy, reverse, dates, grammar", corpus},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

}  // namespace fovea::cli
