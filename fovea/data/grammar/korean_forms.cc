#include "fovea/data/grammar/korean_forms.h"

#include "fovea/data/grammar/hangul.h"

namespace fovea::data::grammar {

Inflected::Inflected(std::string_view stem, std::string_view infinitive, std::string_view open,
                     StemKind kind) {
  const int final = final_of(stem);
  const bool l = final == kFinalL;  // drops before ㄴ: 만들 + 는 = 만드는
  const std::string plain(stem), past = with_final(infinitive, kFinalSS);
  const std::string before_n = l ? with_final(stem, kOpen) : plain;
  const std::string opened = !open.empty() ? std::string(open) : final == kOpen || l ? plain : plain + "으";
  const std::string modifying = with_final(opened, kFinalN);  // 산 먹은 만든 도운, 큰 작은 아름다운

  const auto set = [&](Form form, std::string text) { forms_[static_cast<size_t>(form)] = std::move(text); };
  set(Form::kPresent, kind != StemKind::kVerb ? plain + "다"
                      : final == kOpen || l   ? with_final(stem, kFinalN) + "다"
                                              : plain + "는다");
  set(Form::kPast, past + "다");
  set(Form::kAsk, before_n + "니");
  set(Form::kPastAsk, past + "니");
  set(Form::kAnd, plain + "고");
  set(Form::kPastAnd, past + "고");
  set(Form::kNoun, plain + "기");
  set(Form::kPastNoun, past + "기");
  set(Form::kIf, opened + "면");
  set(Form::kProspective, with_final(opened, kFinalL));
  set(Form::kPastProspective, past + "을");
  set(Form::kThat, kind == StemKind::kAdjective ? modifying : before_n + "는");
  set(Form::kPastThat, modifying);
  set(Form::kJi, plain + "지");
}

}  // namespace fovea::data::grammar
