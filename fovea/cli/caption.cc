// fovea caption: says what is seen in pictures.
#include <nlohmann/json.hpp>

#include "fovea/cli/classify_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/decode/caption.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

struct CaptionRequest {
  std::string model;
  std::vector<std::string> files;
  decode::CaptionOptions how;
  bool n_best = false, json = false;
};

// FILE <tab> CAPTION, with --n-best FILE <tab> CAPTION <tab> LOG-PROBABILITY for each; or an object.
std::string lines_of(const CaptionRequest& r, const std::string& file,
                     const std::vector<decode::Candidate>& captions) {
  if (!r.json) {
    std::string lines;
    for (const decode::Candidate& one : captions)
      lines +=
          fmt::format("{}\t{}{}\n", file, one.text, r.n_best ? fmt::format("\t{:.4f}", one.log_prob) : "");
    return lines;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const decode::Candidate& one : captions)
    all.push_back({{"caption", one.text}, {"log_prob", one.log_prob}, {"score", one.score}});
  return nlohmann::json{{"file", file}, {"caption", captions.front().text}, {"captions", all}}.dump() + "\n";
}

}  // namespace

int caption(int argc, char** argv) {
  CaptionRequest r;
  Arguments app("Says what is seen in each picture.", "fovea caption");
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_option("files", r.files, "pictures, or directories of them")->required()->type_name("FILE");
  app.add_option("-b,--beam-size", r.how.search.beam_size, "hypotheses that go on together; 1: greedy")
      ->capture_default_str()
      ->range(1, 1000)
      ->type_name("N");
  app.add_flag("--n-best", r.n_best, "every caption of the beam, with its log-probability");
  app.add_flag("--json", r.json, "one JSON object a line");
  add_threads(app);
  app.footer("Example:\n  fovea caption -m scenes picture.png --beam-size 4");
  if (!parse(app, argc, argv)) return 0;
  if (r.n_best) r.how.search.n_best = r.how.search.beam_size;
  const run::LoadedDecoder model = run::load_captioner(r.model);
  for_each_pictures(picture_files(r.files, "caption"), "caption", [&](auto names, auto pictures) {
    const std::vector<std::vector<decode::Candidate>> all = decode::caption_pictures(model, pictures, r.how);
    for (size_t i = 0; i < all.size(); ++i) write_output(lines_of(r, names[i], all[i]));
    flush_output();
  });
  return 0;
}

}  // namespace fovea::cli
