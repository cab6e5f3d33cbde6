// UTF-8 text as a terminal shows it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea::look {

// Safe to show anywhere: invalid UTF-8, and characters that would move the cursor, turn the direction of text
// or be forbidden in XML, become U+FFFD.
std::string clean(std::string_view text);

// The functions below take any text and treat it as clean() would.

// Columns: 2 for wide characters (CJK, Hangul, emoji), 0 for combining marks, 1 for others.
int width(std::string_view text);
// At most `columns` wide; what is cut ends in an ellipsis. A combining mark stays with its letter.
std::string elide(std::string_view text, int columns);
// Exactly `columns` wide: elided, or filled with spaces.
enum class Align { kLeft, kRight, kCenter };
std::string fit(std::string_view text, int columns, Align align = Align::kLeft);
// Lines of at most `columns`, broken at blanks; a word that is longer than a line goes on in the next. At least one line.
std::vector<std::string> wrap(std::string_view text, int columns);
// The same as one text: each line ends in a newline.
std::string wrapped(std::string_view text, int columns);

}  // namespace fovea::look
