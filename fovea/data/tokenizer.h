// Text to numbers and back. The kinds, by name (to add one: tokenizers/NAME.cc and a row in tokenizers/table.cc):
//   word        what is between blanks, the most frequent ones; others are <unk>
//   char        Unicode characters; a blank is one too
//   byte        the bytes of UTF-8: nothing is ever unknown
//   spm         SentencePiece: pieces of words, trained on the text
//   wordpiece   BERT's pieces of words
//   bpe         byte-pair encoding, as GPT-2 and Llama have it
//   unigram     pieces by their scores, as SentencePiece's unigram models have it; read from a tokenizer.json, not trained
//   marian      SentencePiece's pieces with the ids of a MarianMT model; read from its directory, not trained
// The first four have the same four special ids, the others bring their own. hf_tokenizer.h reads directories.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::data {

inline constexpr int32_t kPad = 0, kUnk = 1, kSos = 2, kEos = 3;

// Ids that stand for no text; -1: there is none. Those of our own tokenizers, unless a tokenizer brings others with it.
struct SpecialIds {
  int32_t pad = kPad, unk = kUnk, sos = kSos, eos = kEos;
  int32_t cls = -1, sep = -1,
          mask = -1;  // BERT's: [CLS] and [SEP] around a sentence, [MASK] for a hidden word
  friend bool operator==(const SpecialIds&, const SpecialIds&) = default;
};

// Bytes [begin, end) of a line.
struct Span {
  int32_t begin = 0, end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string_view kind() const = 0;
  // Ids are 0 to size() - 1.
  virtual int64_t size() const = 0;
  virtual SpecialIds special_ids() const { return {}; }
  // A line as ids, without <sos> and <eos>. The line is valid UTF-8.
  virtual std::vector<int32_t> encode(std::string_view line) const = 0;
  // What a model reads for a line, or for two that belong together: the ids of encode() with the special ids that the
  // tokenizer puts around them, [CLS] and [SEP] for instance. Our own kinds put none.
  virtual std::vector<int32_t> with_specials(std::span<const int32_t> ids) const;
  virtual std::vector<int32_t> with_specials(std::span<const int32_t> first,
                                             std::span<const int32_t> second) const;
  // The segment of each id of with_specials(first, second), of lines of so many ids: 0, and 1 for what belongs to the second
  // where the model tells them apart.
  virtual std::vector<int32_t> segments(size_t first, size_t second) const;
  // Valid UTF-8. <pad>, <sos>, <eos> and what else stands for no text is left out; ids beyond size() throw.
  virtual std::string decode(std::span<const int32_t> ids) const = 0;
  // The pieces of a line as it is written, one for each id of encode(): labels of a map, unknown words included.
  // A blank shows as "▁".
  virtual std::vector<std::string> pieces(std::string_view line) const = 0;
  // An id as a label: "<eos>", "학생", "▁stu".
  virtual std::string piece(int32_t id) const = 0;
  // The bytes of the line that each id of encode() stands for, in order.
  virtual std::vector<Span> spans(std::string_view line) const = 0;

  // For each id of encode(): which word of the line it belongs to, from 0, never less than for the id before.
  // Words are what is between blanks. A blank belongs to the word that follows it, at the end of the line to
  // the last one; in a line without words to -1.
  std::vector<int32_t> words_of(std::string_view line) const;

  // The tokenizer as the bytes of one file, which tokenizer_from() reads again.
  virtual std::string serialized() const = 0;
  // The files (name, bytes) that it has in a directory of Hugging Face's; none where it has no form there.
  virtual std::vector<std::pair<std::string, std::string>> hf_files() const { return {}; }
};

struct TokenizerOptions {
  std::string kind = "word";
  int64_t vocab_size =
      8000;  // so many ids, special ones included, at most; 0: all there are (not spm, wordpiece, bpe)
  int64_t max_lines = 2'000'000;  // spm learns from so many lines at most, drawn by the seed
  uint64_t seed = 1;
};

// The names of the table above, for help and for errors.
std::span<const std::string_view> tokenizer_kinds();
// Learns a tokenizer from lines, all of them together: for one side or for both.
std::unique_ptr<Tokenizer> train_tokenizer(std::span<const std::string> lines,
                                           const TokenizerOptions& options);
// `source` stands in messages: [tokenizer] source: ...
std::unique_ptr<Tokenizer> tokenizer_from(std::string_view kind, std::string_view bytes,
                                          std::string_view source);

}  // namespace fovea::data
