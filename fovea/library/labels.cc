#include "fovea/library/labels.h"

#include <algorithm>

#include "fovea/data/blanks.h"
#include "fovea/look/label.h"

namespace fovea::library {

int32_t unknown_id(const data::Tokenizer& tokenizer) {
  const data::SpecialIds special = tokenizer.special_ids();
  return special.unk == special.eos ? -1 : special.unk;
}

std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::string_view line) {
  const std::vector<int32_t> ids = tokenizer.encode(line);
  std::vector<std::string> labels = tokenizer.pieces(line);
  for (size_t i = 0; i < ids.size(); ++i)
    if (ids[i] == unknown_id(tokenizer)) labels[i] = look::unknown_label(labels[i]);
  return labels;
}

std::vector<std::string> labels_of(const data::Tokenizer& tokenizer, std::span<const int32_t> ids,
                                   std::string_view line) {
  std::vector<std::string> labels;
  for (const int32_t id : ids) labels.push_back(tokenizer.piece(id));
  const std::vector<int32_t> read = tokenizer.encode(line);
  const auto at = std::search(ids.begin(), ids.end(), read.begin(), read.end());
  if (at == ids.end() || std::find(read.begin(), read.end(), unknown_id(tokenizer)) == read.end())
    return labels;
  const std::vector<std::string> marked = labels_of(tokenizer, line);
  for (size_t i = 0; i < read.size(); ++i)
    if (read[i] == unknown_id(tokenizer)) labels[static_cast<size_t>(at - ids.begin()) + i] = marked[i];
  return labels;
}

look::Merge words_of_tokens(const std::vector<int32_t>& word_of, std::string_view text,
                            const std::vector<std::string>& tokens, size_t specials_before) {
  std::vector<std::string_view> names;
  data::for_each_word(text, [&](std::string_view word) { names.push_back(word); });
  look::Merge merge;
  bool in_word = false;
  int32_t last = -1;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool special = i < specials_before || i - specials_before >= word_of.size();
    const int32_t word = special ? -1 : word_of[i - specials_before];
    if (special || !in_word || (word >= 0 && word != last)) {
      const bool named = word >= 0 && static_cast<size_t>(word) < names.size();
      merge.labels.emplace_back(named ? names[static_cast<size_t>(word)] : std::string_view(tokens[i]));
    }
    if (look::is_unknown(tokens[i])) merge.labels.back() = look::unknown_label(merge.labels.back());
    in_word = !special;
    if (word >= 0) last = word;
    merge.into.push_back(static_cast<int>(merge.labels.size()) - 1);
  }
  return merge;
}

}  // namespace fovea::library
