// WordPiece as BERT has it, cased: text is cleaned, CJK characters and punctuation marks stand alone, words are cut into the longest
// pieces that there are. Learned by pairs, as Hugging Face's trainer does. As a file: the files of a Hugging Face directory.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/pipeline/learn_merges.h"
#include "fovea/data/pipeline/pipeline_files.h"
#include "fovea/data/pipeline/pipeline_tokenizer.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

using nlohmann::json;

constexpr size_t kLongest = 100;  // characters of a word that is not unknown

const std::vector<std::string> kSpecials = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

NamedFiles files_of(const std::vector<std::string>& pieces) {
  NamedFiles files;
  for (const std::string& piece : pieces) files["vocab.txt"] += piece + "\n";
  const json config = {{"tokenizer_class", "BertTokenizer"},
                       {"do_lower_case", false},
                       {"strip_accents", nullptr},
                       {"tokenize_chinese_chars", true},
                       {"clean_up_tokenization_spaces", false},
                       {"pad_token", "[PAD]"},
                       {"unk_token", "[UNK]"},
                       {"cls_token", "[CLS]"},
                       {"sep_token", "[SEP]"},
                       {"mask_token", "[MASK]"}};
  files["tokenizer_config.json"] = config.dump(2) + "\n";
  files["tokenizer.json"] = read_pipeline(files, "the new vocabulary").tokenizer.dump(2) + "\n";
  return files;
}

size_t characters_of(std::string_view word) {
  return static_cast<size_t>(std::count_if(
      word.begin(), word.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::unique_ptr<Tokenizer> train_wordpiece(std::span<const std::string> lines,
                                           const TokenizerOptions& options) {
  check(
      options.vocab_size > static_cast<int64_t>(kSpecials.size()), "tokenizer",
      "a vocabulary of {}: wordpiece needs more than its {} special ids; set --vocab-size, 8000 for instance",
      options.vocab_size, kSpecials.size());
  const PipelineTokenizer empty(files_of(kSpecials), "wordpiece");
  WordCounts words;
  for (const std::string& line : lines)
    empty.for_each_word(line, [&](std::string_view word) {
      if (characters_of(word) <= kLongest) count_word(words, word);
    });
  const LearnedPieces learned = learn_merges(words, {kSpecials, "##", options.vocab_size});
  return std::make_unique<PipelineTokenizer>(files_of(learned.pieces), "the new vocabulary");
}

std::unique_ptr<Tokenizer> wordpiece_from(std::string_view bytes, std::string_view source) {
  return pipeline_from("wordpiece", bytes, source);
}

}  // namespace fovea::data
