#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/staged_directory.h"
#include "fovea/tensor/safetensors.h"
#include "fovea/train/settings.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Arguments = std::vector<std::string>;

Arguments operator+(Arguments a, const Arguments& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// A model that trains in the blink of an eye.
Arguments tiny(const std::string& out) {
  return {"train",
          "--seed",
          "7",
          "--corpus",
          "copy",
          "--corpus-size",
          "300",
          "--dim-emb",
          "8",
          "--dim-rnn",
          "8",
          "--after",
          "12u",
          "--disp-freq",
          "4u",
          "--valid-freq",
          "6u",
          "--valid-metrics",
          "cross-entropy",
          "exact",
          "--threads",
          "1",
          "--mini-batch-words",
          "100",
          "--keep-last",
          "2",
          "--out",
          out};
}

// One line, and nothing on standard output.
void expect_complaint(const Ran& ran, int code) {
  EXPECT_EQ(ran.code, code);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_THAT(ran.err, StartsWith("["));
}

std::string weights(const std::string& dir) { return read_file(dir + "/model.safetensors"); }

// While it lives, no file of this process and its children can grow past a size: as near to a full disk as a test gets without one.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST(Train, HelpHasEverySettingWithItsDefault) {
  const Ran ran = run_command({"train", "--help"});
  EXPECT_EQ(ran.code, 0);
  for (const train::Setting& setting : train::settings_table())
    EXPECT_THAT(ran.out, HasSubstr(fmt::format("--{} ", setting.key)));
  EXPECT_THAT(ran.out, HasSubstr("recurrent cell: tanh, gru, lstm [gru; rowrnn: lstm; captioner: lstm]"));
  EXPECT_THAT(ran.out, HasSubstr("Example:\n  fovea train "));
}

TEST(Train, WrongSettingsAreOneLineBeforeAnythingIsMade) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  struct Case {
    Arguments arguments;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {{"--dim-emb", "wide"}, "[train] --dim-emb: 'wide' is no whole number; see fovea train --help"},
           {{"--dim-emb", "-4"}, "--dim-emb: -4: expected 1 to 65536"},
           {{"--cell", "gruu"},
            "--cell: there is no 'gruu': did you mean 'gru'? Possible are tanh, gru, lstm"},
           {{"--score", "aditive"}, "did you mean 'additive'?"},
           {{"--after", "10"}, "--after: '10' is no amount of training: expected updates as 300u"},
           {{"--bidirectional", "maybe"}, "--bidirectional: 'maybe' is neither true nor false"},
           {{"--corpus", "coppy"}, "did you mean 'copy'?"},
           {{"--valid-metrics", "bleu", "blue"}, "did you mean 'bleu'?"},
           {{"--train-sets", "a", "b"}, "--corpus and --train-sets: give one of them"},
           {{"--no-such-flag"}, "--no-such-flag"},
           {{"--config", dir / "none.yml"}, "none.yml: No such file or directory"},
           {{"--heads", "3"}, "dim-rnn 8 does not divide into 3 heads"},
           {{"--weigh", "hard", "--attention", "bottleneck"}, "a bottleneck does not look"},
           {{"--window", "3"}, "--window is about local attention: give --local, too"},
           {{"--after", "0.5u"}, "--after: '0.5u': updates are whole numbers"},
       }) {
    SCOPED_TRACE(c.message);
    const Ran ran = run_command(tiny(out) + c.arguments);
    expect_complaint(ran, 2);
    EXPECT_THAT(ran.err, HasSubstr(c.message));
    EXPECT_FALSE(fs::exists(out));
  }
  expect_complaint(run_command({"train", "--corpus", "copy"}), 2);
  expect_complaint(run_command({"train", "--out", out}), 2);
}

TEST(Train, MissingFilesAndDirectoriesThatCannotBeWrittenAreFoundFirst) {
  const TemporaryDirectory dir;
  const Ran missing =
      run_command({"train", "--train-sets", dir / "a.en", dir / "a.de", "--out", dir / "run"});
  expect_complaint(missing, 1);
  EXPECT_THAT(missing.err, HasSubstr("a.en: No such file or directory"));
  EXPECT_FALSE(fs::exists(dir / "run"));
  std::ofstream(dir / "file") << "x";
  const Ran under_a_file = run_command(tiny(dir / "file/run"));
  expect_complaint(under_a_file, 1);
  EXPECT_THAT(under_a_file.err, HasSubstr("Not a directory"));
}

TEST(Train, AConfigMayComeThroughAPipe) {
  const TemporaryDirectory dir;
  const Ran ran = run_command({"train", "--config", "/dev/stdin", "--out", dir / "run", "--dump-config"}, {},
                              Stdout::kKept, "corpus: copy\ndim-emb: 8\n");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("corpus: copy\n"), HasSubstr("dim-emb: 8\n")));
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(fifo) << "corpus: reverse\n"; });
  const Ran piped = run_command({"train", "--config", fifo, "--out", dir / "run", "--dump-config"});
  writer.join();
  EXPECT_THAT(piped.out, HasSubstr("corpus: reverse\n"));
}

TEST(Train, WithoutATokenizerACorpusHasItsOwn) {
  const TemporaryDirectory dir;
  for (const auto& [corpus, tokenizer] : {std::pair("dates", "char"), std::pair("copy", "word")}) {
    const std::string out = dir / corpus;
    const Ran ran = run_command(tiny(out) + Arguments{"--corpus", corpus, "--after", "1u"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(read_file(out + "/last/config.json"),
                HasSubstr(fmt::format("\"source\": \"{}\"", tokenizer)));
  }
}

TEST(Train, GuidesByTheThirdColumnOfATable) {
  const TemporaryDirectory dir;
  const std::string table = dir / "train.tsv";
  std::ofstream(table) << "a b\tx y\t0-1 1-0\nb a\ty x\t0-1 1-0\n";
  const Arguments to{"train", "--train-sets", table, "--after", "2u", "--dim-emb",
                     "4",     "--dim-rnn",    "4",   "--out"};
  const Ran ran = run_command(to + Arguments{dir / "run", "--guided-alignment", "tsv"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::ofstream(dir / "plain.tsv") << "a b\tx y\n";
  const Ran none = run_command({"train", "--train-sets", dir / "plain.tsv", "--after", "2u", "--out",
                                dir / "none", "--guided-alignment", "tsv"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.err, HasSubstr("there is not one link between words"));
}

TEST(Train, FollowsDataThatMoved) {
  const TemporaryDirectory dir;
  const auto write = [&](const std::string& name) {
    std::ofstream(dir / (name + ".s")) << "a b\nb a\n";
    std::ofstream(dir / (name + ".t")) << "x y\ny x\n";
  };
  const auto run = [&](const std::string& name, const char* after) {
    return run_command({"train", "--train-sets", dir / (name + ".s"), dir / (name + ".t"), "--after", after,
                        "--dim-emb", "4", "--dim-rnn", "4", "--out", dir / "run"});
  };
  write("here");
  ASSERT_EQ(run("here", "2u").code, 0);
  fs::rename(dir / "here.s", dir / "there.s");
  fs::rename(dir / "here.t", dir / "there.t");
  const Ran moved = run("there", "4u");
  EXPECT_EQ(moved.code, 0) << moved.err;
  std::ofstream(dir / "there.t") << "x y\ny y\n";
  const Ran changed = run("there", "6u");
  EXPECT_EQ(changed.code, 1);
  EXPECT_THAT(changed.err, HasSubstr("the training data is not what the run"));
}

TEST(Train, ALineThatTheModelCannotReadIsNamed) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  ASSERT_EQ(
      run_command(tiny(out) + Arguments{"--score", "location", "--max-keys", "30", "--max-length", "29"})
          .code,
      0);
  std::string line;
  for (int i = 0; i < 40; ++i) line += "1 ";
  const Ran ran = run_command({"translate", "-m", out}, {}, Stdout::kKept, fmt::format("1 2\n{}\n", line));
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("line 2 has 40 tokens, more than this model can read, 29: crop such lines"));
  EXPECT_EQ(run_command({"translate", "-m", out, "--max-length-crop"}, {}, Stdout::kKept, line + "\n").code,
            0);
  const Ran scored = run_command({"score", "-m", out}, {}, Stdout::kKept, line + "\t1\n");
  EXPECT_THAT(scored.err, HasSubstr("line 1: the source has 40 tokens, more than 29"));
}

TEST(Train, TheDumpedConfigIsReadBackToTheSame) {
  const TemporaryDirectory dir;
  const std::string file = dir / "run.yml";
  const Ran dumped = run_command(tiny(dir / "run") +
                                 Arguments{"--dump-config", "--tied-embeddings", "--bidirectional", "false"});
  EXPECT_EQ(dumped.code, 0) << dumped.err;
  EXPECT_THAT(dumped.out,
              AllOf(HasSubstr("# Model\n"), HasSubstr("\ndim-emb: 8\n"),
                    HasSubstr("\nbidirectional: false\n"), HasSubstr("\ntied-embeddings: true\n"),
                    HasSubstr("\nafter: 12u\n"), HasSubstr("\nvalid-metrics: [cross-entropy, exact]\n")));
  std::ofstream(file) << dumped.out;
  EXPECT_EQ(run_command({"train", "--config", file, "--dump-config"}).out, dumped.out);
  // Flags win, wherever they stand.
  EXPECT_THAT(run_command({"train", "--dim-emb", "9", "--config", file, "--dump-config"}).out,
              HasSubstr("\ndim-emb: 9\n"));
  EXPECT_FALSE(fs::exists(dir / "run"));
  std::ofstream(file) << "dim-emb: 8\ndim-rn: 9\n";
  const Ran wrong = run_command({"train", "--config", file, "--dump-config"});
  expect_complaint(wrong, 2);
  EXPECT_THAT(wrong.err, HasSubstr("run.yml:2: 'dim-rn' is no setting: did you mean 'dim-rnn'?"));
}

TEST(Train, ARunWritesItsModelLogAndBest) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  const Ran ran = run_command(tiny(out));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, AllOf(HasSubstr("300 pairs"), HasSubstr("Ep. 1 : Up. 4 : Sen. "),
                             HasSubstr(" words/s : gNorm "), HasSubstr("[valid] Ep. "),
                             HasSubstr("Up. 6 : cross-entropy : "), HasSubstr("exact : "),
                             HasSubstr("done : Up. 12 : "), HasSubstr("peak memory "), Not(HasSubstr("\r"))));
  for (const char* name : {"last", "best"})
    for (const char* file :
         {"model.safetensors", "config.json", "manifest.json", "optimizer.safetensors", "state.json"})
      EXPECT_TRUE(fs::exists(out + "/" + name + "/" + file)) << name << "/" << file;
  const std::string log = read_file(out + "/metrics.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 5) << log;
  EXPECT_TRUE(fs::exists(out + "/keep/u00000012/model.safetensors"));
  EXPECT_THAT(read_file(out + "/curve.svg"), AllOf(HasSubstr("<svg"), HasSubstr("exact")));

  // The same again has nothing to do; more of it goes on, also without the flags it began with.
  const std::string before = weights(out + "/last");
  const Ran again = run_command(tiny(out));
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.err, HasSubstr("goes on from update 12 of " + out + "/last"));
  EXPECT_EQ(weights(out + "/last"), before);
  const Ran more = run_command({"train", "--out", out, "--after", "14u"});
  EXPECT_EQ(more.code, 0);
  EXPECT_THAT(more.err, AllOf(HasSubstr("--after is now 14u; it was 12u"), HasSubstr("done : Up. 14")));
  EXPECT_NE(weights(out + "/last"), before);
}

TEST(Train, QuietSaysNothing) {
  const TemporaryDirectory dir;
  const Ran ran = run_command(tiny(dir / "run") + Arguments{"--quiet"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST(Train, TheSameSeedGivesTheSameBitsOnAnyNumberOfThreads) {
  const TemporaryDirectory dir;
  EXPECT_EQ(run_command(tiny(dir / "one")).code, 0);
  EXPECT_EQ(run_command(tiny(dir / "two") + Arguments{"--threads", "2"}).code, 0);
  EXPECT_EQ(run_command(tiny(dir / "other") + Arguments{"--seed", "2"}).code, 0);
  EXPECT_EQ(weights(dir / "one/last"), weights(dir / "two/last"));
  EXPECT_NE(weights(dir / "one/last"), weights(dir / "other/last"));
}

TEST(Train, WhatARunCannotChangeIsRefusedAndTheOldCheckpointStays) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run", source = dir / "a.src", target = dir / "a.trg";
  std::ofstream(source) << "a b\nb a\na a b\n";
  std::ofstream(target) << "b a\na b\nb a a\n";
  const Arguments command = {"train", "--train-sets", source, target,  "--dim-emb", "8", "--dim-rnn",
                             "8",     "--after",      "3u",   "--out", out};
  ASSERT_EQ(run_command(command).code, 0);
  const std::string before = weights(out + "/last");
  const Arguments more = command + Arguments{"--after", "5u"};
  const auto refused = [&](const Arguments& arguments, const std::string& message) {
    const Ran ran = run_command(arguments);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr(message));
    EXPECT_EQ(weights(out + "/last"), before);
  };
  refused(more + Arguments{"--dim-rnn", "16"},
          "--dim-rnn is \"16\", and the run in " + out + " began with \"8\": a run cannot change it");
  refused(more + Arguments{"--vocab-size", "100"}, "--vocab-size");
  refused(more + Arguments{"--seed", "9"}, "--seed");
  std::ofstream(target) << "b a\na b\nb a b\n";
  refused(more, "the training data is not what the run in " + out + " began with");
  std::ofstream(target) << "b a\na b\n";
  refused(more, "they must match line by line");
  std::ofstream(target) << "b a\na b\nb a a\n";
  for (const auto& entry : fs::directory_iterator(out + "/last")) {
    const std::string file = entry.path(), bytes = read_file(file);
    if (!file.ends_with(".vocab") && !file.ends_with(".safetensors")) continue;
    std::string changed = bytes;
    changed.back() ^= 1;
    std::ofstream(file) << changed;
    const Ran ran = run_command(more);
    EXPECT_EQ(ran.code, 1);
    EXPECT_THAT(ran.err, HasSubstr("the file was changed or damaged")) << file;
    std::ofstream(file) << bytes;
  }
  EXPECT_EQ(run_command(more).code, 0);
}

TEST(Train, AFullDiskEndsTheRunAndTheCheckpointStays) {
  const TemporaryDirectory dir;
  const std::string out = dir / "run";
  // The first checkpoint has no moments yet, and fits; the second one does not.
  ASSERT_EQ(run_command(tiny(dir / "free")).code, 0);
  const auto limit = (fs::file_size(dir / "free/last/model.safetensors") +
                      fs::file_size(dir / "free/last/optimizer.safetensors")) /
                     2;
  Ran ran;
  {
    const FileLimit full(limit);
    ran = run_command(tiny(out) + Arguments{"--save-freq", "3u"});
  }
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err,
              HasSubstr(fmt::format(
                  "[checkpoint] {0}/last.new/optimizer.safetensors: File too large; {0}/last is as it was "
                  "saved before\n",
                  out)));
  EXPECT_NO_THROW(verify_directory(out + "/last"));
  EXPECT_FALSE(fs::exists(out + "/last.new"));
  // With room again it goes on, to the same bits.
  EXPECT_EQ(run_command(tiny(out)).code, 0);
  EXPECT_EQ(weights(out + "/last"), weights(dir / "free/last"));
}

TEST(Train, AveragesWhatARunKept) {
  const TemporaryDirectory dir;
  ASSERT_EQ(run_command(tiny(dir / "run")).code, 0);
  const Ran ran = run_command({"average", "-m", dir / "run", "--last", "2", "--out", dir / "mean"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "[average] 2 models in " + (dir / "mean") + "\n");
  const auto read = [](const std::string& path) { return Safetensors::open(path + "/model.safetensors"); };
  const Safetensors mean = read(dir / "mean"), first = read(dir / "run/keep/u00000006"),
                    second = read(dir / "run/keep/u00000012");
  ASSERT_FALSE(mean.entries().empty());
  for (const auto& entry : mean.entries()) {
    const auto m = mean.read(entry.name).values<float>(), a = first.read(entry.name).values<float>(),
               b = second.read(entry.name).values<float>();
    for (size_t i = 0; i < m.size(); ++i)
      EXPECT_EQ(m[i], static_cast<float>((double{a[i]} + double{b[i]}) / 2));
  }
  EXPECT_EQ(read_file(dir / "mean/config.json"), read_file(dir / "run/last/config.json"));
  // One model by itself is itself.
  EXPECT_EQ(run_command({"average", dir / "run/best", "--out", dir / "one"}).code, 0);
  EXPECT_EQ(weights(dir / "one"), weights(dir / "run/best"));

  const Ran few = run_command({"average", "-m", dir / "run", "--last", "3", "--out", dir / "three"});
  expect_complaint(few, 1);
  EXPECT_THAT(few.err, HasSubstr("keeps the weights of 2 validations, and 3 are to be averaged"));
  expect_complaint(run_command({"average", "--out", dir / "x"}), 2);
  expect_complaint(run_command({"average", dir / "run", "-m", dir / "run", "--out", dir / "x"}), 2);
  const Ran onto = run_command({"average", dir / "run/best", "--out", dir / "run"});
  expect_complaint(onto, 1);
  EXPECT_THAT(onto.err, HasSubstr("it holds other files, which would be lost"));
  ASSERT_EQ(run_command(tiny(dir / "wide") + Arguments{"--dim-rnn", "16"}).code, 0);
  const Ran mixed = run_command({"average", dir / "run/last", dir / "wide/last", "--out", dir / "x"});
  expect_complaint(mixed, 1);
  EXPECT_THAT(mixed.err, HasSubstr("differ in config.json"));
  // A run's own checkpoint is not written over.
  const Ran over = run_command({"average", "-m", dir / "run", "--last", "1", "--out", dir / "run/last"});
  expect_complaint(over, 1);
  EXPECT_THAT(over.err, HasSubstr("is a checkpoint that a training run goes on from: choose another --out"));
  EXPECT_TRUE(fs::exists(dir / "run/last/state.json"));
}

}  // namespace
}  // namespace fovea::testing
