// What characters are, as Hugging Face's tokenizers sees them: the tables come from asking it (tools/make_unicode_tables.py).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/unicode_tables.h"

namespace fovea::data {

// The flags of every code up to U+10FFFF, made from the runs of the table at the first call.
const uint8_t* character_flags();
inline bool has_flag(uint32_t code, uint8_t flags) { return (character_flags()[code] & flags) != 0; }

// The code at `at`, and `at` behind it. The text is valid UTF-8.
uint32_t next_code(std::string_view text, size_t& at);

// What a character falls apart into (NFD), itself where it does not; returns how many, at most 4.
int decompose(uint32_t code, std::array<uint32_t, 4>& parts);
// Marks that follow a letter are written in the order of their ranks; 0: no such mark.
uint8_t combining_rank(uint32_t code);

// Adds bytes to `text` as Rust's from_utf8_lossy does: a run of bytes that begins a character and breaks off becomes one U+FFFD.
void append_lossy(std::string& text, std::string_view bytes);

}  // namespace fovea::data
