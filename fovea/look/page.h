// The files of fovea/look/page, which the build embeds: the frame of the page that to_html fills (page.html), how it looks
// (style.css), and its script in parts (*.js), which stand in one scope and are joined in the order that html.cc says.
#pragma once

#include <string_view>

namespace fovea::look {

// The text of a file; empty for a name that is none.
std::string_view page_file(std::string_view name);

}  // namespace fovea::look
