// GPT-2's alphabet: each of the 256 bytes as a character that can be printed. ASCII's and Latin-1's visible characters stand for
// themselves, the others in their order for U+0100, U+0101, ...: a blank is "Ġ".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fovea/data/pipeline/aligned_text.h"

namespace fovea::data {

std::string_view byte_character(unsigned char byte);
// The byte that a character stands for; -1: none.
int byte_of_character(uint32_t code);

void to_byte_characters(AlignedText& text);
// The bytes that a piece stands for; none where one of its characters is not of the alphabet.
std::optional<std::string> bytes_of_piece(std::string_view piece);

}  // namespace fovea::data
