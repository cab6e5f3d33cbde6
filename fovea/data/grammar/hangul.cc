#include "fovea/data/grammar/hangul.h"

#include "fovea/base/utf8.h"

namespace fovea::data::grammar {
namespace {

constexpr uint32_t kFirst = 0xAC00;
constexpr uint32_t kFinals = 28;
constexpr size_t kBytes = 3;  // of a syllable in UTF-8

uint32_t last_syllable(std::string_view word) {
  return first_character(word.substr(word.size() - kBytes)).code - kFirst;
}

struct Forms {
  std::string_view after_consonant, after_vowel;
};
// In the order of Particle.
constexpr Forms kParticles[] = {{"", ""},         {"은", "는"},   {"이", "가"},     {"을", "를"},
                                {"과", "와"},     {"으로", "로"}, {"에게", "에게"}, {"의", "의"},
                                {"에서", "에서"}, {"에", "에"}};

}  // namespace

int final_of(std::string_view word) { return static_cast<int>(last_syllable(word) % kFinals); }

std::string with_final(std::string_view word, int final) {
  const uint32_t s = last_syllable(word);
  const uint32_t code = kFirst + s - s % kFinals + static_cast<uint32_t>(final);
  std::string out(word.substr(0, word.size() - kBytes));
  append_utf8(out, code);
  return out;
}

std::string with_particle(std::string_view noun, Particle particle) {
  if (particle == Particle::kSubject && noun == "나") return "내가";
  if (particle == Particle::kSubject && noun == "너") return "네가";
  const int final = final_of(noun);
  const bool vowel = final == kOpen || (particle == Particle::kBy && final == kFinalL);
  const Forms& forms = kParticles[static_cast<size_t>(particle)];
  return std::string(noun).append(vowel ? forms.after_vowel : forms.after_consonant);
}

}  // namespace fovea::data::grammar
