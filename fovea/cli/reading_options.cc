#include "fovea/cli/reading_options.h"

#include "fovea/cli/options.h"

namespace fovea::cli {

void add_reading_options(Arguments& app, ReadingOptions& options) {
  app.add_option("-m,--model", options.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_option("-i,--input", options.input, "sentences, one in each line, plain or gzip")
      ->capture_default_str()
      ->type_name("FILE");
  app.add_option("--batch", options.read.batch, "sentences side by side; changes the speed alone")
      ->capture_default_str()
      ->range(int64_t{1}, int64_t{1} << 16)
      ->type_name("N");
  options.read.can_crop = true;
  app.add_flag("--crop", options.read.crop,
               "cut lines that are longer than the model can read, instead of stopping with an error");
  app.add_flag("--stats", options.stats, "say how fast it was");
  add_threads(app);
}

}  // namespace fovea::cli
