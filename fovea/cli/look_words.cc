#include "fovea/cli/look_words.h"

#include "fovea/data/blanks.h"
#include "fovea/look/label.h"

namespace fovea::cli {

look::Merge words_of_pieces(const std::vector<int32_t>& words, std::string_view text,
                            const std::vector<std::string>& pieces, size_t specials_before) {
  std::vector<std::string_view> names;
  data::for_each_word(text, [&](std::string_view word) { names.push_back(word); });
  look::Merge merge;
  bool in_word = false;
  int32_t last = -1;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const bool special = i < specials_before || i - specials_before >= words.size();
    const int32_t word = special ? -1 : words[i - specials_before];
    if (special || !in_word || (word >= 0 && word != last)) {
      const bool named = word >= 0 && static_cast<size_t>(word) < names.size();
      merge.labels.emplace_back(named ? names[static_cast<size_t>(word)] : std::string_view(pieces[i]));
    }
    if (look::is_unknown(pieces[i])) merge.labels.back() = look::unknown_label(merge.labels.back());
    in_word = !special;
    if (word >= 0) last = word;
    merge.into.push_back(static_cast<int>(merge.labels.size()) - 1);
  }
  return merge;
}

}  // namespace fovea::cli
