// fovea VERB ...: finds the verb, and turns what it throws into one line on standard error and an exit code:
// 0 success, 1 failure, 2 wrong usage.
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/cpu.h"
#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/cli/arguments.h"
#include "fovea/cli/help_text.h"
#include "fovea/cli/output.h"
#include "fovea/cli/terminal.h"
#include "fovea/cli/verbs.h"
#include "fovea/fovea.h"

namespace fovea::cli {
namespace {

constexpr int kFailure = 1, kWrongUsage = 2;

// Errors are one line (which a terminal breaks between words), also where a message of a library has several.
void complain(std::string_view who, std::string message) {
  for (char& c : message)
    if (c == '\n' || c == '\r') c = ' ';
  while (!message.empty() && message.back() == ' ') message.pop_back();
  fmt::print(stderr, "{}",
             terminal_text((who.empty() ? "" : fmt::format("[{}] ", who)) + message, STDERR_FILENO));
}

std::string help() {
  std::string text =
      "Attention you can train, run and look at.\n"
      "Usage: fovea VERB [OPTIONS]\n";
  std::string_view group;
  for (const Verb& verb : verbs()) {
    if (group != verb.group) text += fmt::format("\n{}:\n", verb.group);
    group = verb.group;
    text += fmt::format("  {:<12}{}\n{:14}{}\n", verb.name, verb.summary, "", verb.example);
  }
  return text +
         "\nOptions:\n"
         "  -h,--help   this text; fovea help VERB or fovea VERB --help: a verb's options\n"
         "  --version   the version\n";
}

int unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  const std::string hint = did_you_mean(name, names);
  complain("fovea", fmt::format("{} is not a verb{} fovea --help lists them all", quote(name),
                                hint.empty() ? ";" : hint));
  return kWrongUsage;
}

int run(int argc, char** argv);

// fovea help VERB is fovea VERB --help.
int help_of(const std::string& verb) {
  std::string words[] = {"fovea", verb, "--help"};
  char* argv[] = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  return run(3, argv);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "{}", terminal_help(help(), STDERR_FILENO));
    return kWrongUsage;
  }
  const std::string name = argv[1];
  if (name == "--help" || name == "-h") {
    write_output(terminal_help(help()));
    return 0;
  }
  if (name == "--version") {
    print("fovea {}\n", version());
    return 0;
  }
  if (name == "help") return help_of(argc > 2 ? argv[2] : "--help");
  const Verb* verb = find_verb(name);
  if (!verb) return unknown(name);
  try {
    limit_simd_by_environment();
    return verb->run(argc - 1, argv + 1);
  } catch (const UsageError& error) {
    complain(name, fmt::format("{}; see fovea {} --help", error.what(), name));
    return kWrongUsage;
  } catch (const Error& error) {
    complain("", error.what());
  } catch (const std::bad_alloc&) {
    complain(name, "the system has not enough memory for this: give it less at a time");
  } catch (const std::exception& error) {
    complain(name, fmt::format("unexpected failure: {}", error.what()));
  }
  return kFailure;
}

}  // namespace
}  // namespace fovea::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is then an error of the write, which OutputClosed reports
  std::signal(SIGXFSZ, SIG_IGN);  // and so is a file over the limit
  try {
    const int code = fovea::cli::run(argc, argv);
    fovea::cli::flush_output();
    return code;
  } catch (const fovea::cli::OutputClosed&) {
    return 0;
  } catch (const std::exception& error) {
    fovea::cli::complain("", error.what());
    return fovea::cli::kFailure;
  }
}
