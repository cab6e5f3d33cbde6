#include "fovea/base/utf8.h"

#include "fovea/base/error.h"

namespace fovea {

void check_utf8(std::string_view text, std::string_view who, std::string_view what) {
  check(find_invalid_utf8(text) == std::string_view::npos, who,
        "{} is not UTF-8: iconv converts other encodings", what);
}

}  // namespace fovea
