#include "fovea/cli/options.h"

#include "fovea/base/nearest.h"
#include "fovea/base/parallel.h"
#include "fovea/base/quote.h"
#include "fovea/cli/output.h"

namespace fovea::cli {

bool parse(CLI::App& app, int argc, char** argv) {
  // CLI11 takes "[a]" for a list, and would pass on "a": a mark at its end, which is taken off again, keeps it whole.
  constexpr char kMark = '\x1f';
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string& text = arguments.emplace_back(argv[i]);
    if (text.ends_with(']') && (text.starts_with('[') || text.find("=[") != std::string::npos)) text += kMark;
  }
  const CLI::Validator unmark(
      [](std::string& text) {
        if (text.ends_with(kMark)) text.pop_back();
        return std::string();
      },
      "");
  for (CLI::Option* option : app.get_options()) option->transform(unmark);
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ExtrasError&) {
    std::vector<std::string> known;
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (std::string extra : app.remaining())
      if (extra.starts_with("-"))
        throw CLI::ExtrasError(
            fmt::format("there is no option {}: did you mean {}?", quote(extra.substr(0, extra.find('='))),
                        nearest(extra.substr(0, extra.find('=')), known, 1).front()),
            CLI::ExitCodes::ExtrasError);
    throw;
  } catch (const CLI::CallForHelp&) {
    print("{}", app.help());
    return false;
  }
  return true;
}

void add_threads(CLI::App& app) {
  constexpr int kMost = 1024;
  app.add_option_function<int>(
         "--threads", [](int n) { set_threads(n); }, "Threads to use; 0: one per core")
      ->check(CLI::Range(0, kMost))
      ->type_name("N");
}

}  // namespace fovea::cli
