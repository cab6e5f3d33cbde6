#include "fovea/base/small_letters.h"

#include "fovea/base/small_letters_table.h"

namespace fovea {

SmallLetters small_letters(uint32_t code) {
  if (code < 0x80) return {code >= 'A' && code <= 'Z' ? code + 32 : code};
  if (code == 0x130) return {'i', 0x307};
  const SmallLettersRun* run = find_row(kSmallLetters, code);
  if (run == nullptr || (code - run->first) % run->step != 0) return {code};
  return {code + static_cast<uint32_t>(run->difference)};
}

}  // namespace fovea
