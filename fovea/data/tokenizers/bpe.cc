// Byte-pair encoding. What is learned here is byte-level BPE as GPT-2 has it: words with the blank before them, as bytes, so that
// nothing is unknown and every text comes back. What is read may also be BPE as Llama has it. As a file: the files of a Hugging
// Face directory.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/pipeline/byte_characters.h"
#include "fovea/data/pipeline/learn_merges.h"
#include "fovea/data/pipeline/pipeline_files.h"
#include "fovea/data/pipeline/pipeline_tokenizer.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

using nlohmann::json;

constexpr const char* kEnd = "<|endoftext|>";

// <|endoftext|>, and the 256 bytes in the order of the characters that stand for them.
std::vector<std::string> first_pieces() {
  std::vector<std::string> pieces = {kEnd};
  for (int byte = 0; byte < 256; ++byte)
    pieces.emplace_back(byte_character(static_cast<unsigned char>(byte)));
  // Bytes of UTF-8 and codes sort alike.
  std::sort(pieces.begin() + 1, pieces.end());
  return pieces;
}

NamedFiles files_of(const LearnedPieces& learned) {
  json vocab = json::object();
  for (size_t id = 0; id < learned.pieces.size(); ++id) vocab[learned.pieces[id]] = id;
  NamedFiles files;
  files["vocab.json"] = vocab.dump() + "\n";
  std::string& merges = files["merges.txt"];
  merges = "#version: 0.2\n";
  for (const auto& [left, right] : learned.merges)
    merges +=
        learned.pieces[static_cast<size_t>(left)] + " " + learned.pieces[static_cast<size_t>(right)] + "\n";
  const json config = {{"tokenizer_class", "GPT2Tokenizer"},
                       {"add_prefix_space", false},
                       {"clean_up_tokenization_spaces", false},
                       {"bos_token", kEnd},
                       {"eos_token", kEnd},
                       {"unk_token", kEnd}};
  files["tokenizer_config.json"] = config.dump(2) + "\n";
  files["tokenizer.json"] = read_pipeline(files, "the new vocabulary").tokenizer.dump(2) + "\n";
  return files;
}

}  // namespace

std::unique_ptr<Tokenizer> train_bpe(std::span<const std::string> lines, const TokenizerOptions& options) {
  const LearnedPieces bytes{first_pieces(), {}};
  check(options.vocab_size >= static_cast<int64_t>(bytes.pieces.size()), "tokenizer",
        "a vocabulary of {}: bpe needs {} and more, all bytes and {}; set --vocab-size, 8000 for instance",
        options.vocab_size, bytes.pieces.size(), kEnd);
  const PipelineTokenizer empty(files_of(bytes), "bpe");
  WordCounts words;
  for (const std::string& line : lines)
    empty.for_each_word(line, [&](std::string_view word) { count_word(words, word); });
  return std::make_unique<PipelineTokenizer>(
      files_of(learn_merges(words, {bytes.pieces, "", options.vocab_size})), "the new vocabulary");
}

std::unique_ptr<Tokenizer> bpe_from(std::string_view bytes, std::string_view source) {
  return pipeline_from("bpe", bytes, source);
}

}  // namespace fovea::data
