#include "fovea/cli/atlas_output.h"

#include "fovea/cli/number_list.h"
#include "fovea/cli/options.h"
#include "fovea/cli/terminal.h"
#include "fovea/look/atlas_svg.h"
#include "fovea/look/atlas_terminal.h"
#include "fovea/look/html.h"
#include "fovea/look/json.h"

namespace fovea::cli {

void add_atlas_options(Arguments& app, AtlasOutputs& outputs) {
  add_picture_options(app, outputs);
  look::Selection& selection = outputs.selection;
  app.add_option("--attention", selection.attention,
                 "show this attention alone, by its name or a part of it: encoder, decoder, cross")
      ->type_name("NAME");
  const auto add_list = [&app](const char* option, std::vector<int>& numbers, const char* help) {
    app.add_option_function<std::string>(
           option, [&numbers, option](const std::string& text) { numbers = number_list(text, option); }, help)
        ->type_name("LIST");
  };
  add_list("--layers", selection.layers, "show these layers, counted from 0: 0,2-4");
  add_list("--heads", selection.heads, "show these heads, counted from 0: 0,2-4");
  app.add_option(
         "--token", selection.token,
         "what this token looks at in every head: its text, text@2 for the second of several, or #7 for "
         "the seventh token; a page opens at the head where it says most")
      ->type_name("TOKEN");
  app.add_flag("--grid", outputs.grid,
               "all heads as thumbnails, also with --token or where one head is left");
  app.add_flag("--same-scale", outputs.shared_scale,
               "one colour scale for all heads of a picture instead of one for each");
}

void stage_atlas(const look::Atlas& atlas, const AtlasOutputs& outputs, PendingFiles& files) {
  if (!outputs.files()) return;
  const look::Atlas shown = look::selected(atlas, outputs.selection);
  stage_pictures(
      outputs,
      {.svg =
           [&] { return look::to_svg(shown, {.shared_scale = outputs.shared_scale, .grid = outputs.grid}); },
       .html = [&] { return look::to_html(shown); },
       .json = [&] { return look::to_json(shown); }},
      files);
}

std::string terminal_atlas(const look::Atlas& atlas, const AtlasOutputs& outputs) {
  return look::to_terminal(
      look::selected(atlas, outputs.selection),
      {.terminal = {.color = terminal_color(), .max_width = terminal_width()}, .grid = outputs.grid});
}

}  // namespace fovea::cli
