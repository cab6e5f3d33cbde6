// Bytes as text, for data URIs and scripts of pages.
#pragma once

#include <cstddef>
#include <string>

namespace fovea::look {

std::string base64(const std::byte* bytes, size_t n);

}  // namespace fovea::look
