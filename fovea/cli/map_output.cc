#include "fovea/cli/map_output.h"

#include "fovea/base/quote.h"
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
  if (!CLI::detail::lexical_cast(text, head) || head < 0)
    throw CLI::ValidationError("--head",
                               fmt::format("{}: expected every, mean, or a number from 0", quote(text)));
  return head;
}

}  // namespace

void add_map_options(CLI::App& app, MapOutputs& outputs) {
  app.add_option("--svg", outputs.svg, "write the map as a picture")->type_name("FILE");
  app.add_option("--png", outputs.png, "write the same picture as PNG")->type_name("FILE");
  app.add_option("--html", outputs.html, "write the map as a page to explore, one self-contained file")
      ->type_name("FILE");
  app.add_option("--json", outputs.json, "write the map as JSON")->type_name("FILE");
  app.add_option_function<std::string>(
         "--head", [&outputs](const std::string& text) { outputs.head = head_named(text); },
         "what terminal and pictures show of several heads: every (default), mean, or a number from 0")
      ->type_name("HEAD");
}

void stage_map(const look::Map& map, const MapOutputs& outputs, PendingFiles& files) {
  if (!outputs.svg.empty() || !outputs.png.empty()) {
    const std::string picture = look::to_svg(map, {.head = outputs.head});
    if (!outputs.svg.empty()) files.add(outputs.svg, "svg").write(picture);
    if (!outputs.png.empty()) files.add(outputs.png, "png").write(look::to_png(picture));
  }
  if (!outputs.html.empty()) files.add(outputs.html, "html").write(look::to_html(map));
  if (!outputs.json.empty()) files.add(outputs.json, "json").write(look::to_json(map));
}

std::string terminal_map(const look::Map& map, const MapOutputs& outputs) {
  look::TerminalOptions options;
  options.color = terminal_color();
  options.max_width = terminal_width();
  options.head = outputs.head;
  return look::to_terminal(map, options);
}

}  // namespace fovea::cli
