#include "fovea/cli/map_output.h"

#include <charconv>

#include "fovea/base/quote.h"
#include "fovea/cli/options.h"
#include "fovea/cli/terminal.h"
#include "fovea/look/html.h"
#include "fovea/look/json.h"
#include "fovea/look/png.h"
#include "fovea/look/svg.h"
#include "fovea/look/terminal.h"

namespace fovea::cli {
namespace {

int head_named(const std::string& text) {
  if (text == "every") return look::kEveryHead;
  if (text == "mean") return look::kMean;
  int head = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head);
  expect_usage(error == std::errc() && end == text.data() + text.size() && head >= 0,
               "--head: {}: expected every, mean, or a number from 0", quote(text));
  return head;
}

}  // namespace

void add_drawing_options(Arguments& app, PictureFiles& wanted) {
  app.add_option("--svg", wanted.svg, "write the map as a picture")->type_name("FILE");
  app.add_option("--png", wanted.png, "write the same picture as PNG")->type_name("FILE");
  app.add_option("--html", wanted.html,
                 "write the map as a page to explore and to save pictures from, one self-contained file")
      ->type_name("FILE");
}

void add_picture_options(Arguments& app, PictureFiles& wanted) {
  add_drawing_options(app, wanted);
  app.add_option("--json", wanted.json, "write the map as JSON")->type_name("FILE");
}

void stage_pictures(const PictureFiles& wanted, const Drawers& drawers, PendingFiles& files) {
  if (!wanted.svg.empty() || !wanted.png.empty()) {
    const std::string picture = drawers.svg();
    if (!wanted.svg.empty()) files.add(wanted.svg, "svg").write(picture);
    if (!wanted.png.empty()) files.add(wanted.png, "png").write(look::to_png(picture));
  }
  if (!wanted.html.empty()) files.add(wanted.html, "html").write(drawers.html());
  if (!wanted.json.empty()) files.add(wanted.json, "json").write(drawers.json());
}

void add_map_options(Arguments& app, MapOutputs& outputs) {
  add_picture_options(app, outputs);
  add_head_option(app, outputs);
}

void add_head_option(Arguments& app, MapOutputs& outputs) {
  app.add_option_function<std::string>(
         "--head", [&outputs](const std::string& text) { outputs.head = head_named(text); },
         "what terminal and pictures show of several heads: every (default), mean, or a number from 0")
      ->type_name("HEAD");
}

void stage_map(const look::Map& map, const MapOutputs& outputs, PendingFiles& files) {
  stage_pictures(outputs,
                 {.svg = [&] { return look::to_svg(map, {.head = outputs.head}); },
                  .html = [&] { return look::to_html(map); },
                  .json = [&] { return look::to_json(map); }},
                 files);
}

std::string terminal_map(const look::Map& map, const MapOutputs& outputs) {
  look::TerminalOptions options;
  options.color = terminal_color();
  options.max_width = terminal_width();
  options.head = outputs.head;
  return look::to_terminal(map, options);
}

}  // namespace fovea::cli
