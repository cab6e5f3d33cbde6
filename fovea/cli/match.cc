// fovea match: which of several texts describes each picture best.
#include "fovea/decode/match.h"
#include "fovea/base/error.h"
#include "fovea/cli/classify_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/text_file.h"
#include "fovea/run/load.h"

namespace fovea::cli {

int match(int argc, char** argv) {
  std::string model, labels_file;
  PictureRequest r;
  r.top = 0;
  Arguments app(
      "Says how well each of several texts describes each picture, with a CLIP: probabilities, which sum to "
      "1 over "
      "the texts. The most probable one comes first.",
      "fovea match");
  app.add_option("-m,--model", model, "directory of the model")->required()->type_name("DIR");
  app.add_option("--labels", labels_file, "texts, one in each line: a photo of a cat")
      ->required()
      ->type_name("FILE");
  app.add_option("files", r.files, "pictures, or directories of them")->required()->type_name("FILE");
  app.add_option("--top", r.top, "so many texts, the most probable first; otherwise all")
      ->range(1, 1'000'000)
      ->type_name("K");
  app.add_flag("--json", r.json, "one JSON object a line");
  add_threads(app);
  app.footer("Example:\n  fovea match -m clip-vit-base-patch32 --labels labels.txt cat.jpg --top 3");
  if (!parse(app, argc, argv)) return 0;
  const run::Loaded loaded = run::load(model);
  const std::shared_ptr<const run::Matcher> matcher = run::as_matcher(loaded, model);
  const std::vector<std::string> labels = data::read_lines(labels_file, "match");
  check(!labels.empty(), "match", "{}: there are no labels in it: expected one in each line", labels_file);
  for (size_t i = 0; i < labels.size(); ++i)
    check(labels[i].find_first_not_of(" \t") != std::string::npos, "match",
          "{}: line {} is empty: expected a text", labels_file, i + 1);
  if (r.top == 0) r.top = static_cast<int64_t>(labels.size());
  const decode::LabelMatcher match(matcher, *loaded.source, labels);
  for_each_pictures(picture_files(r.files, "match"), "match", [&](auto names, auto pictures) {
    const std::vector<decode::LabelValues> all = match(pictures);
    for (size_t i = 0; i < all.size(); ++i) write_output(line_of_labels(names[i], labels, all[i], r) + "\n");
    flush_output();
  });
  return 0;
}

}  // namespace fovea::cli
