// Any text as part of XML, JSON or a page's script.
#pragma once

#include <string>
#include <string_view>

namespace fovea::look {

// For XML and HTML, between tags or in a quoted attribute. What cannot be shown becomes U+FFFD.
std::string xml(std::string_view text);
// A JSON string with its quotes, in ASCII; invalid UTF-8 becomes U+FFFD. '<' is escaped too, so that no text
// can end the <script> it stands in.
std::string json_string(std::string_view text);

}  // namespace fovea::look
