// Every kind of tokenizer with every kind of model: it trains, ends its sentences, and says the same after it was saved and loaded.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "fovea/data/tokenizer.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSource = "a b\nb c\nc a\nb b\n";
constexpr const char* kTarget = "x y\ny z z\nz\nx x y\n";

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

class EveryTokenizer : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_atomically(folder_ / name, text);
    return folder_ / name;
  }
  // Trains by these flags, and copies the model.
  void train(std::vector<std::string> flags) {
    // SentencePiece's vocabulary has to be as large as it says: its special ids, and few letters.
    const std::string vocab = GetParam() == "spm" ? spm_vocab_ : "300";
    const std::vector<std::string> common = {"--tokenizer",  std::string(GetParam()),
                                             "--vocab-size", vocab,
                                             "--out",        folder_ / "run",
                                             "--threads",    "1",
                                             "--learn-rate", "0.01",
                                             "--dropout",    "0"};
    flags.insert(flags.begin(), "train");
    flags.insert(flags.end(), common.begin(), common.end());
    const Ran ran = run_command(flags);
    ASSERT_EQ(ran.code, 0) << ran.err;
    const Ran copied = run_command({"convert", "--from", folder_ / "run", "--to", folder_ / "copy"});
    ASSERT_EQ(copied.code, 0) << copied.err;
  }
  // What the command says of the model, which the copy says, too.
  std::string said(std::vector<std::string> command, const std::string& input) {
    command.insert(command.begin() + 1, {"--model", folder_ / "run", "--threads", "1"});
    const Ran ran = run_command(command, {}, Stdout::kKept, input);
    EXPECT_EQ(ran.code, 0) << ran.err;
    command[2] = folder_ / "copy";
    EXPECT_EQ(run_command(command, {}, Stdout::kKept, input).out, ran.out);
    return ran.out;
  }
  void learn_pairs(std::vector<std::string> flags) {
    const std::vector<std::string> more = {"--train-sets",
                                           write("source", repeated(kSource, 8)),
                                           write("target", repeated(kTarget, 8)),
                                           "--label-smoothing",
                                           "0",
                                           "--mini-batch-words",
                                           "100",
                                           "--lr-warmup",
                                           "10u"};
    flags.insert(flags.end(), more.begin(), more.end());
    train(flags);
    EXPECT_EQ(said({"translate"}, kSource), kTarget);
    EXPECT_EQ(said({"translate", "--beam-size", "3"}, kSource), kTarget);
    const auto config = nlohmann::json::parse(read_file(folder_ / "copy" + "/config.json"));
    EXPECT_TRUE(config["eos_token_id"].is_number()) << config;
  }

  TemporaryDirectory folder_;
  std::string spm_vocab_ = "11";
};

TEST_P(EveryTokenizer, EndsSentencesOfARecurrentModel) {
  learn_pairs({"--model", "rnn", "--dim-emb", "16", "--dim-rnn", "32", "--after", "150u"});
}

TEST_P(EveryTokenizer, EndsSentencesOfATransformer) {
  learn_pairs({"--model", "transformer", "--dim-model", "32", "--dim-ffn", "64", "--heads", "2",
               "--enc-depth", "1", "--dec-depth", "1", "--after", "200u"});
}

// A tokenizer that keeps line ends has an end of text between files, others have one behind every line.
TEST_P(EveryTokenizer, EndsTextsOfALanguageModel) {
  std::vector<std::string> flags = {"--model",  "gpt",  "--n-layer",    "1",   "--n-head",      "2",
                                    "--n-embd", "32",   "--block-size", "8",   "--valid-split", "0",
                                    "--after",  "200u", "--lr-warmup",  "10u", "--train-sets"};
  for (int i = 0; i < 8; ++i) {
    flags.push_back(write(fmt::format("a{}", i), "a b c d\n"));
    flags.push_back(write(fmt::format("e{}", i), "e f g\n"));
  }
  spm_vocab_ = "15";
  train(flags);
  const std::string text = said({"generate", "--prompt", "e f", "--temp", "0", "-n", "30"}, "");
  EXPECT_THAT(text, HasSubstr("g"));
  EXPECT_LT(text.size(), 10U) << text;  // neither the other text nor the same one again
}

TEST_P(EveryTokenizer, IsReadByAnEncoder) {
  train({"--model", "bert", "--dim-model", "32", "--dim-ffn", "64", "--heads", "2", "--enc-depth", "1",
         "--after", "20u", "--train-sets", write("lines", repeated("a b c\nb c a\nc a b\n", 8))});
  EXPECT_THAT(said({"embed"}, "a b\n"), HasSubstr("\n"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryTokenizer, ::testing::ValuesIn(data::tokenizer_kinds()),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace fovea::testing
