#include "fovea/cli/options.h"

#include "fovea/base/parallel.h"
#include "fovea/cli/output.h"

namespace fovea::cli {

bool parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
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
