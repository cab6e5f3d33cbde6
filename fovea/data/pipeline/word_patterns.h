// The regular expressions that byte-level tokenizers cut text into words by. They are
// written out as loops, since what is matched is linear in the text and needs no engine.
//   GPT-2     's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   Llama 3   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//   Qwen 2    the same with \p{N} for \p{N}{1,3}
//   CLIP      's|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+, and <|startoftext|>|<|endoftext|> before them in newer files. It leaves
//             white space out.
#pragma once

#include <cstddef>
#include <string_view>

namespace fovea::data {

struct WordPattern {
  std::string_view expression;
  bool lines = false;  // Llama 3's form: line ends, and any character in front of letters
  int digits = 0;      // so many at most together; 0: any number, with a blank in front
  bool bare = false;   // CLIP's form: no blank in front of a word; white space is part of none
  bool marks = false;  // <|startoftext|> and <|endoftext|> are words

  // Where the word that begins at `at` ends. The text is valid UTF-8 and goes on at `at`.
  size_t end_of_word(std::string_view text, size_t at) const;
  // Whether what begins at `at` is white space that is part of no word.
  bool leaves_out(std::string_view text, size_t at) const;
};

const WordPattern& gpt2_pattern();
const WordPattern& clip_pattern();
// Null where there is none.
const WordPattern* find_pattern(std::string_view expression);

}  // namespace fovea::data
