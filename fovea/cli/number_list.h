// Lists of numbers as users write them.
#pragma once

#include <string_view>
#include <vector>

namespace fovea::cli {

// "0,2-4" is {0, 2, 3, 4}: ascending, each once. Numbers go from 0 to 9999. Anything else is wrong usage of `option`.
std::vector<int> number_list(std::string_view text, std::string_view option);

}  // namespace fovea::cli
