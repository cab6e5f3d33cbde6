// SVG pictures as PNG, for places that show no SVG: slides, chats, papers. librsvg draws them, with the system's
// fonts: a script that no installed font has (Korean without fonts-nanum, say) comes out as boxes.
#pragma once

#include <string>
#include <string_view>

namespace fovea::look {

// The picture as the bytes of a PNG file, `scale` pixels for each of the SVG's: 2 is sharp on dense screens and in print.
// Throws for text that is no SVG, and for more than 100 million pixels or 32,767 on one side.
std::string to_png(std::string_view svg, double scale = 2);

}  // namespace fovea::look
