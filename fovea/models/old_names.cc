#include "fovea/models/old_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace fovea::models {

std::string current_name(const std::string& name) {
  constexpr std::pair<std::string_view, std::string_view> kOld[] = {{"think", "feed_forward"},
                                                                    {"think_norm", "feed_forward_norm"},
                                                                    {"memory", "cross"},
                                                                    {"memory_norm", "cross_norm"},
                                                                    {"words", "embedding"},
                                                                    {"source_words", "source_embedding"},
                                                                    {"target_words", "target_embedding"}};
  std::string current;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('.', at), name.size());
    std::string_view part = std::string_view(name).substr(at, end - at);
    for (const auto& [old, today] : kOld)
      if (part == old) part = today;
    if (at > 0) current += '.';
    current += part;
    at = end + 1;
  }
  return current;
}

}  // namespace fovea::models
