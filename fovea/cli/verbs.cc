#include "fovea/cli/verbs.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kUse = "Train and use a model", kText = "Models that read text", kJudge = "Judge",
                           kFiles = "Models and data", kStudy = "Attention itself";

constexpr Verb kVerbs[] = {
    {"train", kUse, "trains a model on your text, or goes on with a run", train,
     "fovea train --train-sets train.en train.de --after 20m --out en-de"},
    {"translate", kUse, "source lines in, target lines out: beam search, n-best lists, alignments", translate,
     "fovea translate -m en-de < source.txt"},
    {"generate", kUse, "continues a text", generate, "fovea generate -m gpt2 --prompt \"Once upon a time\""},
    {"look", kUse, "shows where a model looked for each token", look,
     "fovea look -m en-de \"I am a student .\" --html map.html"},
    {"caption", kUse, "says what is seen in pictures", caption, "fovea caption -m scenes picture.png"},
    {"match", kUse, "says how well texts describe pictures", match,
     "fovea match -m clip-vit-base-patch32 --labels labels.txt cat.jpg"},
    {"fill", kText, "says which tokens fit the gaps of a sentence", fill,
     "fovea fill -m bert \"Paris is the [MASK] of France .\""},
    {"embed", kText, "makes one vector of each line, or of each picture", embed,
     "fovea embed -m bert --out vectors.npy < lines.txt"},
    {"classify", kText, "says the label of each line, of each of its words, or of each picture", classify,
     "fovea classify -m sentiment < reviews.txt"},
    {"eval", kJudge, "BLEU, chrF, exact match, alignment error rate, perplexity", eval,
     "fovea eval --hyp output.txt --ref reference.txt"},
    {"score", kJudge, "log-probabilities and alignments of given translations", score,
     "fovea score -m en-de --source a.en --target a.de"},
    {"logits", kJudge, "what a model computes from given ids or a picture, for comparing with other programs",
     logits, "fovea logits -m gpt2 --ids 464,3290 --out logits.npy"},
    {"info", kFiles, "says what a model is", info, "fovea info -m en-de"},
    {"convert", kFiles, "writes a model for Hugging Face transformers, or in 8 bits", convert,
     "fovea convert --from en-de --out en-de-int8 --quantize int8"},
    {"average", kFiles, "makes one model of several: the mean of their weights", average,
     "fovea average -m en-de --last 5 --out en-de-average"},
    {"tokenize", kFiles, "lines into the tokens or ids that a model reads, and back", tokenize,
     "fovea tokenize -m en-de --ids < lines.txt"},
    {"corpus", kFiles,
     "writes the built-in corpora: lines (copy, reverse, dates, grammar), pictures (scenes, digits)", corpus,
     "fovea corpus grammar --out corpus"},
    {"attend", kStudy, "computes attention on your own arrays: score, mask, weigh, read", attend,
     "fovea attend --example"},
    {"study", kStudy, "the classic claims as experiments: a table, a plot, a sentence", study,
     "fovea study length --out length"},
    {"bench", kStudy, "times the engine, with the machine's limit beside each figure", bench,
     "fovea bench attention"},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

const Verb* find_verb(std::string_view name) {
  for (const Verb& verb : kVerbs)
    if (verb.name == name) return &verb;
  return nullptr;
}

}  // namespace fovea::cli
