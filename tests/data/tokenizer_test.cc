#include "fovea/data/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "fovea/base/utf8.h"
#include "tests/error_message.h"

namespace fovea::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

const Lines kText = {"I am a student .",       "나는 학생 이다 .",
                     "the cat is a cat",       "a man and a woman walk in the park .",
                     "un café 😀 , très bien",  "cafe\u0301 e\u0301te\u0301",
                     "two  blanks\tand a tab", ""};

std::unique_ptr<Tokenizer> trained(const std::string& kind, int64_t vocab_size = 0,
                                   const Lines& text = kText) {
  TokenizerOptions options{.kind = kind, .vocab_size = vocab_size};
  if (vocab_size == 0)
    options.vocab_size = kind == "spm" ? 80 : kind == "wordpiece" ? 400 : kind == "bpe" ? 320 : 0;
  return train_tokenizer(text, options);
}

// Ids that a line never has, unless it says "[SEP]" or the like.
bool is_silent(const Tokenizer& tokenizer, int32_t id) {
  const SpecialIds ids = tokenizer.special_ids();
  return id == ids.pad || id == ids.sos || id == ids.eos || id == ids.cls || id == ids.sep || id == ids.mask;
}

// What comes back of a line of known words: wordpiece writes no blank before a full stop or a comma.
std::string written_back(const std::string& kind, std::string line) {
  for (const char* mark : {" .", " ,"})
    if (const size_t at = line.find(mark); kind == "wordpiece" && at != std::string::npos) line.erase(at, 1);
  return line;
}

class EveryKind : public testing::TestWithParam<std::string_view> {
 protected:
  std::string kind{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Tokenizer, EveryKind,
                         testing::ValuesIn(tokenizer_kinds().begin(), tokenizer_kinds().end()),
                         [](const auto& info) { return std::string(info.param); });

const Lines kOdd = {"",
                    " ",
                    "   \t ",
                    "😀",
                    "나는 학생 이다 .",
                    " leading and trailing ",
                    "combining e\u0301 and cafe\u0301",
                    "never seen: Ж 漢字 \u200B zero width",
                    "<eos> <pad> <unk> <s> </s>",
                    "\u2581 and \u2585 are SentencePiece's own",
                    "ﷺ … Ａ ½",
                    "a\rb\x01\x7F",
                    std::string(5000, 'x')};

// Lines of characters from all over Unicode, blanks among them; no line ends and no NUL.
Lines random_lines(int count, uint64_t seed) {
  Random random(seed);
  Lines lines;
  for (int i = 0; i < count; ++i) {
    std::string& line = lines.emplace_back();
    for (int64_t n = random.below(30); n > 0; --n) {
      constexpr uint32_t kRanges[] = {0x20, 0x80, 0x300, 0x2000, 0xAC00, 0xFB00, 0x1F600, 0x10FF00};
      const uint32_t code = kRanges[random.below(8)] + static_cast<uint32_t>(random.below(90));
      const auto tail = [&](int shift) { return static_cast<char>(0x80 | (code >> shift & 0x3F)); };
      if (random.below(5) == 0) {
        line += ' ';
      } else if (code < 0x80) {
        line += static_cast<char>(code);
      } else if (code < 0x800) {
        line += {static_cast<char>(0xC0 | code >> 6), tail(0)};
      } else if (code < 0x10000) {
        line += {static_cast<char>(0xE0 | code >> 12), tail(6), tail(0)};
      } else {
        line += {static_cast<char>(0xF0 | code >> 18), tail(12), tail(6), tail(0)};
      }
    }
  }
  return lines;
}

TEST_P(EveryKind, OneIdOnePieceOneSpanOneWordWhateverTheLine) {
  const auto tokenizer = trained(kind);
  EXPECT_EQ(tokenizer->kind(), kind);
  constexpr uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  Lines lines = random_lines(300, kSeed);
  lines.insert(lines.end(), kOdd.begin(), kOdd.end());
  for (const std::string& line : lines) {
    ASSERT_EQ(find_invalid_utf8(line), std::string::npos);
    const std::vector<int32_t> ids = tokenizer->encode(line);
    const std::vector<Span> spans = tokenizer->spans(line);
    const std::vector<int32_t> words = tokenizer->words_of(line);
    ASSERT_EQ(tokenizer->pieces(line).size(), ids.size()) << line;
    ASSERT_EQ(spans.size(), ids.size()) << line;
    ASSERT_EQ(words.size(), ids.size()) << line;
    for (size_t i = 0; i < ids.size(); ++i) {
      ASSERT_GE(ids[i], 0) << line;
      ASSERT_FALSE(is_silent(*tokenizer, ids[i])) << line;
      ASSERT_LT(ids[i], tokenizer->size()) << line;
      ASSERT_LE(spans[i].begin, spans[i].end) << line;
      ASSERT_LE(spans[i].end, static_cast<int32_t>(line.size())) << line;
      if (i > 0) {
        ASSERT_LE(spans[i - 1].end, spans[i].begin) << line;
        ASSERT_LE(words[i - 1], words[i]) << line;
      }
    }
    EXPECT_EQ(find_invalid_utf8(tokenizer->decode(ids)), std::string::npos) << line;
  }
}

TEST_P(EveryKind, KnownTextComesBack) {
  const auto tokenizer = trained(kind);
  for (const std::string line : {"I am a student .", "나는 학생 이다 .", "un café 😀 , très bien", ""})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), written_back(kind, line));
}

TEST_P(EveryKind, TheFileIsReadBackToTheSame) {
  const auto tokenizer = trained(kind);
  const std::string bytes = tokenizer->serialized();
  const auto again = tokenizer_from(kind, bytes, "source.vocab");
  EXPECT_TRUE(again->serialized() == bytes);
  EXPECT_EQ(again->size(), tokenizer->size());
  for (const std::string& line : kOdd) EXPECT_EQ(again->encode(line), tokenizer->encode(line)) << line;
  for (int32_t id = 0; id < again->size(); ++id) EXPECT_EQ(again->piece(id), tokenizer->piece(id));
}

TEST_P(EveryKind, TheSameTextGivesTheSameTokenizer) {
  EXPECT_TRUE(trained(kind)->serialized() == trained(kind)->serialized());
}

TEST_P(EveryKind, SpecialIdsHaveTheirNamesAndAreNotSaid) {
  const auto tokenizer = trained(kind);
  const SpecialIds special = tokenizer->special_ids();
  const auto name = [&](int32_t id) { return id < 0 ? "none" : tokenizer->piece(id); };
  const Lines names = {name(special.pad), name(special.unk), name(special.sos), name(special.eos)};
  if (kind == "wordpiece") {
    EXPECT_THAT(names, ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]"));
    EXPECT_EQ(name(special.mask), "[MASK]");
    EXPECT_EQ(special, (SpecialIds{0, 1, 2, 3, 2, 3, 4}));
  } else if (kind == "bpe") {
    EXPECT_THAT(names, ElementsAre("none", "none", "<|endoftext|>", "<|endoftext|>"));
  } else {
    EXPECT_EQ(special, SpecialIds{});
    EXPECT_THAT(names, ElementsAre("<pad>", "<unk>", "<sos>", "<eos>"));
  }
  std::vector<int32_t> ids = {special.sos};
  for (const int32_t id : tokenizer->encode("I am")) ids.push_back(id);
  ids.push_back(special.eos);
  if (special.pad >= 0) ids.insert(ids.end(), 2, special.pad);
  EXPECT_EQ(tokenizer->decode(ids), "I am");
}

TEST_P(EveryKind, AnIdThatIsNoneIsRefused) {
  const auto tokenizer = trained(kind);
  for (const auto id : {int32_t{-1}, static_cast<int32_t>(tokenizer->size())}) {
    EXPECT_THROW(tokenizer->piece(id), Error);
    EXPECT_THROW(tokenizer->decode(std::vector{id}), Error);
  }
}

TEST_P(EveryKind, BytesThatAreNoTokenizerAreRefusedInOneLine) {
  const std::string bytes = trained(kind)->serialized();
  for (const std::string& bad : {std::string(), std::string("garbage"),
                                 bytes.substr(0, bytes.size() / 2) + "\n\n", bytes + bytes + "x"}) {
    if (kind == "spm" && bad == bytes + bytes + "x") continue;  // two models in a row are one, to protobuf
    const std::string message = error_of([&] { tokenizer_from(kind, bad, "joint.vocab"); });
    EXPECT_THAT(message, HasSubstr("[tokenizer] joint.vocab: "));
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
}

TEST_P(EveryKind, TextThatIsNoUtf8OrNoTextAtAllIsRefused) {
  EXPECT_THAT(error_of([&] { trained(kind, 0, {"fine", "not \xFF"}); }), HasSubstr("line 2 is not UTF-8"));
  EXPECT_THAT(error_of([&] { trained(kind, 0, {"", "  "}); }), HasSubstr("no words"));
  EXPECT_THAT(error_of([&] { trained(kind, 4); }), HasSubstr("a vocabulary of 4"));
}

TEST(Tokenizer, AnUnknownKindNamesTheKnownOnes) {
  EXPECT_EQ(error_of([] { trained("words"); }),
            "[tokenizer] 'words' is no kind of tokenizer: expected word, char, byte, spm, wordpiece, bpe");
}

TEST(WordTokenizer, TheMostFrequentWordsComeFirstAndEqualOnesByTheirBytes) {
  const auto tokenizer = trained("word", 0, {"b a c", "c b", "b d"});
  EXPECT_EQ(tokenizer->serialized(), "<pad>\n<unk>\n<sos>\n<eos>\nb\nc\na\nd\n");
  EXPECT_EQ(trained("word", 6, {"b a c", "c b", "b d"})->serialized(), "<pad>\n<unk>\n<sos>\n<eos>\nb\nc\n");
}

TEST(WordTokenizer, UnknownWordsKeepTheirSpellingInPieces) {
  const auto tokenizer = trained("word", 0, {"a man"});
  EXPECT_THAT(tokenizer->encode("a  woman"), ElementsAre(4, kUnk));
  EXPECT_THAT(tokenizer->pieces("a  woman"), ElementsAre("a", "woman"));
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("a  woman")), "a <unk>");
}

TEST(WordTokenizer, AWordWrittenLikeASpecialOneIsAWord) {
  const auto tokenizer = trained("word", 0, {"<eos> and <pad>"});
  const auto ids = tokenizer->encode("<pad> and <eos>");
  EXPECT_EQ(tokenizer->decode(ids), "<pad> and <eos>");
  EXPECT_EQ(tokenizer_from("word", tokenizer->serialized(), "x")->encode("<pad> and <eos>"), ids);
}

TEST(WordTokenizer, AFileWithARepeatedPieceOrABlankIsRefused) {
  const std::string head = "<pad>\n<unk>\n<sos>\n<eos>\n";
  EXPECT_EQ(error_of([&] { tokenizer_from("word", head + "a\nb\na\n", "v"); }),
            "[tokenizer] v: line 7 repeats 'a': every piece must be there once");
  EXPECT_EQ(error_of([&] { tokenizer_from("word", head + "a b\n", "v"); }),
            "[tokenizer] v: line 5 is 'a b': expected one word");
  EXPECT_EQ(error_of([&] { tokenizer_from("word", head + "\xFF\n", "v"); }),
            "[tokenizer] v: line 5 is not UTF-8: expected one piece in each line");
  EXPECT_EQ(tokenizer_from("word", head + "a\nb", "v")->size(), 6);
}

TEST(CharTokenizer, BlanksAreCharactersAndShow) {
  const auto tokenizer = trained("char");
  EXPECT_THAT(tokenizer->pieces("a 학"), ElementsAre("a", "▁", "학"));
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("  a  cat ")), "  a  cat ");
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("aЖa")), "a\uFFFDa");
}

TEST(ByteTokenizer, EveryTextComesBack) {
  const auto tokenizer = trained("byte");
  EXPECT_EQ(tokenizer->size(), 260);
  for (const std::string& line : kOdd) EXPECT_EQ(tokenizer->decode(tokenizer->encode(line)), line);
  EXPECT_THAT(tokenizer->pieces("a é"), ElementsAre("a", "▁", "<0xC3>", "<0xA9>"));
}

TEST(ByteTokenizer, BytesThatAreNoUtf8BecomeReplacementCharacters) {
  const auto tokenizer = trained("byte");
  std::vector<int32_t> ids = tokenizer->encode("é");
  ids.pop_back();
  ids.push_back(tokenizer->encode("x")[0]);
  EXPECT_EQ(tokenizer->decode(ids), "\uFFFDx");
}

TEST(SentencePieceTokenizer, TheSizeIsWhatWasAskedFor) { EXPECT_EQ(trained("spm", 70)->size(), 70); }

TEST(SentencePieceTokenizer, ATextThatCannotFillTheVocabularyFillsWhatItCan) {
  const std::vector<std::string> text = {"a man", "a woman"};
  const auto tokenizer = trained("spm", 8000, text);
  EXPECT_LT(tokenizer->size(), 30);
  EXPECT_EQ(tokenizer->encode("woman").size(), 1u);
  EXPECT_EQ(trained("spm", tokenizer->size(), text)->serialized(), tokenizer->serialized());
}

TEST(SentencePieceTokenizer, ASizeThatCannotHoldTheCharactersSaysWhatToSet) {
  const std::string too_small = error_of([] { trained("spm", 6, {"a man", "a woman"}); });
  EXPECT_THAT(too_small, HasSubstr("vocabulary of 6 can hold: set --vocab-size to at least "));
  const int64_t least = std::stoll(too_small.substr(too_small.rfind(' ')));
  EXPECT_EQ(trained("spm", least, {"a man", "a woman"})->size(), least);
}

TEST(SentencePieceTokenizer, LongLinesAreLearnedFromToo) {
  std::string words, letters(300'000, 'a');
  for (int i = 0; i < 3000; ++i) words += "zebra ";
  const auto tokenizer = trained("spm", 20, {words, letters, "x"});
  EXPECT_EQ(tokenizer->encode("zebra").size(), 1u);
  EXPECT_EQ(tokenizer->encode("aaaaaaaa").size(), 2u) << "▁ and eight a";
}

TEST(SentencePieceTokenizer, LinesWithItsOwnMarkAreLearnedFromToo) {
  EXPECT_EQ(trained("spm", 16, {"zebra \u2585 zebra", "x"})->encode("zebra").size(), 1u);
}

TEST(SentencePieceTokenizer, ASampleOfTheLinesIsDrawnByTheSeed) {
  Lines lines;
  for (int i = 0; i < 26; ++i) lines.push_back(std::string(6, static_cast<char>('a' + i)));
  const auto learned = [&](uint64_t seed) {
    return train_tokenizer(lines, {.kind = "spm", .vocab_size = 16, .max_lines = 5, .seed = seed})
        ->serialized();
  };
  EXPECT_TRUE(learned(1) == learned(1));
  EXPECT_FALSE(learned(1) == learned(2));
}

TEST(WordsOf, BlanksBelongToTheWordThatFollows) {
  EXPECT_THAT(trained("char")->words_of("  a bc  "), ElementsAre(0, 0, 0, 1, 1, 1, 1, 1));
  EXPECT_THAT(trained("byte")->words_of(" é a"), ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(trained("word")->words_of("  a bc  "), ElementsAre(0, 1));
  EXPECT_THAT(trained("char")->words_of("  "), ElementsAre(-1, -1));
}

TEST(WordsOf, PiecesOfSentencePieceKnowTheirWord) {
  const auto tokenizer = trained("spm");
  const std::string line = "cat  Ж student … 학생";
  const auto pieces = tokenizer->pieces(line);
  const auto words = tokenizer->words_of(line);
  // Every piece that opens a word after the first goes one word on, and no other piece does.
  ASSERT_EQ(words.front(), 0);
  for (size_t i = 1; i < words.size(); ++i)
    EXPECT_EQ(words[i] - words[i - 1], pieces[i].starts_with("▁")) << i << ' ' << pieces[i];
  EXPECT_EQ(words.back(), 4);
}

}  // namespace
}  // namespace fovea::data
