#include "fovea/data/pipeline/added_tokens.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/data/pipeline/checked_json.h"
#include "fovea/data/unicode.h"

namespace fovea::data {
namespace {

constexpr size_t kLongest = 1000;  // bytes of a token: how far each place of a text is looked ahead from

// Where the character that ends at `end` begins.
size_t before(std::string_view text, size_t end) {
  do --end;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return end;
}

bool has_flag_at(std::string_view text, size_t at, uint8_t flag) {
  return has_flag(next_code(text, at), flag);
}

bool stands_alone(std::string_view text, const Stretch& found) {
  return (found.begin == 0 || !has_flag_at(text, before(text, found.begin), kWord)) &&
         (found.end == text.size() || !has_flag_at(text, found.end, kWord));
}

}  // namespace

AddedTokens::AddedTokens(const nlohmann::json& list, const PieceTable& table, const Normalizer& normalizer,
                         std::string_view source) {
  if (list.is_null()) return;
  check(list.is_array(), "tokenizer", "{}: added_tokens is {}: expected a list", source, list.type_name());
  for (const nlohmann::json& item : list) {
    AddedToken token;
    token.content = text_of(item, "content", "", source);
    check(!token.content.empty() && token.content.size() <= kLongest, "tokenizer",
          "{}: an added token has {} bytes: expected 1 to {}", source, token.content.size(), kLongest);
    token.special = flag_of(item, "special", false, source);
    token.single_word = flag_of(item, "single_word", false, source);
    token.lstrip = flag_of(item, "lstrip", false, source);
    token.rstrip = flag_of(item, "rstrip", false, source);
    token.normalized = flag_of(item, "normalized", !token.special, source);
    token.id = static_cast<int32_t>(number_of(item, "id", -1, INT32_MAX, source));
    tokens_.push_back(std::move(token));
  }
  std::sort(tokens_.begin(), tokens_.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  int32_t next = table.size();
  for (size_t i = 0; i < tokens_.size(); ++i) {
    const AddedToken& token = tokens_[i];
    const int32_t known = table.id_of(token.content);
    const int32_t expected = known >= 0 ? known : next++;
    check(token.id == expected, "tokenizer", "{}: the added token {} has the id {}: expected {}", source,
          quote(token.content), token.id, expected);
    AlignedText content = AlignedText::of(token.content, 0, false);
    if (token.normalized) normalizer(content);
    if (!content.text.empty())
      (token.normalized ? normalized_ : raw_).add(content.text, static_cast<int32_t>(i));
  }
}

const AddedToken* AddedTokens::find(int32_t id) const {
  const auto found =
      std::lower_bound(tokens_.begin(), tokens_.end(), id, [](const auto& t, int32_t i) { return t.id < i; });
  return found == tokens_.end() || found->id != id ? nullptr : &*found;
}

std::vector<Stretch> AddedTokens::cut(std::string_view text, bool normalized) const {
  std::vector<Stretch> stretches;
  if (text.empty()) return stretches;
  const ByteTrie& trie = normalized ? normalized_ : raw_;
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    const ByteTrie::Match match =
        trie.may_begin(text[at]) ? trie.longest(text.substr(at)) : ByteTrie::Match{};
    if (match.number < 0) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<size_t>(match.number)];
    Stretch found{token.id, at, at + match.length};
    at = found.end;
    if (token.single_word && !stands_alone(text, found)) continue;
    if (token.lstrip)
      while (found.begin > done && has_flag_at(text, before(text, found.begin), kSpace))
        found.begin = before(text, found.begin);
    if (token.rstrip)
      while (found.end < text.size() && has_flag_at(text, found.end, kSpace)) next_code(text, found.end);
    found.begin = std::max(found.begin, done);
    found.end = std::max(found.end, found.begin);
    if (done < found.begin) stretches.push_back({-1, done, found.begin});
    stretches.push_back(found);
    done = found.end;
  }
  if (done < text.size()) stretches.push_back({-1, done, text.size()});
  return stretches;
}

}  // namespace fovea::data
