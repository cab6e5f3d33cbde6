#include "fovea/data/pipeline/byte_characters.h"

#include <array>

#include "fovea/base/utf8.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

constexpr bool stands_for_itself(int byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int, 0x144> bytes;  // by code

  Alphabet() {
    bytes.fill(-1);
    uint32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const uint32_t code = stands_for_itself(byte) ? static_cast<uint32_t>(byte) : next++;
      append_utf8(characters[static_cast<size_t>(byte)], code);
      bytes[code] = byte;
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet kAlphabet;
  return kAlphabet;
}

}  // namespace

std::string_view byte_character(unsigned char byte) { return alphabet().characters[byte]; }

int byte_of_character(uint32_t code) { return code < alphabet().bytes.size() ? alphabet().bytes[code] : -1; }

void to_byte_characters(AlignedText& text) {
  AlignedWriter out(text);
  const Alphabet& all = alphabet();
  for (size_t i = 0; i < text.text.size(); ++i)
    out.put(all.characters[static_cast<unsigned char>(text.text[i])], i, i + 1);
  text = out.take();
}

std::optional<std::string> bytes_of_piece(std::string_view piece) {
  std::string bytes;
  for (size_t at = 0; at < piece.size();) {
    const int byte = byte_of_character(next_code(piece, at));
    if (byte < 0) return std::nullopt;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace fovea::data
