// Word alignments as text, in Pharaoh's format: "0-0 1-2 2?1". A sure link is source-target, a possible one
// source?target (or with the letter p, as some gold files have it: read, never written).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/pair.h"

namespace fovea::data {

// Nothing where the text is no alignment. An empty line is one without links.
std::optional<std::vector<Link>> parse_links(std::string_view text);

// The first link that names a word which its line does not have; null where all fit.
const Link* find_misfit(const Pair& pair);

std::string format_links(std::span<const Link> links);

}  // namespace fovea::data
