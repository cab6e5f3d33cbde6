// The verbs of the command. To add one: cli/NAME.cc, its declaration here, its row in verbs.cc, a transcript
// test.
//
// A verb gets its own arguments (argv[0] is its name), writes results to standard output through
// cli/output.h, talks on standard error, and returns the exit code. It throws Error for a failure and
// UsageError for wrong usage.
#pragma once

#include <span>
#include <string_view>

namespace fovea::cli {

struct Verb {
  std::string_view name, group, summary;
  int (*run)(int argc, char** argv);
  std::string_view example;
};

// In the order in which --help lists them; those of a group are together.
std::span<const Verb> verbs();
// Null for an unknown name.
const Verb* find_verb(std::string_view name);

int attend(int argc, char** argv);
int average(int argc, char** argv);
int bench(int argc, char** argv);
int caption(int argc, char** argv);
int classify(int argc, char** argv);
int convert(int argc, char** argv);
int corpus(int argc, char** argv);
int embed(int argc, char** argv);
int eval(int argc, char** argv);
int fill(int argc, char** argv);
int generate(int argc, char** argv);
int info(int argc, char** argv);
int logits(int argc, char** argv);
int look(int argc, char** argv);
int match(int argc, char** argv);
int score(int argc, char** argv);
int study(int argc, char** argv);
int tokenize(int argc, char** argv);
int train(int argc, char** argv);
int translate(int argc, char** argv);

}  // namespace fovea::cli
