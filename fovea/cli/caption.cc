// fovea caption: says what is seen in pictures.
#include <nlohmann/json.hpp>

#include "fovea/cli/classify_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/picture_map_output.h"
#include "fovea/cli/verbs.h"
#include "fovea/decode/caption.h"
#include "fovea/library/picture_maps.h"
#include "fovea/look/json.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

struct CaptionRequest {
  std::string model;
  std::vector<std::string> files;
  decode::CaptionOptions how;
  bool n_best = false, json = false, look = false;
  PictureFiles drawings;

  bool looks() const { return look || drawings.files(); }
};

constexpr size_t kMostDrawn = 100;  // pictures in one file

// FILE <tab> CAPTION, with --n-best FILE <tab> CAPTION <tab> LOG-PROBABILITY for each; or an object. With --look, where the best
// caption looked.
std::string lines_of(const CaptionRequest& r, const std::string& file,
                     const std::vector<decode::Candidate>& captions, const look::PictureMap& map) {
  if (!r.json) {
    std::string lines;
    for (const decode::Candidate& one : captions)
      lines +=
          fmt::format("{}\t{}{}\n", file, one.text, r.n_best ? fmt::format("\t{:.4f}", one.log_prob) : "");
    if (r.look) lines += "\n" + terminal_picture_map(map) + "\n";
    return lines;
  }
  nlohmann::json all = nlohmann::json::array();
  for (const decode::Candidate& one : captions)
    all.push_back({{"caption", one.text}, {"log_prob", one.log_prob}, {"score", one.score}});
  nlohmann::json said{{"file", file}, {"caption", captions.front().text}, {"captions", all}};
  if (r.look) said["look"] = nlohmann::json::parse(look::to_json(map, false));
  return said.dump() + "\n";
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
  app.add_flag("--look", r.look, "show for each word where the model looked; with --json, in the object");
  add_drawing_options(app, r.drawings);
  add_threads(app);
  app.footer(
      "Example:\n  fovea caption -m scenes picture.png --beam-size 4\n"
      "  fovea caption -m scenes picture.png --look --svg strip.svg");
  if (!parse(app, argc, argv)) return 0;
  if (r.n_best) r.how.search.n_best = r.how.search.beam_size;
  const run::LoadedDecoder model = run::load_captioner(r.model);
  const std::vector<std::string> files = picture_files(r.files, "caption");
  expect_usage(!r.drawings.files() || files.size() <= kMostDrawn,
               "{} pictures: a file that is drawn holds {} or fewer", files.size(), kMostDrawn);
  if (r.looks()) r.how.search.look = decode::look_at_source();
  std::vector<look::PictureMap> maps;
  for_each_pictures(files, "caption", [&](auto names, auto pictures) {
    const std::vector<std::vector<decode::Candidate>> all = decode::caption_pictures(model, pictures, r.how);
    for (size_t i = 0; i < all.size(); ++i) {
      look::PictureMap map;
      if (r.looks()) map = library::map_of_caption(model, pictures[i], all[i].front(), names[i]);
      write_output(lines_of(r, names[i], all[i], map));
      if (r.drawings.files()) maps.push_back(std::move(map));
    }
    flush_output();
  });
  PendingFiles drawn;
  stage_picture_maps(maps, maps, r.drawings, drawn);
  drawn.commit();
  return 0;
}

}  // namespace fovea::cli
