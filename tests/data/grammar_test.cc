// Sentences of the grammar against translations written by hand.
#include <gmock/gmock.h>

#include <functional>
#include <set>

#include "fovea/data/corpora.h"
#include "fovea/data/grammar/draw.h"
#include "fovea/data/grammar/hangul.h"
#include "fovea/data/grammar/korean_forms.h"
#include "tests/data/grammar_meanings.h"

namespace fovea::data::grammar {
namespace {

constexpr Tense kPast = Tense::kPast, kFuture = Tense::kFuture;

struct Sentence {
  const char *english, *korean, *french;
  std::function<void(Say&)> meaning;
};

// clang-format off
const Sentence kSentences[] = {
    // What somebody is, and its tenses.
    {"I am a student .", "나는 학생 이다 .", "je suis étudiant .",
     [](Say& s) { s(s.is(s.pronoun("I"), s.noun("a", "student"))); }},
    {"she is a doctor .", "그녀는 의사 이다 .", "elle est médecin .",
     [](Say& s) { s(s.is(s.pronoun("she"), s.noun("a", "doctor"))); }},
    {"you were a student .", "너는 학생 이었다 .", "tu étais étudiant .",
     [](Say& s) { s(s.is(s.pronoun("you"), s.noun("a", "student"), {.tense = kPast})); }},
    {"the girl was a singer .", "소녀는 가수 였다 .", "la fille était chanteuse .",
     [](Say& s) { s(s.is(s.noun("the", "girl"), s.noun("a", "singer"), {.tense = kPast})); }},
    {"they will be doctors .", "그들은 의사 일 것이다 .", "ils seront médecins .",
     [](Say& s) { s(s.is(s.pronoun("they"), s.noun("", "doctors"), {.tense = kFuture})); }},
    {"he is not a student .", "그는 학생이 아니다 .", "il n' est pas étudiant .",
     [](Say& s) { s(s.is(s.pronoun("he"), s.noun("a", "student"), {.negated = true})); }},
    {"we were not friends .", "우리는 친구가 아니었다 .", "nous n' étions pas des amis .",
     [](Say& s) { s(s.is(s.pronoun("we"), s.noun("", "friends"), {.tense = kPast, .negated = true})); }},
    {"Paul is our teacher .", "폴은 우리의 선생님 이다 .", "Paul est notre professeur .",
     [](Say& s) { s(s.is(s.name("Paul"), s.noun("our", "teacher"))); }},

    {"they were her friends .", "그들은 그녀의 친구들 이었다 .", "ils étaient ses amis .",
     [](Say& s) { s(s.is(s.pronoun("they"), s.noun("her", "friends"), {.tense = kPast})); }},

    // How somebody or something is.
    {"the book is expensive .", "책은 비싸다 .", "le livre est cher .",
     [](Say& s) { s(s.is(s.noun("the", "book"), "expensive")); }},
    {"those flowers were beautiful .", "그 꽃들은 아름다웠다 .", "ces fleurs étaient belles .",
     [](Say& s) { s(s.is(s.noun("that", "flowers"), "beautiful", {.tense = kPast})); }},
    {"the house will be big .", "집은 클 것이다 .", "la maison sera grande .",
     [](Say& s) { s(s.is(s.noun("the", "house"), "big", {.tense = kFuture})); }},
    {"I am not tired .", "나는 피곤하지 않다 .", "je ne suis pas fatigué .",
     [](Say& s) { s(s.is(s.pronoun("I"), "tired", {.negated = true})); }},
    {"the hats were not small .", "모자들은 작지 않았다 .", "les chapeaux n' étaient pas petits .",
     [](Say& s) { s(s.is(s.noun("the", "hats"), "small", {.tense = kPast, .negated = true})); }},
    {"my friend will not be busy .", "나의 친구는 바쁘지 않을 것이다 .", "mon ami ne sera pas occupé .",
     [](Say& s) { s(s.is(s.noun("my", "friend"), "busy", {.tense = kFuture, .negated = true})); }},
    {"she is always happy .", "그녀는 항상 행복하다 .", "elle est toujours heureuse .",
     [](Say& s) { s(s.is(s.pronoun("she"), "happy", {.adverb = s.adverb("always")})); }},

    // Verbs: tense, negation, can; regular and irregular.
    {"he works .", "그는 일한다 .", "il travaille .",
     [](Say& s) { s(s.verb("work", s.pronoun("he"))); }},
    {"I saw the house .", "나는 집을 보았다 .", "j' ai vu la maison .",
     [](Say& s) { s(s.verb("see", s.pronoun("I"), {.tense = kPast, .object = s.noun("the", "house")})); }},
    {"she eats an apple .", "그녀는 사과를 먹는다 .", "elle mange une pomme .",
     [](Say& s) { s(s.verb("eat", s.pronoun("she"), {.object = s.noun("a", "apple")})); }},
    {"they make this table .", "그들은 이 탁자를 만든다 .", "ils font cette table .",
     [](Say& s) { s(s.verb("make", s.pronoun("they"), {.object = s.noun("this", "table")})); }},
    {"the writer wrote many letters .", "작가는 많은 편지들을 썼다 .", "l' écrivain a écrit beaucoup de lettres .",
     [](Say& s) { s(s.verb("write", s.noun("the", "writer"), {.tense = kPast, .object = s.noun("many", "letters")})); }},
    {"you will help us .", "너는 우리를 도울 것이다 .", "tu nous aideras .",
     [](Say& s) { s(s.verb("help", s.pronoun("you"), {.tense = kFuture, .object = s.pronoun("we")})); }},
    {"every child knows him .", "모든 아이는 그를 안다 .", "chaque enfant le connaît .",
     [](Say& s) { s(s.verb("know", s.noun("every", "child"), {.object = s.pronoun("he")})); }},
    {"we wait for the doctor .", "우리는 의사를 기다린다 .", "nous attendons le médecin .",
     [](Say& s) { s(s.verb("wait", s.pronoun("we"), {.object = s.noun("the", "doctor")})); }},
    {"he does not open the door .", "그는 문을 열지 않는다 .", "il n' ouvre pas la porte .",
     [](Say& s) { s(s.verb("open", s.pronoun("he"), {.negated = true, .object = s.noun("the", "door")})); }},
    {"I did not sleep .", "나는 자지 않았다 .", "je n' ai pas dormi .",
     [](Say& s) { s(s.verb("sleep", s.pronoun("I"), {.tense = kPast, .negated = true})); }},
    {"Anna will not dance .", "안나는 춤추지 않을 것이다 .", "Anna ne dansera pas .",
     [](Say& s) { s(s.verb("dance", s.name("Anna"), {.tense = kFuture, .negated = true})); }},
    {"you can draw the flower .", "너는 꽃을 그릴 수 있다 .", "tu peux dessiner la fleur .",
     [](Say& s) { s(s.verb("draw", s.pronoun("you"), {.can = true, .object = s.noun("the", "flower")})); }},
    {"he can not find the egg .", "그는 달걀을 찾을 수 없다 .", "il ne peut pas trouver l' œuf .",
     [](Say& s) { s(s.verb("find", s.pronoun("he"), {.negated = true, .can = true, .object = s.noun("the", "egg")})); }},

    {"Minsu does not know me .", "민수는 나를 알지 못한다 .", "Minsu ne me connaît pas .",
     [](Say& s) { s(s.verb("know", s.name("Minsu"), {.negated = true, .object = s.pronoun("I")})); }},
    {"we did not find the hat .", "우리는 모자를 찾지 못했다 .", "nous n' avons pas trouvé le chapeau .",
     [](Say& s) { s(s.verb("find", s.pronoun("we"), {.tense = kPast, .negated = true, .object = s.noun("the", "hat")})); }},
    {"she knew him , and we liked the song .", "그녀는 그를 알았고 , 우리는 노래를 좋아했다 .", "elle le connaissait , et nous aimions la chanson .",
     [](Say& s) { s(s.verb("know", s.pronoun("she"), {.tense = kPast, .object = s.pronoun("he")}))(s.verb("like", s.pronoun("we"), {.tense = kPast, .object = s.noun("the", "song")}), Join::kAnd); }},
    {"they lived in the village .", "그들은 마을에서 살았다 .", "ils habitaient dans le village .",
     [](Say& s) { s(s.verb("live", s.pronoun("they"), {.tense = kPast, .place = s.place("village")})); }},

    // Where, with whom, to whom, by what, when.
    {"she works in the library .", "그녀는 도서관에서 일한다 .", "elle travaille dans la bibliothèque .",
     [](Say& s) { s(s.verb("work", s.pronoun("she"), {.place = s.place("library")})); }},
    {"we live near the station .", "우리는 역 근처에서 산다 .", "nous habitons près de la gare .",
     [](Say& s) { s(s.verb("live", s.pronoun("we"), {.preposition = Preposition::kNear, .place = s.place("station")})); }},
    {"Minsu went to the school by bus .", "민수는 버스로 학교에 갔다 .", "Minsu est allé à l' école en bus .",
     [](Say& s) { s(s.verb("go", s.name("Minsu"), {.tense = kPast, .preposition = Preposition::kTo, .place = s.place("school"), .means = s.by("bus")})); }},
    {"he comes from the park by subway .", "그는 공원에서 지하철로 온다 .", "il vient du parc en métro .",
     [](Say& s) { s(s.verb("come", s.pronoun("he"), {.preposition = Preposition::kFrom, .place = s.place("park"), .means = s.by("subway")})); }},
    {"they write a poem with a pen .", "그들은 펜으로 시를 쓴다 .", "ils écrivent un poème avec un stylo .",
     [](Say& s) { s(s.verb("write", s.pronoun("they"), {.object = s.noun("a", "poem"), .means = s.by("pen=")})); }},
    {"I drew a picture with a pencil .", "나는 연필로 그림을 그렸다 .", "j' ai dessiné un tableau avec un crayon .",
     [](Say& s) { s(s.verb("draw", s.pronoun("I"), {.tense = kPast, .object = s.noun("a", "picture"), .means = s.by("pencil")})); }},
    {"the boy sang with the girls .", "소년은 소녀들과 함께 노래했다 .", "le garçon a chanté avec les filles .",
     [](Say& s) { s(s.verb("sing", s.noun("the", "boy"), {.tense = kPast, .companion = s.noun("the", "girls")})); }},
    {"you often dance with me .", "너는 자주 나와 함께 춤춘다 .", "tu danses souvent avec moi .",
     [](Say& s) { s(s.verb("dance", s.pronoun("you"), {.companion = s.pronoun("I"), .adverb = s.adverb("often")})); }},
    {"she gave the gift to the teacher .", "그녀는 선생님에게 선물을 주었다 .", "elle a donné le cadeau au professeur .",
     [](Say& s) { s(s.verb("give", s.pronoun("she"), {.tense = kPast, .object = s.noun("the", "gift"), .recipient = s.noun("the", "teacher")})); }},
    {"the teacher bought a new book in the city yesterday .", "선생님은 어제 도시에서 새로운 책을 샀다 .", "le professeur a acheté un nouveau livre dans la ville hier .",
     [](Say& s) { s(s.verb("buy", s.noun("the", "teacher"), {.tense = kPast, .object = s.noun("a", "book", "new"), .place = s.place("city"), .time = s.time("yesterday")})); }},
    {"tomorrow I will send this letter to her .", "내일 나는 그녀에게 이 편지를 보낼 것이다 .", "demain je lui enverrai cette lettre .",
     [](Say& s) { s(s.verb("send", s.pronoun("I"), {.tense = kFuture, .object = s.noun("this", "letter"), .recipient = s.pronoun("she"), .time = s.time("tomorrow"), .time_first = true})); }},
    {"he will come to the hotel next week .", "그는 다음 주에 호텔에 올 것이다 .", "il viendra à l' hôtel la semaine prochaine .",
     [](Say& s) { s(s.verb("come", s.pronoun("he"), {.tense = kFuture, .preposition = Preposition::kTo, .place = s.place("hotel"), .time = s.time("next")})); }},

    // Owners, two at once, relative clauses.
    {"I like the teacher 's car .", "나는 선생님의 자동차를 좋아한다 .", "j' aime la voiture du professeur .",
     [](Say& s) { const int i = s.pronoun("I"); s(s.verb("like", i, {.object = s.owned(s.noun("the", "teacher"), "car")})); }},
    {"Susan and the soldier met Tom .", "수잔과 군인은 톰을 만났다 .", "Susan et le soldat ont rencontré Tom .",
     [](Say& s) { s(s.verb("meet", s.both(s.name("Susan"), s.noun("the", "soldier")), {.tense = kPast, .object = s.name("Tom")})); }},
    {"Anna and Minsu are students .", "안나와 민수는 학생 이다 .", "Anna et Minsu sont étudiants .",
     [](Say& s) { s(s.is(s.both(s.name("Anna"), s.name("Minsu")), s.noun("", "students"))); }},
    {"the book that I bought is good .", "내가 산 책은 좋다 .", "le livre que j' ai acheté est bon .",
     [](Say& s) { const int i = s.pronoun("I"); s(s.is(s.with_clause(s.noun("the", "book"), Gap::kObject, s.verb("buy", i, {.tense = kPast})), "good")); }},
    {"the student who lives in the village works .", "마을에서 사는 학생은 일한다 .", "l' étudiant qui habite dans le village travaille .",
     [](Say& s) { s(s.verb("work", s.with_clause(s.noun("the", "student"), Gap::kSubject, s.verb("live", kNone, {.place = s.place("village")})))); }},
    {"he saw the women who helped you .", "그는 너를 도운 여자들을 보았다 .", "il a vu les femmes qui t' ont aidé .",
     [](Say& s) { const int he = s.pronoun("he"), you = s.pronoun("you");
                  s(s.verb("see", he, {.tense = kPast, .object = s.with_clause(s.noun("the", "women"), Gap::kSubject, s.verb("help", kNone, {.tense = kPast, .object = you}))})); }},
    {"she likes the picture that you will draw .", "그녀는 네가 그릴 그림을 좋아한다 .", "elle aime le tableau que tu dessineras .",
     [](Say& s) { const int she = s.pronoun("she"), you = s.pronoun("you");
                  s(s.verb("like", she, {.object = s.with_clause(s.noun("the", "picture"), Gap::kObject, s.verb("draw", you, {.tense = kFuture}))})); }},

    // Clauses under others, and chains.
    {"he slept because he was tired .", "그가 피곤했기 때문에 그는 잤다 .", "il a dormi parce qu' il était fatigué .",
     [](Say& s) { s(s.verb("sleep", s.pronoun("he"), {.tense = kPast})).under(Join::kBecause, s.is(s.pronoun("he"), "tired", {.tense = kPast})); }},
    {"I will go to the park when you come to the city .", "네가 도시에 올 때 나는 공원에 갈 것이다 .", "j' irai au parc quand tu viendras à la ville .",
     [](Say& s) { s(s.verb("go", s.pronoun("I"), {.tense = kFuture, .preposition = Preposition::kTo, .place = s.place("park")}))
                      .under(Join::kWhen, s.verb("come", s.pronoun("you"), {.tense = kFuture, .preposition = Preposition::kTo, .place = s.place("city")})); }},
    {"if she does not buy the hat , I will buy the hat .", "그녀가 모자를 사지 않으면 , 나는 모자를 살 것이다 .", "si elle n' achète pas le chapeau , j' achèterai le chapeau .",
     [](Say& s) { s(s.verb("buy", s.pronoun("I"), {.tense = kFuture, .object = s.noun("the", "hat")}))
                      .under(Join::kIf, s.verb("buy", s.pronoun("she"), {.tense = kFuture, .negated = true, .object = s.noun("the", "hat")}), true); }},
    {"if the girl is busy , Tom will be a sad student .", "소녀가 바쁘면 , 톰은 슬픈 학생 일 것이다 .", "si la fille est occupée , Tom sera un étudiant triste .",
     [](Say& s) { s(s.is(s.name("Tom"), s.noun("a", "student", "sad"), {.tense = kFuture})).under(Join::kIf, s.is(s.noun("the", "girl"), "busy", {.tense = kFuture}), true); }},
    {"he will go to the park if she is a singer .", "그녀가 가수 이면 그는 공원에 갈 것이다 .", "il ira au parc si elle est chanteuse .",
     [](Say& s) { s(s.verb("go", s.pronoun("he"), {.tense = kFuture, .preposition = Preposition::kTo, .place = s.place("park")}))
                      .under(Join::kIf, s.is(s.pronoun("she"), s.noun("a", "singer"), {.tense = kFuture})); }},
    {"when he opened the letter , she was sick .", "그가 편지를 열었을 때 , 그녀는 아팠다 .", "quand il a ouvert la lettre , elle était malade .",
     [](Say& s) { s(s.is(s.pronoun("she"), "sick", {.tense = kPast}))
                      .under(Join::kWhen, s.verb("open", s.pronoun("he"), {.tense = kPast, .object = s.noun("the", "letter")}), true); }},
    {"we were sad when you were not a teacher .", "네가 선생님이 아니었을 때 우리는 슬펐다 .", "nous étions tristes quand tu n' étais pas professeur .",
     [](Say& s) { s(s.is(s.pronoun("we"), "sad", {.tense = kPast})).under(Join::kWhen, s.is(s.pronoun("you"), s.noun("a", "teacher"), {.tense = kPast, .negated = true})); }},
    {"we sang while they danced .", "그들이 춤추는 동안 우리는 노래했다 .", "nous avons chanté pendant qu' ils dansaient .",
     [](Say& s) { s(s.verb("sing", s.pronoun("we"), {.tense = kPast})).under(Join::kWhile, s.verb("dance", s.pronoun("they"), {.tense = kPast})); }},
    {"I can not work while I am sick .", "내가 아픈 동안 나는 일할 수 없다 .", "je ne peux pas travailler pendant que je suis malade .",
     [](Say& s) { s(s.verb("work", s.pronoun("I"), {.negated = true, .can = true})).under(Join::kWhile, s.is(s.pronoun("I"), "sick")); }},
    {"Tom works , and Jisoo slept , but I will be a doctor .", "톰은 일하고 , 지수는 잤다 . 그러나 나는 의사 일 것이다 .", "Tom travaille , et Jisoo a dormi , mais je serai médecin .",
     [](Say& s) { s(s.verb("work", s.name("Tom")))(s.verb("sleep", s.name("Jisoo"), {.tense = kPast}), Join::kAnd)(s.is(s.pronoun("I"), s.noun("a", "doctor"), {.tense = kFuture}), Join::kBut); }},
    {"he will sing , and we are not sad .", "그는 노래할 것이고 , 우리는 슬프지 않다 .", "il chantera , et nous ne sommes pas tristes .",
     [](Say& s) { s(s.verb("sing", s.pronoun("he"), {.tense = kFuture}))(s.is(s.pronoun("we"), "sad", {.negated = true}), Join::kAnd); }},

    // Questions.
    {"are you a student ?", "너는 학생 이니 ?", "est-ce que tu es étudiant ?",
     [](Say& s) { s(s.is(s.pronoun("you"), s.noun("a", "student"), {.ask = Ask::kYesOrNo})); }},
    {"did he meet me ?", "그는 나를 만났니 ?", "est-ce qu' il m' a rencontré ?",
     [](Say& s) { s(s.verb("meet", s.pronoun("he"), {.tense = kPast, .ask = Ask::kYesOrNo, .object = s.pronoun("I")})); }},
    {"does she know the singer ?", "그녀는 가수를 아니 ?", "est-ce qu' elle connaît le chanteur ?",
     [](Say& s) { s(s.verb("know", s.pronoun("she"), {.ask = Ask::kYesOrNo, .object = s.noun("the", "singer")})); }},
    {"is the cake not good ?", "케이크는 좋지 않니 ?", "est-ce que le gâteau n' est pas bon ?",
     [](Say& s) { s(s.is(s.noun("the", "cake"), "good", {.negated = true, .ask = Ask::kYesOrNo})); }},
    {"who opened the window ?", "누가 창문을 열었니 ?", "qui a ouvert la fenêtre ?",
     [](Say& s) { s(s.verb("open", s.who(), {.tense = kPast, .ask = Ask::kWho, .object = s.noun("the", "window")})); }},
    {"who will you help ?", "너는 누구를 도울 것이니 ?", "qui est-ce que tu aideras ?",
     [](Say& s) { s(s.verb("help", s.pronoun("you"), {.tense = kFuture, .ask = Ask::kWho, .object = s.who()})); }},
    {"what did the boys buy today ?", "소년들은 오늘 무엇을 샀니 ?", "qu' est-ce que les garçons ont acheté aujourd'hui ?",
     [](Say& s) { s(s.verb("buy", s.noun("the", "boys"), {.tense = kPast, .ask = Ask::kWhat, .object = s.what(), .time = s.time("today")})); }},
    {"where do you work ?", "너는 어디에서 일하니 ?", "où est-ce que tu travailles ?",
     [](Say& s) { s(s.verb("work", s.pronoun("you"), {.ask = Ask::kWhere})); }},
    {"where will they go ?", "그들은 어디에 갈 것이니 ?", "où est-ce qu' ils iront ?",
     [](Say& s) { s(s.verb("go", s.pronoun("they"), {.tense = kFuture, .ask = Ask::kWhere, .preposition = Preposition::kTo})); }},
    {"when did you send the box ?", "너는 언제 상자를 보냈니 ?", "quand est-ce que tu as envoyé la boîte ?",
     [](Say& s) { s(s.verb("send", s.pronoun("you"), {.tense = kPast, .ask = Ask::kWhen, .object = s.noun("the", "box")})); }},
    {"why can Paul not sing ?", "폴은 왜 노래할 수 없니 ?", "pourquoi est-ce que Paul ne peut pas chanter ?",
     [](Say& s) { s(s.verb("sing", s.name("Paul"), {.negated = true, .can = true, .ask = Ask::kWhy})); }},

    // What is shown to models that have not seen it.
    {"the teacher bought a new book yesterday .", "선생님은 어제 새로운 책을 샀다 .", "le professeur a acheté un nouveau livre hier .",
     [](Say& s) { s(s.verb("buy", s.noun("the", "teacher"), {.tense = kPast, .object = s.noun("a", "book", "new"), .time = s.time("yesterday")})); }},
    {"she will not go to the school tomorrow .", "그녀는 내일 학교에 가지 않을 것이다 .", "elle n' ira pas à l' école demain .",
     [](Say& s) { s(s.verb("go", s.pronoun("she"), {.tense = kFuture, .negated = true, .preposition = Preposition::kTo, .place = s.place("school"), .time = s.time("tomorrow")})); }},
    {"where did you meet my friend ?", "너는 어디에서 나의 친구를 만났니 ?", "où est-ce que tu as rencontré mon ami ?",
     [](Say& s) { s(s.verb("meet", s.pronoun("you"), {.tense = kPast, .ask = Ask::kWhere, .object = s.noun("my", "friend")})); }},
    {"the book that I bought is expensive .", "내가 산 책은 비싸다 .", "le livre que j' ai acheté est cher .",
     [](Say& s) { const int i = s.pronoun("I"); s(s.is(s.with_clause(s.noun("the", "book"), Gap::kObject, s.verb("buy", i, {.tense = kPast})), "expensive")); }},
    {"he slept because he was tired , but she worked in the library .", "그가 피곤했기 때문에 그는 잤다 . 그러나 그녀는 도서관에서 일했다 .",
     "il a dormi parce qu' il était fatigué , mais elle a travaillé dans la bibliothèque .",
     [](Say& s) { s(s.verb("sleep", s.pronoun("he"), {.tense = kPast})).under(Join::kBecause, s.is(s.pronoun("he"), "tired", {.tense = kPast}));
                  s(s.verb("work", s.pronoun("she"), {.tense = kPast, .place = s.place("library")}), Join::kBut); }},

    // Agreement over a distance, mostly in French.
    {"he gave the hat to the students .", "그는 학생들에게 모자를 주었다 .", "il a donné le chapeau aux étudiants .",
     [](Say& s) { s(s.verb("give", s.pronoun("he"), {.tense = kPast, .object = s.noun("the", "hat"), .recipient = s.noun("the", "students")})); }},
    {"the letter that she wrote is new .", "그녀가 쓴 편지는 새롭다 .", "la lettre qu' elle a écrite est nouvelle .",
     [](Say& s) { const int she = s.pronoun("she"); s(s.is(s.with_clause(s.noun("the", "letter"), Gap::kObject, s.verb("write", she, {.tense = kPast})), "new")); }},
    {"we saw her .", "우리는 그녀를 보았다 .", "nous l' avons vue .",
     [](Say& s) { s(s.verb("see", s.pronoun("we"), {.tense = kPast, .object = s.pronoun("she")})); }},
    {"Anna and Susan went to the market .", "안나와 수잔은 시장에 갔다 .", "Anna et Susan sont allées au marché .",
     [](Say& s) { s(s.verb("go", s.both(s.name("Anna"), s.name("Susan")), {.tense = kPast, .preposition = Preposition::kTo, .place = s.place("market")})); }},
    {"he does not buy an egg .", "그는 달걀을 사지 않는다 .", "il n' achète pas d' œuf .",
     [](Say& s) { s(s.verb("buy", s.pronoun("he"), {.negated = true, .object = s.noun("a", "egg")})); }},
    {"he did not see a boy .", "그는 소년을 보지 않았다 .", "il n' a pas vu de garçon .",
     [](Say& s) { s(s.verb("see", s.pronoun("he"), {.tense = kPast, .negated = true, .object = s.noun("a", "boy")})); }},
    {"he did not see a boy and Susan .", "그는 소년과 수잔을 보지 않았다 .", "il n' a pas vu un garçon et Susan .",
     [](Say& s) { s(s.verb("see", s.pronoun("he"), {.tense = kPast, .negated = true, .object = s.both(s.noun("a", "boy"), s.name("Susan"))})); }},
    {"this friend likes a beautiful egg .", "이 친구는 아름다운 달걀을 좋아한다 .", "cet ami aime un bel œuf .",
     [](Say& s) { s(s.verb("like", s.noun("this", "friend"), {.object = s.noun("a", "egg", "beautiful")})); }},
    {"she is my friend .", "그녀는 나의 친구 이다 .", "elle est mon amie .",
     [](Say& s) { s(s.is(s.pronoun("she"), s.noun("my", "friend"))); }},
    {"she is a famous writer .", "그녀는 유명한 작가 이다 .", "elle est une écrivaine célèbre .",
     [](Say& s) { s(s.is(s.pronoun("she"), s.noun("a", "writer", "famous"))); }},
    {"Anna 's friend sends a hat to Jisoo and Paul .", "안나의 친구는 지수와 폴에게 모자를 보낸다 .", "l' ami d' Anna envoie un chapeau à Jisoo et à Paul .",
     [](Say& s) { s(s.verb("send", s.owned(s.name("Anna"), "friend"), {.object = s.noun("a", "hat"), .recipient = s.both(s.name("Jisoo"), s.name("Paul"))})); }},
    {"many girls who live near the hospital are sad if they sleep .", "그들이 자면 병원 근처에서 사는 많은 소녀들은 슬프다 .",
     "beaucoup de filles qui habitent près de l' hôpital sont tristes s' ils dorment .",
     [](Say& s) { s(s.is(s.with_clause(s.noun("many", "girls"), Gap::kSubject, s.verb("live", kNone, {.preposition = Preposition::kNear, .place = s.place("hospital")})), "sad"))
                      .under(Join::kIf, s.verb("sleep", s.pronoun("they"))); }},
};
// clang-format on

TEST(Grammar, SaysInEveryLanguageWhatIsMeant) {
  for (const Sentence& sentence : kSentences) {
    Say say;
    sentence.meaning(say);
    EXPECT_EQ(say.english(), sentence.english);
    EXPECT_EQ(say.korean(), sentence.korean) << sentence.english;
    EXPECT_EQ(say.french(), sentence.french) << sentence.english;
  }
}

TEST(Grammar, TheShowcaseIsAmongThem) {
  for (const std::string_view shown : corpus_named("grammar").showcase)
    EXPECT_TRUE(std::any_of(std::begin(kSentences), std::end(kSentences), [&](const Sentence& sentence) {
      return sentence.english == shown;
    })) << shown;
}

// Positions:     0    1      2   3   4       5         6
//               나는 어제  이   학생을 돕지  않았다     .
//               I   did    not help this    student yesterday .
TEST(Grammar, LinksWordsThatStandForTheSame) {
  Say say;
  say(say.verb("help", say.pronoun("I"),
               {.tense = kPast,
                .negated = true,
                .object = say.noun("this", "student"),
                .time = say.time("yesterday")}));
  EXPECT_EQ(say.english(), "I did not help this student yesterday .");
  EXPECT_EQ(say.korean(), "나는 어제 이 학생을 돕지 않았다 .");
  EXPECT_EQ(say.links(say_korean), "0-0 6-1 4-2 5-3 2?4 3-4 1?5 2-5 7-6");
}

// An article and a preposition may stand for the noun that has taken them up in its particle, and need not.
TEST(Grammar, LinksArticlesAndPrepositionsAsPossible) {
  Say say;
  say(say.verb("give", say.pronoun("she"),
               {.tense = kFuture, .object = say.noun("a", "book"), .recipient = say.noun("the", "doctor")}));
  EXPECT_EQ(say.english(), "she will give a book to the doctor .");
  EXPECT_EQ(say.korean(), "그녀는 의사에게 책을 줄 것이다 .");
  EXPECT_EQ(say.links(say_korean), "0-0 5?1 6?1 7-1 3?2 4-2 2-3 1-4 8-5");
}

TEST(Grammar, LinksConjunctionsWithEndingsAndWordsOfTheirOwn) {
  Say say;
  say(say.verb("work", say.pronoun("I")));
  say(say.verb("sleep", say.pronoun("he")), Join::kAnd)
      .under(Join::kBecause, say.is(say.pronoun("he"), "sick"));
  EXPECT_EQ(say.english(), "I work , and he sleeps because he is sick .");
  EXPECT_EQ(say.korean(), "나는 일하고 , 그가 아프기 때문에 그는 잔다 .");
  EXPECT_EQ(say.links(say_korean), "0-0 1-1 3?1 2-2 7-3 6?4 8?4 9-4 6-5 4-6 5-7 10-8");
}

// A pronoun that moves before the verb, an article that melts into its preposition, a negation of two words.
TEST(Grammar, LinksWordsThatFrenchMovesOrMelts) {
  Say say;
  say(say.verb(
      "send", say.pronoun("he"),
      {.tense = kPast, .negated = true, .object = say.noun("this", "book"), .recipient = say.pronoun("I")}))(
      say.verb("go", say.pronoun("I"), {.preposition = Preposition::kTo, .place = say.place("park")}),
      Join::kBut);
  EXPECT_EQ(say.english(), "he did not send this book to me , but I go to the park .");
  EXPECT_EQ(say.french(), "il ne m' a pas envoyé ce livre , mais je vais au parc .");
  EXPECT_EQ(say.links(say_french),
            "0-0 2?1 6?2 7-2 1?3 3?3 2-4 1?5 3-5 4-6 5-7 8-8 9-9 10-10 11-11 12-12 13-12 14-13 15-14");
}

// 없다 and 아니다 hold the negation and what it negates.
TEST(Grammar, LinksWordsThatHoldTheirNegation) {
  Say can;
  can(can.verb("wait", can.pronoun("I"), {.negated = true, .can = true, .object = can.name("Tom")}));
  EXPECT_EQ(can.english(), "I can not wait for Tom .");
  EXPECT_EQ(can.korean(), "나는 톰을 기다릴 수 없다 .");
  EXPECT_EQ(can.links(say_korean), "0-0 5-1 3-2 4?2 1?3 3?3 1-4 2-4 6-5");
  EXPECT_EQ(can.french(), "je ne peux pas attendre Tom .");
  EXPECT_EQ(can.links(say_french), "0-0 2?1 1-2 2-3 3-4 4?4 5-5 6-6");
  Say is;
  is(is.is(is.pronoun("he"), is.noun("a", "doctor"), {.tense = kFuture, .negated = true}));
  EXPECT_EQ(is.english(), "he will not be a doctor .");
  EXPECT_EQ(is.korean(), "그는 의사가 아닐 것이다 .");
  EXPECT_EQ(is.links(say_korean), "0-0 4?1 5-1 2-2 3-2 1-3 6-4");
}

// Whatever its tense is in English.
TEST(Grammar, LinksTheCopulaOfAnAdjective) {
  Say say;
  say(say.verb("sing", say.pronoun("I"), {.tense = kFuture}))
      .under(Join::kWhen, say.is(say.pronoun("she"), "happy", {.tense = kFuture}));
  EXPECT_EQ(say.english(), "I will sing when she is happy .");
  EXPECT_EQ(say.french(), "je chanterai quand elle sera heureuse .");
  EXPECT_EQ(say.links(say_french), "0-0 1?1 2-1 3-2 4-3 5-4 6-5 7-6");
  EXPECT_EQ(say.korean(), "그녀가 행복할 때 나는 노래할 것이다 .");
  EXPECT_EQ(say.links(say_korean), "4-0 3?1 5?1 6-1 3-2 0-3 2-4 1-5 7-6");
}

TEST(Grammar, LinksThePrepositionAndTheArticleOfMeansAndTimes) {
  Say say;
  say(say.verb("write", say.pronoun("I"),
               {.object = say.noun("a", "song"), .means = say.by("pen="), .time = say.time("evening")}));
  EXPECT_EQ(say.english(), "I write a song with a pen in the evening .");
  EXPECT_EQ(say.french(), "j' écris une chanson avec un stylo le soir .");
  const std::string links = say.links(say_french);
  for (const char* sure : {"4-4", "5-5", "6-6", "8-7", "9-8"}) EXPECT_THAT(links, ::testing::HasSubstr(sure));
}

TEST(Grammar, EveryWordHasALinkInBothDirections) {
  for (const char* language : {"ko", "fr"})
    for (const Pair& pair : make_corpus("grammar", {.train = 5000, .language = language}).train) {
      std::set<int> sources, targets;
      for (const Link& link : pair.links) {
        sources.insert(link.source);
        targets.insert(link.target);
      }
      const auto blanks = [](const std::string& text) { return std::count(text.begin(), text.end(), ' '); };
      EXPECT_EQ(static_cast<int64_t>(sources.size()), blanks(pair.source) + 1) << pair.source;
      EXPECT_EQ(static_cast<int64_t>(targets.size()), blanks(pair.target) + 1) << pair.target;
    }
}

// "I saw the student who worked in the park yesterday": what comes after a relative clause belongs to it. A meaning where it
// belonged to the main clause would be the same English for another Korean.
TEST(Grammar, NothingComesBetweenARelativeClauseAndItsEnd) {
  Random random(3);
  Meaning meaning;
  Line line;
  int relatives = 0;
  for (int i = 0; i < 50'000; ++i) {
    if (!draw_meaning(random, 8, 20, meaning, line)) continue;
    for (const Clause& c : meaning.clauses) {
      const int last = c.recipient != kNone ? c.recipient : c.object;
      for (const int phrase : {c.object, c.recipient, c.companion, c.complement}) {
        if (phrase == kNone || meaning.phrase(phrase).relative == kNone) continue;
        ++relatives;
        say_english(meaning, line);
        ASSERT_EQ(phrase, last) << line.text();
        ASSERT_TRUE(c.place == kNone && c.companion == kNone && c.means == kNone) << line.text();
        ASSERT_TRUE(c.time == kNone || c.time_first) << line.text();
      }
    }
  }
  EXPECT_GT(relatives, 1000);
}

// Calls f(clause, meaning, line) for every clause of many drawn meanings; the line has the English.
template <typename F>
void for_each_drawn_clause(F&& f) {
  Random random(5);
  Meaning meaning;
  Line line;
  for (int i = 0; i < 20'000; ++i) {
    if (!draw_meaning(random, 3, 20, meaning, line)) continue;
    say_english(meaning, line);
    for (const Clause& c : meaning.clauses) f(c, meaning, line);
  }
}

const Noun& noun_of(const NounPhrase& p) { return nouns()[static_cast<size_t>(p.word)]; }

TEST(Grammar, NobodyMeetsWhoHasTheSameName) {
  for_each_drawn_clause([](const Clause& c, const Meaning& m, const Line& line) {
    const int subject = c.gap == Gap::kSubject ? c.gap_owner : c.subject;
    for (const int phrase : {c.object, c.companion, c.complement}) {
      if (phrase == kNone) continue;
      const NounPhrase &a = m.phrase(subject), &b = m.phrase(phrase);
      if (a.head == Head::kPronoun || a.head == Head::kWho) continue;
      ASSERT_FALSE(a.head == b.head && a.word == b.word) << line.text();
    }
  });
}

TEST(Grammar, NobodyIsTheirOwnFriend) {
  for_each_drawn_clause([](const Clause& c, const Meaning& m, const Line& line) {
    if (c.predicate != Predicate::kNoun || m.phrase(c.subject).head != Head::kPronoun) return;
    const NounPhrase& role = m.phrase(c.complement);
    if (role.determiner != Determiner::kPronoun) return;
    const Pronoun &who = pronouns()[static_cast<size_t>(m.phrase(c.subject).word)],
                  &whose = pronouns()[static_cast<size_t>(role.owner)];
    ASSERT_TRUE(who.person == 3 || who.person != whose.person) << line.text();
  });
}

// "an egg is big in the evening", "where does he know her", "she is a doctor every day", "they often like us"
TEST(Grammar, WhatLastsHasNoHour) {
  for_each_drawn_clause([](const Clause& c, const Meaning& m, const Line& line) {
    const bool verb = c.predicate == Predicate::kVerb;
    const bool state = verb && verbs()[static_cast<size_t>(c.word)].state;
    const bool of_a_thing =
        !verb && m.phrase(c.subject).head == Head::kNoun && !(noun_of(m.phrase(c.subject)).classes & kPerson);
    if (state || of_a_thing || c.predicate == Predicate::kNoun) {
      ASSERT_EQ(c.time, kNone) << line.text();
      ASSERT_EQ(c.adverb, kNone) << line.text();
    }
    if (state && c.object != kNone) {
      ASSERT_EQ(c.place, kNone) << line.text();
      ASSERT_TRUE(c.ask != Ask::kWhere && c.ask != Ask::kWhen) << line.text();
    }
  });
}

// "every child does not sleep" may be said of all of them, or of some.
TEST(Grammar, EveryIsNotDenied) {
  for_each_drawn_clause([](const Clause& c, const Meaning& m, const Line& line) {
    if (c.negated && c.subject != kNone) {
      ASSERT_NE(m.phrase(c.subject).determiner, Determiner::kEvery) << line.text();
    }
  });
}

// "his woman", "the song is big", "the new hat is new"
TEST(Grammar, NounsAreUsedForWhatTheyAreGoodFor) {
  for_each_drawn_clause([](const Clause& c, const Meaning& m, const Line& line) {
    for (const NounPhrase& p : m.phrases) {
      if (p.head != Head::kNoun) continue;
      const unsigned classes = noun_of(p).classes;
      const bool owned = p.determiner == Determiner::kPronoun || p.determiner == Determiner::kOwner;
      if (owned) {
        ASSERT_FALSE(classes & kFree) << line.text();
      }
      if (p.adjective != kNone) {
        ASSERT_TRUE(adjectives()[static_cast<size_t>(p.adjective)].classes & classes) << line.text();
      }
    }
    if (c.predicate == Predicate::kVerb && c.object != kNone && m.phrase(c.object).head == Head::kNoun) {
      ASSERT_TRUE(verbs()[static_cast<size_t>(c.word)].objects & noun_of(m.phrase(c.object)).classes)
          << line.text();
    }
    if (c.predicate == Predicate::kAdjective && m.phrase(c.subject).head == Head::kNoun) {
      const NounPhrase& subject = m.phrase(c.subject);
      ASSERT_TRUE(adjectives()[static_cast<size_t>(c.word)].classes & noun_of(subject).classes)
          << line.text();
      ASSERT_NE(subject.adjective, c.word) << line.text();
    }
  });
}

TEST(Grammar, AReasonDoesNotLieAheadOfWhatItExplains) {
  Random random(5);
  Meaning meaning;
  Line line;
  int reasons = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (!draw_meaning(random, 7, 20, meaning, line)) continue;
    for (const Step& step : meaning.steps) {
      if (step.under != Join::kBecause || meaning.clause(step.clause).tense != kPast) continue;
      ++reasons;
      ASSERT_NE(meaning.clause(step.under_clause).tense, kFuture);
    }
  }
  EXPECT_GT(reasons, 500);
}

TEST(Grammar, HasAFewHundredWords) {
  const Corpus corpus = make_corpus("grammar");
  std::set<std::string> source, target;
  for (const Pair& pair : corpus.train)
    for (const auto& [text, words] : {std::pair{&pair.source, &source}, {&pair.target, &target}})
      for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1)
        words->insert(text->substr(at, (end = text->find(' ', at)) - at));
  EXPECT_GT(source.size(), 200u);
  EXPECT_LT(source.size(), 300u);
  EXPECT_LT(target.size(), 1000u);
}

TEST(Hangul, PutsParticlesByTheFinalConsonant) {
  EXPECT_EQ(with_particle("학생", Particle::kTopic), "학생은");
  EXPECT_EQ(with_particle("친구", Particle::kTopic), "친구는");
  EXPECT_EQ(with_particle("책", Particle::kSubject), "책이");
  EXPECT_EQ(with_particle("나", Particle::kSubject), "내가");
  EXPECT_EQ(with_particle("너", Particle::kSubject), "네가");
  EXPECT_EQ(with_particle("누구", Particle::kObject), "누구를");
  EXPECT_EQ(with_particle("폴", Particle::kWith), "폴과");
  EXPECT_EQ(with_particle("붓", Particle::kBy), "붓으로");
  EXPECT_EQ(with_particle("지하철", Particle::kBy), "지하철로");
  EXPECT_EQ(with_particle("기차", Particle::kBy), "기차로");
}

// Stem, infinitive and open stem, and every form of Form in its order.
TEST(KoreanForms, FollowTheStem) {
  const std::pair<Inflected, std::vector<std::string>> rows[] = {
      {{"먹", "먹어", "", StemKind::kVerb},
       {"먹는다", "먹었다", "먹니", "먹었니", "먹고", "먹었고", "먹기", "먹었기", "먹으면", "먹을", "먹었을",
        "먹는", "먹은", "먹지"}},
      {{"만들", "만들어", "", StemKind::kVerb},
       {"만든다", "만들었다", "만드니", "만들었니", "만들고", "만들었고", "만들기", "만들었기", "만들면",
        "만들", "만들었을", "만드는", "만든", "만들지"}},
      {{"돕", "도와", "도우", StemKind::kVerb},
       {"돕는다", "도왔다", "돕니", "도왔니", "돕고", "도왔고", "돕기", "도왔기", "도우면", "도울", "도왔을",
        "돕는", "도운", "돕지"}},
      {{"크", "커", "", StemKind::kAdjective},
       {"크다", "컸다", "크니", "컸니", "크고", "컸고", "크기", "컸기", "크면", "클", "컸을", "큰", "큰",
        "크지"}},
      {{"없", "없어", "", StemKind::kExistential},
       {"없다", "없었다", "없니", "없었니", "없고", "없었고", "없기", "없었기", "없으면", "없을", "없었을",
        "없는", "없은", "없지"}},
  };
  for (const auto& [verb, forms] : rows)
    for (int form = 0; form < kForms; ++form)
      EXPECT_EQ(verb[static_cast<Form>(form)], forms[static_cast<size_t>(form)]);
}

}  // namespace
}  // namespace fovea::data::grammar
