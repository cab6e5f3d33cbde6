// fovea translate and fovea score as a user runs them, on a small model with random weights: what they print is what the library says.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <sstream>

#include "fovea/base/file.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"
#include "fovea/data/make_batch.h"
#include "fovea/decode/translate.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/load.h"
#include "fovea/tensor/safetensors.h"
#include "tests/cli/run_command.h"
#include "tests/data/files.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

const Words kSources = {
    "I am a student .", "you are here", "",    "a",   "the student is here and you are a student .",
    "here you are",     "  ",           "you", "am I"};
const Words kTargets = {"나는 학생 이다 .", "너는 여기 있다 .", "그 학생은 여기 있고 너는 학생 이다 ."};

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(by, begin)) != std::string::npos; begin = end + by.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::vector<std::string> lines_of(const std::string& text) {
  EXPECT_TRUE(text.empty() || text.ends_with('\n'));
  std::vector<std::string> lines = split(text, "\n");
  lines.pop_back();
  return lines;
}

std::string joined(const Words& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

class Translate : public ::testing::Test {
 protected:
  Translate() { make("model", {{"attention", "bahdanau"}}); }

  // A model of random weights in directory `name`.
  void make(const std::string& name, nlohmann::json config, const std::string& kind = "word") {
    data::TokenizerOptions options;
    options.kind = kind;
    options.vocab_size = 0;
    models::Model model{nullptr, data::train_tokenizer(kSources, options),
                        data::train_tokenizer(kTargets, options)};
    config.update({{"model_type", "rnn"},
                   {"source_vocab", model.source->size()},
                   {"target_vocab", model.target->size()},
                   {"dim_emb", 16},
                   {"dim_rnn", 16}});
    model.net = models::make_net(config, 3);
    for (nn::Parameter* parameter : model.net->parameters()) {
      // Numbers so large that words depend on what came before, and no end at once.
      for (float& v : parameter->value.span<float>()) v *= 3;
      if (parameter->name == "output.bias") parameter->value.span<float>()[data::kEos] = -2;
    }
    fs::create_directories(directory_.path(name));
    for (const auto& [file, bytes] : models::describe(model))
      write_atomically(directory_.path(name + "/" + file), bytes);
    write_safetensors(directory_.path(name + "/model.safetensors"), models::weights_of(*model.net));
  }

  Ran run(const std::string& verb, const Words& more, const std::string& input = joined(kSources),
          Stdout to = Stdout::kKept) const {
    Words all = {verb, "-m", directory_.path("model")};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(all, {}, to, input);
  }
  Ran run_well(const std::string& verb, const Words& more,
               const std::string& input = joined(kSources)) const {
    const Ran ran = run(verb, more, input);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return ran;
  }
  std::string translated(const Words& more) const { return run_well("translate", more).out; }

  decode::Translator translator(decode::Options search) const {
    return {run::load_translator(directory_.path("model")), {.search = std::move(search)}};
  }

  TemporaryDirectory directory_;
};

TEST_F(Translate, PrintsALineForEachLineAsTheLibrarySaysIt) {
  const auto said = translator({.beam_size = 5}).translate(kSources);
  Words want;
  for (const decode::Translation& one : said) want.push_back(one.best().text);
  EXPECT_EQ(translated({}), joined(want));
  EXPECT_EQ(want[2], "");
  EXPECT_EQ(want[6], "");
  EXPECT_NE(want[0], want[1]) << "the test's model says the same to everything";

  Words greedy;
  for (const decode::Translation& one : translator({.beam_size = 1}).translate(kSources))
    greedy.push_back(one.best().text);
  EXPECT_EQ(translated({"--beam-size", "1"}), joined(greedy));
  EXPECT_EQ(translated({"-b", "1"}), joined(greedy));
}

TEST_F(Translate, BatchesAndThreadsChangeNothing) {
  for (const Words& more :
       {Words{"--n-best"}, Words{"-b", "1"}, Words{"--sample"}, Words{"--alignment", "hard"}}) {
    const std::string want = translated(more);
    for (const Words& how : {Words{"--batch", "1"}, Words{"--mini-batch", "4", "--threads", "1"}}) {
      Words all = more;
      all.insert(all.end(), how.begin(), how.end());
      EXPECT_EQ(translated(all), want);
    }
  }
}

TEST_F(Translate, PenaltiesAndStopStringsAreForEverySearch) {
  for (const Words& how : {Words{}, Words{"-b", "1"}, Words{"--sample", "--min-p", "0.2"}}) {
    const auto with = [&](Words more) {
      more.insert(more.end(), how.begin(), how.end());
      return translated(more);
    };
    const std::string plain = with({});
    EXPECT_NE(with({"--repeat-penalty", "4"}), plain);
    const size_t begin = plain.find_first_not_of(" \n");
    ASSERT_NE(begin, std::string::npos);
    const std::string word = plain.substr(begin, plain.find_first_of(" \n", begin) - begin);
    ASSERT_FALSE(word.empty());
    EXPECT_THAT(with({"--stop", word}), ::testing::Not(HasSubstr(word)));
  }
  EXPECT_EQ(run("translate", {"--repeat-penalty", "0"}).code, 1);
  EXPECT_EQ(run("translate", {"--min-p", "0.2"}).code, 2);
}

TEST_F(Translate, NBestListsAreInMariansFormat) {
  const auto said = translator({.beam_size = 3, .n_best = 3}).translate(kSources);
  const std::vector<std::string> lines = lines_of(translated({"--n-best", "-b", "3"}));
  size_t at = 0;
  for (size_t i = 0; i < said.size(); ++i)
    for (const decode::Candidate& one : said[i].candidates) {
      ASSERT_LT(at, lines.size());
      EXPECT_EQ(lines[at++],
                fmt::format("{} ||| {} ||| F0= {:.6g} ||| {:.6g}", i, one.text, one.log_prob, one.score));
    }
  EXPECT_EQ(at, lines.size());
  EXPECT_THAT(lines[0], MatchesRegex("0 \\|\\|\\| .* \\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+"));
}

TEST_F(Translate, HardAlignmentsAreLinksBetweenWords) {
  for (const std::string kind : {"word", "char"}) {
    make("model", {{"attention", "luong"}}, kind);
    const std::vector<std::string> lines = lines_of(translated({"--alignment", "hard"}));
    const std::vector<std::string> plain = lines_of(translated({}));
    ASSERT_EQ(lines.size(), kSources.size());
    size_t links = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::vector<std::string> parts = split(lines[i], " ||| ");
      ASSERT_EQ(parts.size(), 2u) << lines[i];
      EXPECT_EQ(parts[0], plain[i]);
      const auto found = data::parse_links(parts[1]);
      ASSERT_TRUE(found.has_value()) << lines[i];
      EXPECT_EQ(data::find_misfit({kSources[i], parts[0], *found}), nullptr) << lines[i];
      links += found->size();
    }
    EXPECT_GT(links, 0u);
  }
}

TEST_F(Translate, SoftAlignmentsAreRowsThatAddUpToOne) {
  for (const Words& unit : {Words{}, Words{"--alignment-pieces"}}) {
    make("model", {{"attention", "bahdanau"}, {"heads", 2}}, "char");
    Words more = {"--alignment", "soft"};
    more.insert(more.end(), unit.begin(), unit.end());
    const std::vector<std::string> lines = lines_of(translated(more));
    for (size_t i = 0; i < lines.size(); ++i) {
      const std::vector<std::string> parts = split(lines[i], " ||| ");
      ASSERT_EQ(parts.size(), 2u);
      if (data::count_words(kSources[i]) == 0) {
        EXPECT_EQ(lines[i], " ||| ");
        continue;
      }
      for (const std::string& row : split(parts[1], " ")) {
        double sum = 0;
        const std::vector<std::string> numbers = split(row, ",");
        for (const std::string& number : numbers) sum += std::stod(number);
        EXPECT_NEAR(sum, 1, 1e-4);
        const size_t columns =
            unit.empty() ? static_cast<size_t>(data::count_words(kSources[i])) : kSources[i].size();
        EXPECT_EQ(numbers.size(), columns + 1) << "words or pieces, and <eos>";
      }
    }
  }
}

TEST_F(Translate, NBestListsHaveAlignmentsToo) {
  for (const std::string& line : lines_of(translated({"--n-best", "--alignment", "hard", "-b", "2"}))) {
    const std::vector<std::string> parts = split(line, " ||| ");
    ASSERT_EQ(parts.size(), 5u) << line;
    EXPECT_TRUE(data::parse_links(parts[2]).has_value());
    EXPECT_THAT(parts[3], StartsWith("F0= "));
  }
}

TEST_F(Translate, AModelThatDoesNotLookHasNoAlignment) {
  make("model", {{"attention", "bottleneck"}});
  EXPECT_NE(translated({}), "");
  const Ran ran = run("translate", {"--alignment", "hard"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "[translate] this model does not look at its source, so that it has no --alignment\n");
}

TEST_F(Translate, ReadsAndWritesFiles) {
  const std::string want = translated({});
  const std::string plain = directory_.write("in.txt", joined(kSources));
  const std::string packed = directory_.write("in.gz", gzipped(joined(kSources)));
  EXPECT_EQ(run_well("translate", {"-i", plain}, "").out, want);
  EXPECT_EQ(run_well("translate", {"--input", packed}, "").out, want);
  EXPECT_EQ(run_well("translate", {"-i", "-", "-o", directory_.path("out.txt")}).out, "");
  EXPECT_EQ(read_file(directory_.path("out.txt")), want);
  EXPECT_EQ(
      run("translate", {"-i", directory_.write("bad", "a\n\xFF\n"), "-o", directory_.path("none")}).code, 1);
  EXPECT_FALSE(fs::exists(directory_.path("none")));
}

TEST_F(Translate, DrawsAreRepeatedBySeed) {
  const std::string once = translated({"--sample", "--temp", "1.5"});
  EXPECT_EQ(translated({"--sample", "--temp", "1.5", "--seed", "1"}), once);
  EXPECT_NE(translated({"--sample", "--temp", "1.5", "--seed", "2"}), once);
  EXPECT_EQ(translated({"--sample", "--top-k", "1"}), translated({"-b", "1"}));
  EXPECT_EQ(translated({"--sample", "--top-p", "0.00001"}), translated({"-b", "1"}));
}

TEST_F(Translate, StatsAreSaidOnStandardErrorWhereAsked) {
  const Ran quiet = run_well("translate", {}), loud = run_well("translate", {"--stats"});
  EXPECT_EQ(quiet.out, loud.out);
  EXPECT_THAT(loud.err,
              MatchesRegex("(.*\n)?\\[translate\\] 9 lines, [0-9]+ tokens in [0-9.]+ s: [0-9,]+ lines/s, "
                           "[0-9,]+ tokens/s; peak memory [0-9,]+ MiB\n"));
  EXPECT_THAT(quiet.err, ::testing::Not(HasSubstr("tokens in")));
}

TEST_F(Translate, WhatWasCutIsCounted) {
  const std::vector<std::string> n_best = lines_of(translated({"--n-best", "-b", "1"}));
  const Ran ran = run_well("translate", {"-b", "1", "--max-length-factor", "0"});
  size_t cut = 0;
  for (const std::string& line : lines_of(ran.out)) cut += data::count_words(line) == 10;
  ASSERT_GT(cut, 1u);
  EXPECT_EQ(
      ran.err,
      fmt::format("[translate] {} translations had no end after 0 times the source's length and 10 tokens "
                  "more, and were cut there (--max-length-factor)\n",
                  cut));
}

TEST_F(Translate, WrongUsageIsExitCodeTwo) {
  for (const Words& wrong : std::vector<Words>{{"--beam-size", "0"},
                                               {"--beam-size", "many"},
                                               {"--alignment", "firm"},
                                               {"--alignment-pieces"},
                                               {"--temp", "1"},
                                               {"--top-k", "3"},
                                               {"--seed", "3"},
                                               {"--sample", "--temp", "0"},
                                               {"--sample", "--top-p", "1.5"},
                                               {"--sample", "--beam-size", "4"},
                                               {"--normalize", "-1"},
                                               {"--batch", "0"},
                                               {"--max-length", "0"},
                                               {"--max-length-factor", "-1"},
                                               {"some text"}}) {
    const Ran ran = run("translate", wrong);
    EXPECT_EQ(ran.code, 2) << wrong.front();
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_THAT(ran.err, StartsWith("[translate] "));
  }
  EXPECT_EQ(run_command({"translate"}).code, 2);
}

TEST_F(Translate, FailuresAreOneLine) {
  const auto complaint = [&](const Words& more, const std::string& input = "") {
    const Ran ran = run("translate", more, input);
    EXPECT_EQ(ran.code, 1) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(complaint({"-i", "/nowhere"}), StartsWith("[translate] /nowhere: No such file"));
  EXPECT_THAT(complaint({}, "a\n\xFF\n"), HasSubstr("standard input: line 2, byte 1 is not UTF-8"));
  EXPECT_THAT(complaint({"--max-length", "3"}, "a\nI am a student .\n"),
              StartsWith("[translate] line 2 has 5 tokens, more than --max-length 3"));
  EXPECT_EQ(run_well("translate", {"--max-length", "3", "--max-length-crop"}, "I am a student .\n").out,
            run_well("translate", {}, "I am a\n").out);
  const Ran none = run_command({"translate", "-m", directory_.path("nothing")});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("nothing: No such file or directory"));
  const Ran wrong = run_command({"translate", "-m", directory_.path("")});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("is no model: there is no config.json in it, nor in "));
}

TEST_F(Translate, AReaderWhoLeavesIsNoFailureAndAFullDiskIsOne) {
  const Ran closed = run("translate", {}, joined(kSources), Stdout::kClosedPipe);
  EXPECT_EQ(closed.code, 0);
  EXPECT_EQ(closed.err, "");
  EXPECT_EQ(run("translate", {}, joined(kSources), Stdout::kFullDisk).code, 1);
}

TEST_F(Translate, ALineThatIsTypedIsAnsweredAtOnce) {
  const Words want = lines_of(translated({}));
  const std::string model = directory_.path("model");
  EXPECT_THAT(answers_to_typing({"translate", "-m", model}, {kSources[0], kSources[1]}),
              ::testing::ElementsAre(want[0] + "\n", want[1] + "\n"));
  const Words maps = answers_to_typing({"look", "-m", model, "-"}, {kSources[0], kSources[1]});
  ASSERT_EQ(maps.size(), 2u);
  EXPECT_THAT(maps[0], HasSubstr(want[0]));
  EXPECT_THAT(maps[1], HasSubstr(want[1]));
  const Words scores =
      answers_to_typing({"score", "-m", model, "--tsv", "-"}, {kSources[0] + "\ta", kSources[1] + "\tb"});
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_THAT(scores[1], HasSubstr("\t"));
}

class Score : public Translate {
 protected:
  Words targets_ = {"나는 학생 이다 .",
                    "너는 여기 있다 .",
                    "",
                    "그 unknown",
                    "그 학생은 여기 있고 너는 학생 이다 .",
                    "이다",
                    ".",
                    "여기 여기 여기",
                    "학생"};
  std::string pairs() const {
    Words lines;
    for (size_t i = 0; i < kSources.size(); ++i) lines.push_back(kSources[i] + "\t" + targets_[i]);
    return joined(lines);
  }
};

TEST_F(Score, PrintsLogProbabilityAndTokensOfEachPair) {
  const models::Model model = models::load_model(directory_.path("model"));
  const std::vector<std::string> lines = lines_of(run_well("score", {}, pairs()).out);
  ASSERT_EQ(lines.size(), kSources.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::vector<int32_t>> source = {model.source->encode(kSources[i])},
                                            target = {model.target->encode(targets_[i])};
    const autograd::NoTape no_tape;
    const double want = -model.net->cost(data::make_batch(source, target), {}).cross_entropy;
    const std::vector<std::string> parts = split(lines[i], "\t");
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_NEAR(std::stod(parts[0]), want, 1e-3);
    EXPECT_EQ(parts[1], std::to_string(target[0].size() + 1));
  }
  const std::string source = directory_.write("source", joined(kSources)),
                    target = directory_.write("target", joined(targets_)),
                    columns = directory_.write("tsv", pairs());
  EXPECT_EQ(lines_of(run_well("score", {"--source", source, "--target", target}, "").out), lines);
  EXPECT_EQ(lines_of(run_well("score", {"--tsv", columns, "--stats"}, "").out), lines);
}

TEST_F(Score, OfWhatWasTranslatedIsWhatTheSearchSaid) {
  const auto said = translator({.beam_size = 4}).translate(kSources);
  std::string text;
  std::vector<double> want;
  for (size_t i = 0; i < said.size(); ++i)
    if (said[i].best().ended && data::count_words(kSources[i]) > 0) {
      text += kSources[i] + "\t" + said[i].best().text + "\n";
      want.push_back(said[i].best().log_prob);
    }
  ASSERT_FALSE(want.empty());
  const std::vector<std::string> lines = lines_of(run_well("score", {}, text).out);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(std::stod(lines[i]), want[i], 1e-3);
}

TEST_F(Score, WordScoresNameThePiecesAndAddUp) {
  for (const std::string& line : lines_of(run_well("score", {"--word-scores"}, pairs()).out)) {
    const std::vector<std::string> parts = split(line, "\t");
    ASSERT_EQ(parts.size(), 4u) << line;
    const std::vector<std::string> pieces = split(parts[2], " "), numbers = split(parts[3], " ");
    EXPECT_EQ(std::to_string(pieces.size()), parts[1]);
    ASSERT_EQ(numbers.size(), pieces.size());
    EXPECT_EQ(pieces.back(), "<eos>");
    double sum = 0;
    for (const std::string& number : numbers) sum += std::stod(number);
    EXPECT_NEAR(sum, std::stod(parts[0]), 1e-3 * static_cast<double>(numbers.size()));
  }
}

TEST_F(Score, AlignsGivenPairs) {
  const std::vector<std::string> lines = lines_of(run_well("score", {"--alignment", "hard"}, pairs()).out);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> parts = split(lines[i], " ||| ");
    ASSERT_EQ(parts.size(), 2u);
    const auto links = data::parse_links(parts[1]);
    ASSERT_TRUE(links.has_value());
    EXPECT_EQ(data::find_misfit({kSources[i], targets_[i], *links}), nullptr);
  }
}

TEST_F(Score, FailuresAreOneLine) {
  const auto complaint = [&](const Words& more, const std::string& input, int code) {
    const Ran ran = run("score", more, input);
    EXPECT_EQ(ran.code, code) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(complaint({}, "no tab\n", 1), StartsWith("[score] "));
  EXPECT_THAT(complaint({"--max-length", "2"}, "a\t나는 학생 이다\n", 1),
              StartsWith("[score] line 1: the target has 3 tokens, more than --max-length 2"));
  EXPECT_THAT(complaint({"--source", "x"}, "", 2), HasSubstr("--target"));
  EXPECT_THAT(complaint({"--batch", "0"}, "", 2), StartsWith("[score] "));
}

}  // namespace
}  // namespace fovea::testing
