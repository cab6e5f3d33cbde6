#include "fovea/cli/map_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "fovea/look/html.h"
#include "fovea/look/json.h"
#include "fovea/look/svg.h"
#include "fovea/look/terminal.h"

namespace fovea::cli {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// NO_COLOR and TERM=dumb are obeyed, as other programs do.
look::TerminalOptions::Color terminal_color() {
  using Color = look::TerminalOptions::Color;
  if (!isatty(STDOUT_FILENO) || !environment("NO_COLOR").empty() || environment("TERM") == "dumb")
    return Color::kNone;
  const std::string_view depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? Color::kTrue : Color::k256;
}

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 100;
}

}  // namespace

void add_map_options(CLI::App& app, MapOutputs& outputs) {
  app.add_flag("--show", outputs.show, "print the map");
  app.add_option("--svg", outputs.svg, "write the map as a picture")->type_name("FILE");
  app.add_option("--html", outputs.html, "write the map as a page to explore, one self-contained file")
      ->type_name("FILE");
  app.add_option("--json", outputs.json, "write the map as JSON")->type_name("FILE");
}

void stage_map(const look::Map& map, const MapOutputs& outputs, PendingFiles& files) {
  if (!outputs.svg.empty()) files.add(outputs.svg, "svg").write(look::to_svg(map));
  if (!outputs.html.empty()) files.add(outputs.html, "html").write(look::to_html(map));
  if (!outputs.json.empty()) files.add(outputs.json, "json").write(look::to_json(map));
}

std::string terminal_map(const look::Map& map) {
  look::TerminalOptions options;
  options.color = terminal_color();
  options.max_width = terminal_width();
  options.head = map.heads() > 1 ? look::kEveryHead : look::kMean;
  return look::to_terminal(map, options);
}

}  // namespace fovea::cli
