#include "fovea/decode/text_stream.h"

#include <algorithm>

#include "fovea/decode/stop_strings.h"

namespace fovea::decode {
namespace {

constexpr size_t kContext = 8;  // tokens

}  // namespace

TextStream::TextStream(const data::Tokenizer& tokenizer, std::vector<std::string> stop,
                       std::span<const int32_t> before)
    : tokenizer_(tokenizer), stop_(std::move(stop)) {
  for (const std::string& one : stop_) longest_stop_ = std::max(longest_stop_, one.size());
  newest_.assign(before.end() - static_cast<std::ptrdiff_t>(std::min(kContext, before.size())), before.end());
  known_ = tokenizer.decode(newest_);
}

std::string TextStream::add(int32_t id) {
  newest_.push_back(id);
  const std::string decoded = tokenizer_.decode(newest_);
  // Bytes at the end may be the first of a character.
  constexpr std::string_view kUnfinished = "\xEF\xBF\xBD";
  size_t end = decoded.size();
  while (std::string_view(decoded).substr(0, end).ends_with(kUnfinished)) end -= kUnfinished.size();
  settle(decoded, end);
  const size_t at = find_stop(text_, stop_, shown_ - std::min(shown_, longest_stop_));
  if (at != std::string::npos) {
    text_.resize(std::max(at, shown_));
    ended_ = true;
  }
  return take(ended_ ? text_.size() : text_.size() - held_back());
}

std::string TextStream::rest() {
  if (!ended_) {
    const std::string decoded = tokenizer_.decode(newest_);
    settle(decoded, decoded.size());
  }
  return take(text_.size());
}

// newest_ is decoded to `decoded`, of which what stands before `end` is final: the text grows by what is new in it.
void TextStream::settle(const std::string& decoded, size_t end) {
  const std::string sure = decoded.substr(0, end);
  if (sure.starts_with(known_)) {
    text_ += sure.substr(known_.size());
    known_ = sure;
  } else if (end == decoded.size()) {
    // Bytes that made a character for a while are none after all; what was shown stays.
    const auto before = tokenizer_.decode(std::vector<int32_t>(newest_.begin(), newest_.end() - 1));
    if (decoded.starts_with(before)) text_ += decoded.substr(before.size());
    known_ = decoded;
  }
  if (end == decoded.size() && known_ == decoded && newest_.size() > 2 * kContext) forget(decoded);
}

// Only some context stays, if it says by itself what it says here: it may begin within a character.
void TextStream::forget(const std::string& decoded) {
  for (size_t count = kContext; count < kContext + 4; ++count) {
    const std::vector<int32_t> kept(newest_.end() - static_cast<std::ptrdiff_t>(count), newest_.end());
    std::string alone = tokenizer_.decode(kept);
    if (alone.empty() || !decoded.ends_with(alone)) continue;
    newest_ = kept;
    known_ = std::move(alone);
    return;
  }
}

std::string TextStream::take(size_t end) {
  std::string piece = text_.substr(shown_, end - shown_);
  shown_ = end;
  return piece;
}

// The longest end of what is not shown yet that is the beginning of a stop string.
size_t TextStream::held_back() const {
  size_t most = 0;
  for (const std::string& stop : stop_)
    for (size_t n = std::min(stop.size() - 1, text_.size() - shown_); n > most; --n)
      if (text_.ends_with(std::string_view(stop).substr(0, n))) most = n;
  return most;
}

}  // namespace fovea::decode
