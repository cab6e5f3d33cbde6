// Text that comes token by token: whole characters, and no part of what may become a stop string. What a token says depends on
// those before it (blanks, characters of several tokens), but not on those long before: the newest are decoded each time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fovea/data/tokenizer.h"

namespace fovea::decode {

class TextStream {
 public:
  // `before`: the prompt, of which the end says how the first new token is joined to it. The tokenizer must outlive the stream.
  TextStream(const data::Tokenizer& tokenizer, std::vector<std::string> stop,
             std::span<const int32_t> before = {});

  // What may be shown now. ended() is true once a stop string was met.
  std::string add(int32_t id);
  // What was held back.
  std::string rest();
  bool ended() const { return ended_; }
  const std::string& text() const { return text_; }

 private:
  void settle(const std::string& decoded, size_t end);
  void forget(const std::string& decoded);
  std::string take(size_t end);
  size_t held_back() const;

  const data::Tokenizer& tokenizer_;
  std::vector<std::string> stop_;
  size_t longest_stop_ = 0;
  std::vector<int32_t> newest_;  // some of the context, and what came after it
  std::string known_;            // the part of what newest_ decodes to that is in the text, or before it
  std::string text_;             // what was written
  size_t shown_ = 0;
  bool ended_ = false;
};

}  // namespace fovea::decode
