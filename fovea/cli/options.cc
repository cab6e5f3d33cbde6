#include "fovea/cli/options.h"

#include "fovea/base/parallel.h"
#include "fovea/cli/help_text.h"
#include "fovea/cli/output.h"

namespace fovea::cli {

bool parse(Arguments& app, int argc, char** argv) {
  std::string help;
  if (app.parse(argc, argv, help)) return true;
  write_output(terminal_help(help));
  return false;
}

void add_threads(Arguments& app) {
  constexpr int kMost = 1024;
  app.add_option_function<int>(
         "--threads", [](int n) { set_threads(n); }, "threads to use; 0: one per core")
      ->range(0, kMost)
      ->type_name("N");
}

}  // namespace fovea::cli
