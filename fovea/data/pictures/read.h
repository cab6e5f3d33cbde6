// Pictures from files that others wrote: PNG and JPEG, known by their first bytes, whatever the file is called.
//
// | file                                   | picture                                                           |
// | PNG or JPEG, grey                      | one channel                                                       |
// | PNG or JPEG in colour, PNG palette     | red, green, blue                                                  |
// | PNG with 1, 2 or 4 bits                | stretched to 0..255                                               |
// | PNG with 16 bits                       | the upper 8 (PIL has the same for colour, and cuts grey off at 255) |
// | PNG with an alpha channel              | see Alpha                                                         |
// | animated PNG                           | its first picture, which is what readers without animation show   |
// | CMYK or YCCK JPEG (Adobe's, inverted)  | R = 255 - K' - C(255 - K')/255, as PIL has it                     |
// Colour profiles, gamma and the orientation of a camera are left aside, as by PIL's open().convert('RGB').
//
// What is damaged, cut short, empty, too large or no such picture throws one line, [who] NAME: ...; sizes are checked before memory is
// taken. Any number of threads may read at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "fovea/data/picture.h"

namespace fovea::data {

// What becomes of transparency. kDropped: the colours as they stand in the file, as PIL's convert('RGB') does it; what is under
// transparent pixels is the file's own affair, often black. Otherwise c' = round((c a + background (255 - a)) / 255).
enum class Alpha { kDropped, kOnWhite, kOnBlack };

Picture read_picture(const std::string& path, Alpha alpha = Alpha::kDropped,
                     std::string_view who = "pictures");
// The same from memory; `name` stands in messages.
Picture parse_picture(std::span<const std::byte> bytes, const std::string& name,
                      Alpha alpha = Alpha::kDropped, std::string_view who = "pictures");

// A PNG file of 8 bits, grey or RGB. Equal pictures give equal bytes.
std::string to_png(const Picture& picture);

}  // namespace fovea::data
