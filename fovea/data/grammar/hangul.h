// A Hangul syllable is one character of Unicode, put together by arithmetic:
//   code = 0xAC00 + (initial * 21 + vowel) * 28 + final,   final 0: the syllable ends in its vowel
#pragma once

#include <string>
#include <string_view>

namespace fovea::data::grammar {

// Positions in Unicode's list of final consonants.
enum Final { kOpen = 0, kFinalN = 4, kFinalL = 8, kFinalSS = 20 };

// The final consonant of a word that ends in a Hangul syllable.
int final_of(std::string_view word);
// The word with another final consonant on its last syllable: 사 and kFinalL make 살.
std::string with_final(std::string_view word, int final);

// Particles, which a noun takes in one of two forms.
enum class Particle { kNothing, kTopic, kSubject, kObject, kWith, kBy, kTo, kOf, kIn, kAt };
// 학생은 친구는 · 학생이 친구가 · 학생을 친구를 · 학생과 친구와 · 펜으로 버스로 연필로 · 학생에게 · 학생의 · 공원에서 · 공원에
// and 나, 너 before 가 are 내, 네.
std::string with_particle(std::string_view noun, Particle particle);

}  // namespace fovea::data::grammar
