#include "fovea/look/html.h"

#include "fovea/base/error.h"
#include "fovea/look/escape.h"
#include "fovea/look/html_page.h"
#include "fovea/look/telling_head.h"

namespace fovea::look {
namespace {

// What the page's script reads.
std::string data_of(const Atlas& atlas, std::string_view view) {
  const bool exact = atlas.weights() <= kMostExact;
  std::string out = fmt::format("{{\"view\":\"{}\",\"rounded\":{}", view, !exact);
  if (const auto open = telling_head(atlas))
    out += fmt::format(",\"open\":{{\"stack\":{},\"layer\":{},\"head\":{}}}", open->stack, open->layer,
                       open->head);
  return out + color_data() + ",\"stacks\":" +
         json_list(atlas.stacks, [&](const Stack& stack) { return stack_data(stack, exact); }) + "}";
}

std::string page(const Atlas& atlas, std::string_view view) {
  atlas.check();
  check_page_weights(atlas.weights());
  return filled_page("page.html", atlas.title.empty() ? "Attention" : xml(atlas.title), {"style.css"},
                     data_of(atlas, view),
                     {"weights.js", "choices.js", "state.js", "heads.js", "model.js", "map.js",
                      "svg_context.js", "save.js", "side.js"});
}

}  // namespace

std::string to_html(const Atlas& atlas) { return page(atlas, atlas.is_one_head() ? "map" : "heads"); }

std::string to_html(const Map& map) { return page({map.title, {stack_of(map)}}, "map"); }

}  // namespace fovea::look
