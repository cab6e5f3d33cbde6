// The bytes of UTF-8: byte b is id 4 + b. Nothing is learned and nothing is unknown. A model may write bytes that
// are no UTF-8; decode() replaces them by U+FFFD.
#include "fovea/base/error.h"
#include "fovea/base/utf8.h"
#include "fovea/data/blanks.h"
#include "fovea/data/tokenizers/tokenizers.h"
#include "fovea/data/tokenizers/vocabulary.h"

namespace fovea::data {
namespace {

constexpr int32_t kFirst = static_cast<int32_t>(kSpecialPieces.size());
constexpr int32_t kSize = kFirst + 256;

std::string label(unsigned char byte) {
  if (is_blank(static_cast<char>(byte))) return std::string(kBlankLabel);
  if (byte > 0x20 && byte < 0x7F) return {static_cast<char>(byte)};
  return fmt::format("<0x{:02X}>", byte);
}

void check_id(int32_t id) {
  check(id >= 0 && id < kSize, "tokenizer", "id {}: expected 0 to {}", id, kSize - 1);
}

class ByteTokenizer : public Tokenizer {
 public:
  std::string_view kind() const override { return "byte"; }
  int64_t size() const override { return kSize; }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    ids.reserve(line.size());
    for (const char c : line) ids.push_back(kFirst + static_cast<unsigned char>(c));
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::string bytes;
    for (const int32_t id : ids) {
      check_id(id);
      if (id == kUnk) bytes += kReplacementCharacter;
      if (id >= kFirst) bytes += static_cast<char>(id - kFirst);
    }
    std::string line;
    for_each_character(bytes, [&](std::string_view character, uint32_t code) {
      line += code == 0xFFFD ? kReplacementCharacter : character;
    });
    return line;
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> pieces;
    for (const char c : line) pieces.push_back(label(static_cast<unsigned char>(c)));
    return pieces;
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return id < kFirst ? std::string(kSpecialPieces[static_cast<size_t>(id)])
                       : label(static_cast<unsigned char>(id - kFirst));
  }
  std::vector<Span> spans(std::string_view line) const override {
    std::vector<Span> spans;
    spans.reserve(line.size());
    for (int32_t i = 0; i < static_cast<int32_t>(line.size()); ++i) spans.push_back({i, i + 1});
    return spans;
  }
  // The names of all ids: so that the file says what it is, although there is nothing to read from it.
  std::string serialized() const override {
    std::string bytes;
    for (const std::string_view special : kSpecialPieces) bytes.append(special).push_back('\n');
    for (int byte = 0; byte < 256; ++byte) bytes += fmt::format("<0x{:02X}>\n", byte);
    return bytes;
  }
};

}  // namespace

std::unique_ptr<Tokenizer> train_byte(std::span<const std::string>, const TokenizerOptions& options) {
  check(options.vocab_size == 0 || options.vocab_size >= kSize, "tokenizer",
        "a vocabulary of {}: byte needs {}, all bytes and the special ids", options.vocab_size, kSize);
  return std::make_unique<ByteTokenizer>();
}

std::unique_ptr<Tokenizer> byte_from(std::string_view bytes, std::string_view source) {
  auto tokenizer = std::make_unique<ByteTokenizer>();
  check(bytes == tokenizer->serialized(), "tokenizer",
        "{}: not the vocabulary of all bytes that Fovea writes", source);
  return tokenizer;
}

}  // namespace fovea::data
