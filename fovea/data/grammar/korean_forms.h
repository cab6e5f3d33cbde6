// Korean verbs and adjectives in the forms that the grammar uses, made from three parts:
//   stem        먹 사 만들 돕      what -고, -지, -기 are added to
//   infinitive  먹어 사 만들어 도와  what the past is made from: + ㅆ
//   open stem   먹으 사 만들 도우   what -면, -ㄹ, -ㄴ are added to; follows from the stem where the verb is regular
// Irregular verbs (돕다 ㅂ, 쓰다 으 ...) are no different: their parts say it.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace fovea::data::grammar {

enum class Form {
  kPresent,          // 산다 먹는다 만든다 · 크다
  kPast,             // 샀다
  kAsk,              // 사니
  kPastAsk,          // 샀니
  kAnd,              // 사고
  kPastAnd,          // 샀고
  kNoun,             // 사기 (때문에)
  kPastNoun,         // 샀기
  kIf,               // 사면
  kProspective,      // 살 (것이다, 때, 수)
  kPastProspective,  // 샀을 (때)
  kThat,             // 사는 (책) · 큰 (책)
  kPastThat,         // 산 (책)
  kJi,               // 사지 (않는다)
};
constexpr int kForms = static_cast<int>(Form::kJi) + 1;

// Existential ones (있다, 없다) end like adjectives and modify nouns like verbs.
enum class StemKind { kVerb, kAdjective, kExistential };

class Inflected {
 public:
  Inflected(std::string_view stem, std::string_view infinitive, std::string_view open, StemKind kind);
  const std::string& operator[](Form form) const { return forms_[static_cast<size_t>(form)]; }

 private:
  std::array<std::string, kForms> forms_;
};

}  // namespace fovea::data::grammar
