#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run_command.h"
#include "tests/data/files.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;

// Four lines of two references, a source, alignments and scores.
class Eval : public ::testing::Test {
 protected:
  TemporaryDirectory folder_;
  std::string hyp_ = folder_.write("hyp.txt",
                                   "A dog runs over the green meadow.\n"
                                   "two men are standing at the street\n"
                                   "He pays 1,234.50 dollars!\n"
                                   "나는 학생 이다 .\n");
  std::string ref_ = folder_.write("ref.txt",
                                   "A dog runs across the green meadow.\n"
                                   "Two men stand at the street.\n"
                                   "He pays 1,234.50 dollars!\n"
                                   "나는 학생 이다 .\n");
  std::string other_ = folder_.write("other.txt",
                                     "The dog is running over a meadow.\n"
                                     "two men are standing in the street .\n"
                                     "It costs $1,234.50.\n"
                                     "나는 학생이다.\n");
  std::string source_ = folder_.write("source.txt", "a b c\na b c d\na b c d e f\na b c d\n");
  std::string links_ = folder_.write("links.txt", "0-0 1-1 1-3 2-2\n\n0-0\n1-0\n");
  std::string gold_ = folder_.write("gold.txt", "0-0 1-2 2-2 1?1\n0p1\n0-0\n0-1\n");
  std::string scores_ = folder_.write("scores.txt", "-1.5\t3\n-0.5\t1\n-4\t3\n-2\t1\n");

  std::string run(const std::vector<std::string>& arguments, std::string_view input = "") {
    std::vector<std::string> all = {"eval"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ran ran = run_command(all, {}, Stdout::kKept, input);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran.out;
  }
  std::string fail(int code, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {"eval"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Ran ran = run_command(all);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(ran.out, "");
    return ran.err;
  }
};

// The numbers of these transcripts are sacreBLEU's.
TEST_F(Eval, TranslationsGetTheLinesThatSacrebleuPrints) {
  EXPECT_EQ(run({"--hyp", hyp_, "--ref", ref_}),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0-fovea = 57.51 "
            "83.3/70.0/56.2/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)\n"
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0-fovea = 77.02\n"
            "exact|nrefs:1|case:mixed = 50.00 (2 of 4 lines)\n");
}

TEST_F(Eval, SeveralReferencesAndOptionsShowInTheSignature) {
  EXPECT_EQ(run({"--hyp", hyp_, "--ref", ref_, "--ref", other_, "--metric", "bleu,chrf++,exact",
                 "--lowercase", "--tokenize", "none"}),
            "BLEU|nrefs:2|case:lc|eff:no|tok:none|smooth:exp|version:2.6.0-fovea = 61.48 "
            "100.0/83.3/57.1/30.0 (BP = 1.000 ratio = 1.048 hyp_len = 22 ref_len = 21)\n"
            "chrF2++|nrefs:2|case:lc|eff:yes|nc:6|nw:2|space:no|version:2.6.0-fovea = 82.43\n"
            "exact|nrefs:2|case:lc = 50.00 (2 of 4 lines)\n");
}

TEST_F(Eval, ByLengthThereIsATable) {
  EXPECT_EQ(run({"--hyp", hyp_, "--ref", ref_, "--by-length", source_, "--buckets", "3,4,5,20"}),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0-fovea = 57.51 "
            "83.3/70.0/56.2/33.3 (BP = 1.000 ratio = 1.000 hyp_len = 24 ref_len = 24)\n"
            "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0-fovea = 77.02\n"
            "exact|nrefs:1|case:mixed = 50.00 (2 of 4 lines)\n"
            "\n"
            "words        lines    BLEU   chrF2   exact\n"
            "up to 3          1   50.00   69.57    0.00\n"
            "4                2   43.14   66.91   50.00\n"
            "6-20             1  100.00  100.00  100.00\n");
}

TEST_F(Eval, AlignmentsHaveAnErrorRate) {
  EXPECT_EQ(run({"--alignment", links_, "--gold", gold_, "--by-length", source_, "--buckets", "3"}),
            "AER = 36.36 (precision = 66.67 recall = 60.00 links = 6 sure = 5)\n"
            "\n"
            "words        lines     AER\n"
            "up to 3          1   28.57\n"
            "over 3           3   50.00\n");
}

TEST_F(Eval, AlignmentsAreFoundBehindTheLastBars) {
  const std::string translated = folder_.write("out.txt",
                                               "one ||| two ||| 0-0 1-1 1-3 2-2\n"
                                               " ||| \n"
                                               "-4.5\t3 ||| 0-0\n"
                                               "1-0\n");
  EXPECT_EQ(run({"--alignment", translated, "--gold", gold_}), run({"--alignment", links_, "--gold", gold_}));
}

TEST_F(Eval, ScoresHaveAPerplexity) {
  EXPECT_EQ(run({"--scores", scores_, "--metric", "perplexity"}),
            "perplexity = 2.7183 (log_prob = -8.0000 tokens = 8)\n");
}

TEST_F(Eval, JsonHasTheSameNumbers) {
  const auto y =
      nlohmann::json::parse(run({"--hyp", hyp_, "--ref", ref_, "--alignment", links_, "--gold", gold_,
                                 "--scores", scores_, "--by-length", source_, "--buckets", "3,4", "--json"}));
  EXPECT_EQ(y.at("lines"), 4);
  EXPECT_EQ(y.at("exact"), 50.0);
  EXPECT_EQ(y.at("details").at("exact").at("matches"), 2);
  EXPECT_EQ(y.at("details").at("bleu").at("precisions").size(), 4u);
  EXPECT_EQ(y.at("signatures").at("chrf"),
            "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0-fovea");
  ASSERT_EQ(y.at("by_length").size(), 3u);
  EXPECT_EQ(y.at("by_length").at(1).at("from"), 4);
  EXPECT_EQ(y.at("by_length").at(1).at("to"), 4);
  EXPECT_EQ(y.at("by_length").at(1).at("lines"), 2);
  EXPECT_TRUE(y.at("by_length").at(2).at("to").is_null());
  EXPECT_NEAR(y.at("by_length").at(2).at("bleu").get<double>(), 100, 1e-9);
  EXPECT_NEAR(y.at("perplexity").get<double>(), std::exp(1.0), 1e-12);
}

TEST_F(Eval, StandardInputAndGzipAreFiles) {
  const std::string packed = folder_.write("ref.gz", gzipped("a b c d\nx\n"));
  EXPECT_EQ(run({"--hyp", "-", "--ref", packed, "--metric", "exact"}, "a b c d\ny\n"),
            "exact|nrefs:1|case:mixed = 50.00 (1 of 2 lines)\n");
}

TEST_F(Eval, ManyLinesComeInPieces) {
  std::string text, source;
  for (int i = 0; i < 9000; ++i) {
    text += "the same words again .\n";
    source += i % 2 == 0 ? "one\n" : "one two\n";
  }
  const std::string file = folder_.write("many.txt", text), lengths = folder_.write("lengths.txt", source);
  EXPECT_EQ(run({"--hyp", file, "--ref", file, "--by-length", lengths, "--buckets", "1", "--metric", "bleu"}),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0-fovea = 100.00 "
            "100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 45000 ref_len = 45000)\n"
            "\n"
            "words        lines    BLEU\n"
            "up to 1       4500  100.00\n"
            "over 1        4500  100.00\n");
}

TEST_F(Eval, FilesMustMatchLineByLine) {
  const std::string shorter = folder_.write("short.txt", "a\nb\nc\n");
  EXPECT_EQ(fail(1, {"--hyp", hyp_, "--ref", shorter}),
            "[eval] " + hyp_ + " has 4 lines and " + shorter +
                " 3: they must match line by line; check the end of " + shorter + "\n");
  EXPECT_EQ(fail(1, {"--hyp", hyp_, "--ref", ref_, "--by-length", shorter}),
            "[eval] " + hyp_ + " has 4 lines and " + shorter +
                " 3: they must match line by line; check the end of " + shorter + "\n");
  EXPECT_THAT(fail(1, {"--hyp", shorter, "--ref", ref_}), HasSubstr("ref.txt has 4 lines and "));
}

TEST_F(Eval, WhatIsWrongInAFileIsNamed) {
  const std::string bad = folder_.write("bad.txt",
                                        "fine\nfine\nb\xFF"
                                        "d\nfine\n"),
                    none = folder_.write("none.txt", "");
  EXPECT_THAT(fail(1, {"--hyp", bad, "--ref", ref_}),
              HasSubstr("[eval] " + bad + ": line 3, byte 2 is not UTF-8"));
  EXPECT_THAT(fail(1, {"--alignment", ref_, "--gold", gold_}),
              HasSubstr("[eval] " + ref_ +
                        ": line 1 has 'A dog runs across the green meadow.': expected an alignment"));
  EXPECT_THAT(fail(1, {"--scores", gold_}), HasSubstr("expected LOG_PROB<tab>TOKENS"));
  EXPECT_EQ(fail(1, {"--hyp", none, "--ref", none}),
            "[eval] " + none + " has no lines: there is nothing to score\n");
  EXPECT_THAT(fail(1, {"--hyp", folder_.path("missing.txt"), "--ref", ref_}),
              HasSubstr("missing.txt: No such file"));
}

TEST_F(Eval, WrongUsageSaysWhatToGive) {
  EXPECT_EQ(fail(2, {"--hyp", hyp_, "--ref", ref_, "--metric", "blue"}),
            "[eval] 'blue' is not a metric: did you mean 'bleu'?; see fovea eval --help\n");
  EXPECT_THAT(fail(2, {"--hyp", hyp_, "--ref", ref_, "--tokenize", "13"}), HasSubstr("expected 13a, "));
  EXPECT_THAT(fail(2, {"--hyp", hyp_}), HasSubstr("--hyp and --ref go together"));
  EXPECT_THAT(fail(2, {"--gold", hyp_}), HasSubstr("--alignment and --gold go together"));
  EXPECT_THAT(fail(2, {"--hyp", hyp_, "--ref", ref_, "--metric", "aer"}),
              HasSubstr("--metric aer needs --alignment and --gold"));
  EXPECT_THAT(fail(2, {}), HasSubstr("nothing to evaluate"));
  EXPECT_THAT(fail(2, {"--hyp", "-", "--ref", "-"}),
              HasSubstr("standard input can be one of the files, not 2"));
  EXPECT_THAT(fail(2, {"--scores", scores_, "--by-length", source_, "--buckets", "20,10"}),
              HasSubstr("end at 20, 10: expected numbers that ascend"));
}

TEST_F(Eval, HelpListsTheMetrics) {
  const std::string help = run({"--help"});
  for (const char* word : {"bleu", "chrf++", "exact", "aer", "perplexity", "13a", "zh", "Example:"})
    EXPECT_THAT(help, HasSubstr(word));
}

}  // namespace
}  // namespace fovea::testing
