#include "fovea/data/grammar/lexicon.h"

namespace fovea::data::grammar {
namespace {

// Wide rows read better than folded ones.
// clang-format off

constexpr Pronoun kPronouns[] = {
    {"I", "me", "my", false, 1, false, "나", "je", "me", "me", "moi", {"mon", "ma", "mes"}},
    {"you", "you", "your", false, 2, false, "너", "tu", "te", "te", "toi", {"ton", "ta", "tes"}},
    {"he", "him", "his", false, 3, false, "그", "il", "le", "lui", "lui", {"son", "sa", "ses"}},
    {"she", "her", "her", false, 3, true, "그녀", "elle", "la", "lui", "elle", {"son", "sa", "ses"}},
    {"we", "us", "our", true, 1, false, "우리", "nous", "nous", "nous", "nous", {"notre", "notre", "nos"}},
    {"they", "them", "their", true, 3, false, "그들", "ils", "les", "leur", "eux", {"leur", "leur", "leurs"}},
};

constexpr Name kNames[] = {
    {"Anna", true, "안나"},
    {"Susan", true, "수잔"},
    {"Jisoo", true, "지수"},
    {"Minsu", false, "민수"},
    {"Paul", false, "폴"},
    {"Tom", false, "톰"},
};

constexpr Noun kNouns[] = {
    {"student", "students", kPerson | kRole | kCalling, "학생", "étudiant", false, "étudiante"},
    {"teacher", "teachers", kPerson | kRole | kCalling, "선생님", "professeur", false, "professeure"},
    {"doctor", "doctors", kPerson | kRole | kCalling, "의사", "médecin", false, "médecin"},
    {"friend", "friends", kPerson | kRole, "친구", "ami", false, "amie"},
    {"singer", "singers", kPerson | kRole | kCalling, "가수", "chanteur", false, "chanteuse"},
    {"writer", "writers", kPerson | kRole | kCalling, "작가", "écrivain", false, "écrivaine"},
    {"farmer", "farmers", kPerson | kRole | kCalling, "농부", "fermier", false, "fermière"},
    {"soldier", "soldiers", kPerson | kRole | kCalling, "군인", "soldat", false, "soldate"},
    {"child", "children", kPerson, "아이", "enfant", false, "enfant"},
    {"boy", "boys", kPerson | kFree, "소년", "garçon", false, ""},
    {"girl", "girls", kPerson | kFree, "소녀", "fille", true, "fille"},
    {"woman", "women", kPerson | kFree, "여자", "femme", true, "femme"},
    {"book", "books", kThing | kGoods | kWriting, "책", "livre", false, ""},
    {"letter", "letters", kThing | kGoods | kWriting | kOpening, "편지", "lettre", true, ""},
    {"poem", "poems", kWriting, "시", "poème", false, ""},
    {"song", "songs", kWriting, "노래", "chanson", true, ""},
    {"flower", "flowers", kThing | kGoods | kSight, "꽃", "fleur", true, ""},
    {"house", "houses", kThing | kSight, "집", "maison", true, ""},
    {"car", "cars", kThing | kSight, "자동차", "voiture", true, ""},
    {"table", "tables", kThing | kCraft | kSight, "탁자", "table", true, ""},
    {"picture", "pictures", kThing | kGoods, "그림", "tableau", false, ""},
    {"hat", "hats", kThing | kGoods | kCraft, "모자", "chapeau", false, ""},
    {"gift", "gifts", kThing | kGoods | kOpening, "선물", "cadeau", false, ""},
    {"box", "boxes", kThing | kGoods | kOpening | kCraft, "상자", "boîte", true, ""},
    {"door", "doors", kThing | kOpening, "문", "porte", true, ""},
    {"window", "windows", kThing | kOpening, "창문", "fenêtre", true, ""},
    {"apple", "apples", kThing | kGoods | kFood | kSight, "사과", "pomme", true, ""},
    {"cake", "cakes", kThing | kGoods | kFood | kCraft, "케이크", "gâteau", false, ""},
    {"egg", "eggs", kThing | kGoods | kFood, "달걀", "œuf", false, ""},
};

constexpr Adjective kAdjectives[] = {
    {"happy", kPerson, "행복하", "행복해", "", "heureux", "heureuse", false, ""},
    {"sad", kPerson, "슬프", "슬퍼", "", "triste", "triste", false, ""},
    {"tired", kPerson, "피곤하", "피곤해", "", "fatigué", "fatiguée", false, ""},
    {"busy", kPerson, "바쁘", "바빠", "", "occupé", "occupée", false, ""},
    {"sick", kPerson, "아프", "아파", "", "malade", "malade", false, ""},
    {"famous", kPerson, "유명하", "유명해", "", "célèbre", "célèbre", false, ""},
    {"new", kThing | kWriting, "새롭", "새로워", "새로우", "nouveau", "nouvelle", true, "nouvel"},
    {"big", kThing, "크", "커", "", "grand", "grande", true, ""},
    {"small", kThing, "작", "작아", "", "petit", "petite", true, ""},
    {"good", kThing | kWriting, "좋", "좋아", "", "bon", "bonne", true, ""},
    {"beautiful", kThing | kWriting, "아름답", "아름다워", "아름다우", "beau", "belle", true, "bel"},
    {"expensive", kThing, "비싸", "비싸", "", "cher", "chère", false, ""},
};

constexpr Verb kVerbs[] = {
    {"work", "works", "worked", "", Pattern::kAlone, 0, false, true, true, "일하", "일해", "",
     "travailler", {"travaille", "travailles", "travaille", "travaillons", "travaillent"}, "travaillé", "travailler", false},
    {"sleep", "sleeps", "slept", "", Pattern::kAlone, 0, false, true, false, "자", "자", "",
     "dormir", {"dors", "dors", "dort", "dormons", "dorment"}, "dormi", "dormir", false},
    {"sing", "sings", "sang", "", Pattern::kAlone, 0, false, true, true, "노래하", "노래해", "",
     "chanter", {"chante", "chantes", "chante", "chantons", "chantent"}, "chanté", "chanter", false},
    {"dance", "dances", "danced", "", Pattern::kAlone, 0, false, true, true, "춤추", "춤추어", "",
     "danser", {"danse", "danses", "danse", "dansons", "dansent"}, "dansé", "danser", false},
    {"go", "goes", "went", "", Pattern::kMoving, 0, false, true, true, "가", "가", "",
     "aller", {"vais", "vas", "va", "allons", "vont"}, "allé", "ir", true},
    {"come", "comes", "came", "", Pattern::kMoving, 0, false, true, true, "오", "와", "",
     "venir", {"viens", "viens", "vient", "venons", "viennent"}, "venu", "viendr", true},
    {"live", "lives", "lived", "", Pattern::kDwelling, 0, false, true, true, "살", "살아", "",
     "habiter", {"habite", "habites", "habite", "habitons", "habitent"}, "habité", "habiter", false, true},
    {"buy", "buys", "bought", "", Pattern::kObject, kGoods, false, true, false, "사", "사", "",
     "acheter", {"achète", "achètes", "achète", "achetons", "achètent"}, "acheté", "achèter", false},
    {"make", "makes", "made", "", Pattern::kObject, kCraft, false, true, false, "만들", "만들어", "",
     "faire", {"fais", "fais", "fait", "faisons", "font"}, "fait", "fer", false},
    {"open", "opens", "opened", "", Pattern::kObject, kOpening, false, true, false, "열", "열어", "",
     "ouvrir", {"ouvre", "ouvres", "ouvre", "ouvrons", "ouvrent"}, "ouvert", "ouvrir", false},
    {"write", "writes", "wrote", "", Pattern::kObject, kWriting, true, true, false, "쓰", "써", "",
     "écrire", {"écris", "écris", "écrit", "écrivons", "écrivent"}, "écrit", "écrir", false},
    {"draw", "draws", "drew", "", Pattern::kObject, kSight, true, true, false, "그리", "그려", "",
     "dessiner", {"dessine", "dessines", "dessine", "dessinons", "dessinent"}, "dessiné", "dessiner", false},
    {"eat", "eats", "ate", "", Pattern::kObject, kFood, false, true, false, "먹", "먹어", "",
     "manger", {"mange", "manges", "mange", "mangeons", "mangent"}, "mangé", "manger", false},
    {"find", "finds", "found", "", Pattern::kObject, kThing, false, true, false, "찾", "찾아", "",
     "trouver", {"trouve", "trouves", "trouve", "trouvons", "trouvent"}, "trouvé", "trouver", false, false, true},
    {"see", "sees", "saw", "", Pattern::kObject, kPerson | kThing, false, true, false, "보", "보아", "",
     "voir", {"vois", "vois", "voit", "voyons", "voient"}, "vu", "verr", false},
    {"like", "likes", "liked", "", Pattern::kObject, kPerson | kThing | kWriting, false, false, false, "좋아하", "좋아해", "",
     "aimer", {"aime", "aimes", "aime", "aimons", "aiment"}, "aimé", "aimer", false, true},
    {"know", "knows", "knew", "", Pattern::kObject, kPerson, false, false, false, "알", "알아", "",
     "connaître", {"connais", "connais", "connaît", "connaissons", "connaissent"}, "connu", "connaîtr", false, true, true},
    {"meet", "meets", "met", "", Pattern::kObject, kPerson, false, true, false, "만나", "만나", "",
     "rencontrer", {"rencontre", "rencontres", "rencontre", "rencontrons", "rencontrent"}, "rencontré", "rencontrer", false},
    {"help", "helps", "helped", "", Pattern::kObject, kPerson, false, true, false, "돕", "도와", "도우",
     "aider", {"aide", "aides", "aide", "aidons", "aident"}, "aidé", "aider", false},
    {"wait", "waits", "waited", "for", Pattern::kObject, kPerson, false, true, false, "기다리", "기다려", "",
     "attendre", {"attends", "attends", "attend", "attendons", "attendent"}, "attendu", "attendr", false},
    {"give", "gives", "gave", "", Pattern::kGiving, kGoods, false, true, false, "주", "주어", "",
     "donner", {"donne", "donnes", "donne", "donnons", "donnent"}, "donné", "donner", false},
    {"send", "sends", "sent", "", Pattern::kGiving, kGoods, false, true, false, "보내", "보내", "",
     "envoyer", {"envoie", "envoies", "envoie", "envoyons", "envoient"}, "envoyé", "enverr", false},
};

constexpr Place kPlaces[] = {
    {"school", "학교", "école", true},      {"park", "공원", "parc", false},
    {"market", "시장", "marché", false},    {"library", "도서관", "bibliothèque", true},
    {"hospital", "병원", "hôpital", false}, {"city", "도시", "ville", true},
    {"station", "역", "gare", true},        {"village", "마을", "village", false},
    {"garden", "정원", "jardin", false},    {"hotel", "호텔", "hôtel", false},
    {"office", "사무실", "bureau", false},  {"museum", "박물관", "musée", false},
    {"forest", "숲", "forêt", true},       {"restaurant", "식당", "restaurant", false},
};

constexpr TimePhrase kTimes[] = {
    {"yesterday=1", "어제=1", "hier=1", kInPast},
    {"last week", "지난주에", "la semaine dernière", kInPast},
    {"today=1", "오늘=1", "aujourd'hui=1", kInAny},
    {"every day", "매일", "tous les jours", kInPresent},
    {"now=1", "지금=1", "maintenant=1", kInPresent},
    {"in the=2 morning=1", "아침에=1", "le=2 matin=1", kInAny},
    {"in the=2 evening=1", "저녁에=1", "le=2 soir=1", kInAny},
    {"on Monday=1", "월요일에=1", "lundi=1", kInPast | kInFuture},
    {"on Tuesday=1", "화요일에=1", "mardi=1", kInPast | kInFuture},
    {"on Wednesday=1", "수요일에=1", "mercredi=1", kInPast | kInFuture},
    {"on Thursday=1", "목요일에=1", "jeudi=1", kInPast | kInFuture},
    {"on Friday=1", "금요일에=1", "vendredi=1", kInPast | kInFuture},
    {"on Saturday=1", "토요일에=1", "samedi=1", kInPast | kInFuture},
    {"on Sunday=1", "일요일에=1", "dimanche=1", kInPast | kInFuture},
    {"tomorrow=1", "내일=1", "demain=1", kInFuture},
    {"next=1 week=2", "다음=1 주에=2", "la semaine=2 prochaine=1", kInFuture},
    {"soon=1", "곧=1", "bientôt=1", kInFuture},
};

constexpr Means kMeans[] = {
    {"by=2 bus=1", "버스", "en=2 bus=1", false},
    {"by=2 train=1", "기차", "en=2 train=1", false},
    {"by=2 subway=1", "지하철", "en=2 métro=1", false},
    {"by=2 bicycle=1", "자전거", "à=2 vélo=1", false},
    {"with=2 a=3 pen=1", "펜", "avec=2 un=3 stylo=1", true},
    {"with=2 a=3 pencil=1", "연필", "avec=2 un=3 crayon=1", true},
    {"with=2 a=3 brush=1", "붓", "avec=2 un=3 pinceau=1", true},
};

constexpr Adverb kAdverbs[] = {
    {"often", "자주", "souvent"},
    {"always", "항상", "toujours"},
};

// clang-format on

}  // namespace

std::span<const Pronoun> pronouns() { return kPronouns; }
std::span<const Name> names() { return kNames; }
std::span<const Noun> nouns() { return kNouns; }
std::span<const Adjective> adjectives() { return kAdjectives; }
std::span<const Verb> verbs() { return kVerbs; }
std::span<const Place> places() { return kPlaces; }
std::span<const TimePhrase> time_phrases() { return kTimes; }
std::span<const Means> means() { return kMeans; }
std::span<const Adverb> adverbs() { return kAdverbs; }

}  // namespace fovea::data::grammar
