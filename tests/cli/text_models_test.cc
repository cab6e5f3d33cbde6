// Models that continue or read texts, as a user trains and runs them.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fovea/base/file.h"
#include "fovea/tensor/npy.h"
#include "fovea/tensor/safetensors.h"
#include "tests/cli/run_command.h"
#include "tests/temporary_directory.h"

namespace fovea::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Sentences of a few words.
std::string some_text(int lines, bool labelled) {
  const char* who[] = {"the cat", "the dog", "a bird"};
  const char* what[] = {"sees", "hears", "likes"};
  std::string text;
  for (int i = 0; i < lines; ++i) {
    const int a = i % 3, b = i / 3 % 3, c = i / 9 % 3;
    text += std::string(who[a]) + " " + what[b] + " " + who[c] + " .";
    if (labelled) text += b == 0 ? "\teye" : "\tother";
    text += "\n";
  }
  return text;
}

class TextModels : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    write_atomically(folder_ / name, text);
    return folder_ / name;
  }
  Ran train(std::vector<std::string> arguments, const std::string& out) {
    arguments.insert(arguments.begin(), "train");
    for (const std::string& word :
         {std::string("--out"), folder_ / out, std::string("--threads"), std::string("1")})
      arguments.push_back(word);
    return run_command(arguments);
  }
  std::vector<std::string> tiny_gpt(const std::string& after) {
    return {"--tokenizer",  "char",
            "--model",      "gpt",
            "--train-sets", write("text.txt", some_text(200, false)),
            "--n-layer",    "2",
            "--n-head",     "2",
            "--n-embd",     "32",
            "--block-size", "16",
            "--after",      after,
            "--valid-freq", "20u",
            "--dropout",    "0.1",
            "--lr-warmup",  "5u",
            "--lr-length",  "60u"};
  }
  std::vector<std::string> tiny_bert(const std::string& task, const std::string& after) {
    const std::string text = write(task + ".tsv", some_text(120, task == "labels"));
    return {"--model",
            "bert",
            "--task",
            task,
            "--train-sets",
            text,
            "--valid-sets",
            text,
            "--tokenizer",
            "wordpiece",
            "--vocab-size",
            "80",
            "--enc-depth",
            "1",
            "--heads",
            "2",
            "--dim-model",
            "32",
            "--dim-ffn",
            "64",
            "--after",
            after,
            "--learn-rate",
            "0.005",
            "--lr-warmup",
            "5u",
            "--mini-batch",
            "20",
            "--dropout",
            "0",
            "--dropout-attention",
            "0"};
  }
  std::string weights(const std::string& out) {
    return read_file(folder_ / (out + "/last/model.safetensors"));
  }

  TemporaryDirectory folder_;
};

TEST_F(TextModels, AGptIsTrainedStoppedAndGoesOnToTheSameBits) {
  const Ran whole = train(tiny_gpt("60u"), "whole");
  ASSERT_EQ(whole.code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("cross-entropy"));
  ASSERT_EQ(train(tiny_gpt("25u"), "parts").code, 0);
  const Ran rest = train(tiny_gpt("60u"), "parts");
  ASSERT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.err, HasSubstr("goes on from update 25"));
  EXPECT_EQ(weights("parts"), weights("whole"));

  const auto generate = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"generate", "-m", folder_ / "whole", "--prompt", "the cat ", "-n", "8", "--seed", "3"});
    return run_command(more);
  };
  const Ran said = generate({});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith("the cat "));
  EXPECT_EQ(generate({}).out, said.out);
  EXPECT_THAT(generate({"--no-display-prompt", "--temp", "0"}).out, Not(HasSubstr("the cat the cat")));
  const Ran looked = generate({"--look", "--html", folder_ / "g.html"});
  EXPECT_EQ(looked.code, 0) << looked.err;
  EXPECT_THAT(looked.out, StartsWith(said.out));
  EXPECT_GT(looked.out.size(), said.out.size() + 50);
  EXPECT_THAT(read_file(folder_ / "g.html"), HasSubstr("<html"));
  EXPECT_EQ(generate({"--look", "--window"}).code, 2);

  // A beam draws nothing, and its best text is the first of its list.
  const auto search = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"generate", "-m", folder_ / "whole", "--prompt", "the cat ", "-n", "8"});
    return run_command(more);
  };
  const Ran beam = search({"--beam-size", "4"}), list = search({"--beam-size", "4", "--n-best"});
  ASSERT_EQ(beam.code, 0) << beam.err;
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_EQ(std::count(list.out.begin(), list.out.end(), '\n'), 4) << list.out;
  std::string first = list.out.substr(0, list.out.find(" ||| "));
  for (size_t at = 0; (at = first.find("\\n", at)) != std::string::npos;) first.replace(at, 2, "\n");
  EXPECT_EQ("the cat " + first + "\n", beam.out);
  EXPECT_EQ(search({"--temp", "0", "--cache", "f16"}).out, search({"--temp", "0"}).out);
  EXPECT_EQ(search({"--cache", "f8"}).code, 2);
  EXPECT_EQ(search({"--beam-size", "4", "--look"}).code, 0);
  EXPECT_EQ(search({"--beam-size", "4", "--seed", "3"}).code, 2);
  EXPECT_EQ(search({"--beam-size", "4", "--window"}).code, 2);
  EXPECT_EQ(search({"--n-best"}).code, 2);
  EXPECT_THAT(generate({"--layers", "0"}).err, HasSubstr("--layers is about looking"));
  EXPECT_THAT(generate({"--topk", "3"}).err,
              HasSubstr("there is no option '--topk': did you mean '--top-k'?"));
  EXPECT_EQ(run_command({"generate", "-m", folder_ / "whole", "--prompt", "the cat "}).code,
            0);  // as much as it can read
  const Ran too_long = generate({"-n", "100"});
  EXPECT_EQ(too_long.code, 1);
  EXPECT_THAT(too_long.err, HasSubstr("--window"));

  // The text changes under the run.
  write("text.txt", some_text(300, false));
  const Ran other = run_command({"train", "--out", folder_ / "parts", "--after", "70u"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.err, HasSubstr("the training data is not what the run"));
}

TEST_F(TextModels, LogitsInfoAndConvert) {
  ASSERT_EQ(train(tiny_gpt("5u"), "gpt").code, 0);
  const std::string model = folder_ / "gpt";
  const Ran info = run_command({"info", model});
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("gpt2, continues texts"));
  const Ran logits = run_command({"logits", "-m", model, "--ids", "4,5,6", "--out", folder_ / "x.npy"});
  ASSERT_EQ(logits.code, 0) << logits.err;
  const Tensor x = read_npy(folder_ / "x.npy");
  EXPECT_EQ(x.dim(0), 3);
  EXPECT_EQ(run_command({"logits", "-m", model, "--ids", "4,x", "--out", folder_ / "x.npy"}).code, 2);
  EXPECT_THAT(run_command({"logits", "-m", model, "--ids", "4000", "--out", folder_ / "x.npy"}).err,
              HasSubstr("this model has ids 0 to"));

  const Ran scored = run_command({"score", "-m", model, "--word-scores"}, {}, Stdout::kKept, "the cat\n\n");
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_THAT(scored.out, ::testing::MatchesRegex("-[0-9.]+\t6\th e .+ c a t\t.*\n.*0\t0\t\t\n"));
  EXPECT_EQ(run_command({"score", "-m", model, "--source", "a", "--target", "b"}).code, 2);

  ASSERT_EQ(run_command({"convert", "--from", model, "--to", folder_ / "hf", "--format", "hf"}).code, 0);
  ASSERT_EQ(run_command({"logits", "-m", folder_ / "hf", "--ids", "4,5,6", "--out", folder_ / "y.npy"}).code,
            0);
  EXPECT_EQ(read_npy(folder_ / "y.npy").values<float>(), x.values<float>());
  for (const std::string type : {"f16", "bf16"}) {
    const std::string half = folder_ / type, again = folder_ / (type + "-again");
    ASSERT_EQ(run_command({"convert", "--from", model, "--to", half, "--format", "hf", "--dtype", type}).code,
              0);
    EXPECT_EQ(nlohmann::json::parse(read_file(half + "/config.json"))["dtype"],
              type == "f16" ? "float16" : "bfloat16");
    ASSERT_EQ(run_command({"convert", "--from", half, "--to", again, "--format", "hf"}).code, 0);
    EXPECT_EQ(read_file(half + "/model.safetensors"), read_file(again + "/model.safetensors"));
    ASSERT_EQ(run_command({"logits", "-m", half, "--ids", "4,5,6", "--out", folder_ / "z.npy"}).code, 0);
    const Tensor z = read_npy(folder_ / "z.npy");
    for (int64_t i = 0; i < z.size(); ++i) ASSERT_NEAR(z.data<float>()[i], x.data<float>()[i], 0.02);
    EXPECT_NE(z.values<float>(), x.values<float>());
  }
  ASSERT_EQ(run_command({"convert", "--from", model, "--to", folder_ / "bytes", "--quantize", "int8"}).code,
            0);
  EXPECT_EQ(run_command({"generate", "-m", folder_ / "bytes", "--prompt", "the", "-n", "4"}).code, 0);
  EXPECT_EQ(run_command(
                {"convert", "--from", model, "--to", folder_ / "no", "--quantize", "int8", "--format", "hf"})
                .code,
            2);
  EXPECT_THAT(run_command({"translate", "-m", model}).err, HasSubstr("continues texts: fovea generate"));
}

TEST_F(TextModels, ATransformerAsMarianMTHasIt) {
  const std::string text = write("text.txt", some_text(120, false));
  const Ran trained = train({"--model",
                             "transformer",
                             "--train-sets",
                             text,
                             text,
                             "--tokenizer",
                             "spm",
                             "--vocab-size",
                             "40",
                             "--norm",
                             "post",
                             "--joint-vocab",
                             "--tied-embeddings-all",
                             "--dim-model",
                             "16",
                             "--heads",
                             "2",
                             "--dim-ffn",
                             "32",
                             "--enc-depth",
                             "1",
                             "--dec-depth",
                             "1",
                             "--after",
                             "60u",
                             "--lr-warmup",
                             "5u"},
                            "pair");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string model = folder_ / "pair/last", marian = folder_ / "marian";
  ASSERT_EQ(run_command({"convert", "--from", model, "--to", marian, "--format", "hf"}).code, 0);
  const auto config = nlohmann::json::parse(read_file(marian + "/config.json"));
  EXPECT_EQ(config["pad_token_id"], 39);  // the last, as programs that read MarianMT's models expect
  EXPECT_EQ(config["decoder_start_token_id"], 39);
  EXPECT_EQ(config["eos_token_id"], 0);
  EXPECT_EQ(nlohmann::json::parse(read_file(marian + "/vocab.json"))["<pad>"], 39);
  const auto translated = [&](const std::string& from) {
    return run_command({"translate", "-m", from, "--beam-size", "1"}, {}, Stdout::kKept,
                       some_text(30, false));
  };
  const Ran ours = translated(model), theirs = translated(marian);
  ASSERT_EQ(ours.code, 0) << ours.err;
  EXPECT_THAT(ours.out, HasSubstr("the"));
  EXPECT_EQ(ours.out, theirs.out);

  ASSERT_EQ(train({"--tokenizer",
                   "word",
                   "--model",
                   "transformer",
                   "--train-sets",
                   text,
                   text,
                   "--norm",
                   "post",
                   "--joint-vocab",
                   "--tied-embeddings-all",
                   "--dim-model",
                   "16",
                   "--heads",
                   "2",
                   "--enc-depth",
                   "1",
                   "--dec-depth",
                   "1",
                   "--after",
                   "1u"},
                  "words")
                .code,
            0);
  EXPECT_THAT(
      run_command({"convert", "--from", folder_ / "words/last", "--to", folder_ / "no", "--format", "hf"})
          .err,
      HasSubstr("is of kind word: train with --tokenizer spm"));
}

TEST_F(TextModels, ABertFindsHiddenWords) {
  const Ran trained = train(tiny_bert("words", "150u"), "bert");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("accuracy"));
  const Ran filled = run_command({"fill", "-m", folder_ / "bert", "the cat [MASK] the dog .", "-k", "3"});
  ASSERT_EQ(filled.code, 0) << filled.err;
  EXPECT_THAT(filled.out, HasSubstr(" % "));
  EXPECT_EQ(std::count(filled.out.begin(), filled.out.end(), '\n'), 3);
  for (const char* verb : {"fill", "look"}) {
    const Ran several = run_command({verb, "-m", folder_ / "bert", "the [MASK]", "a [MASK]"});
    EXPECT_EQ(several.code, 2) << verb;
    EXPECT_THAT(several.err, HasSubstr("2 arguments where one sentence is expected: put it in quotes"))
        << verb;
    EXPECT_EQ(several.out, "") << verb;
  }
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"fill", "-"}, {"look", "-"}, {"embed"}}) {
    std::vector<std::string> arguments = verb;
    arguments.insert(arguments.begin() + 1, {"-m", folder_ / "bert"});
    const std::vector<std::string> answers =
        answers_to_typing(arguments, {"the [MASK] sees .", "a [MASK] ."});
    ASSERT_EQ(answers.size(), 2u) << verb[0];
    EXPECT_NE(answers[1], "") << verb[0];
  }
  const Ran gaps = run_command({"fill", "-m", folder_ / "bert", "[MASK] cat sees [MASK] dog .", "-k", "1"});
  EXPECT_THAT(gaps.out, HasSubstr("cat sees [MASK] dog"));
  EXPECT_THAT(gaps.out, HasSubstr("[MASK] cat sees "));
  EXPECT_THAT(run_command({"fill", "-m", folder_ / "bert", "no gap"}).err,
              HasSubstr("has no gap: write [MASK]"));
  EXPECT_THAT(run_command({"classify", "-m", folder_ / "bert"}).err, HasSubstr("has no labels"));

  const Ran embedded = run_command({"embed", "-m", folder_ / "bert", "--out", folder_ / "v.npy"}, {},
                                   Stdout::kKept, "the cat\na bird sees the dog .\n");
  ASSERT_EQ(embedded.code, 0) << embedded.err;
  EXPECT_EQ(read_npy(folder_ / "v.npy").shape(), (Shape{2, 32}));
  const Ran one = run_command({"embed", "-m", folder_ / "bert", "--batch", "1", "--out", folder_ / "w.npy"},
                              {}, Stdout::kKept, "the cat\na bird sees the dog .\n");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(read_npy(folder_ / "v.npy").values<float>(), read_npy(folder_ / "w.npy").values<float>());

  const Ran looked = run_command({"look", "-m", folder_ / "bert", "the cat sees the dog .", "--token", "sees",
                                  "--html", folder_ / "l.html"});
  EXPECT_EQ(looked.code, 0) << looked.err;
  EXPECT_THAT(looked.out, HasSubstr("sees"));
}

TEST_F(TextModels, ABertLearnsLabelsAndCanBeginWithATrainedBody) {
  const Ran trained = train(tiny_bert("labels", "60u"), "labels");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string lines = "the dog sees a bird .\na bird likes the cat .\n";
  const Ran said = run_command({"classify", "-m", folder_ / "labels"}, {}, Stdout::kKept, lines);
  EXPECT_EQ(answers_to_typing({"classify", "-m", folder_ / "labels"}, {"the dog sees a bird ."}),
            (std::vector<std::string>{said.out.substr(0, said.out.find('\n') + 1)}));
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, StartsWith("eye\t"));
  EXPECT_THAT(said.out, HasSubstr("\nother\t"));

  // The same weights, read as labels that stand for themselves, as a number, and damaged.
  const std::string hf = folder_ / "hf";
  ASSERT_EQ(run_command({"convert", "--from", folder_ / "labels/last", "--to", hf, "--format", "hf"}).code,
            0);
  std::filesystem::remove(hf + "/manifest.json");
  auto config = nlohmann::json::parse(read_file(hf + "/config.json"));
  const auto values = [&](const std::string& type) {
    config["problem_type"] = type;
    write("hf/config.json", config.dump());
    const Ran ran =
        run_command({"classify", "-m", hf, "--all"}, {}, Stdout::kKept, "the dog sees a bird .\n");
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::vector<double> numbers;
    std::istringstream fields(ran.out);
    for (std::string field; std::getline(fields, field, '\t');)
      if (const size_t blank = field.find(' '); blank != std::string::npos)
        numbers.push_back(std::stod(field.substr(blank)));
    return numbers;
  };
  const std::vector<double> one = values("single_label_classification"),
                            each = values("multi_label_classification"), number = values("regression");
  ASSERT_EQ(one.size(), 2u);
  EXPECT_NEAR(one[0] + one[1], 1, 1e-3);
  for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(each[i], 1 / (1 + std::exp(-number[i])), 2e-4);
  EXPECT_NEAR(one[0], 1 / (1 + std::exp(number[1] - number[0])), 2e-4);

  std::vector<NamedTensor> weights;
  {
    const Safetensors file = Safetensors::open(hf + "/model.safetensors");
    for (const Safetensors::Entry& entry : file.entries())
      weights.push_back({entry.name, file.read(entry.name)});
  }
  for (NamedTensor& one : weights)
    if (one.name.ends_with("LayerNorm.weight")) one.tensor.data<float>()[0] = std::nanf("");
  write_safetensors(hf + "/model.safetensors", weights);
  for (const char* verb : {"classify", "embed"})
    EXPECT_THAT(run_command({verb, "-m", hf}, {}, Stdout::kKept, lines).err,
                HasSubstr("line 1: the model gives NaN or infinity"))
        << verb;

  ASSERT_EQ(train(tiny_bert("words", "5u"), "body").code, 0);
  std::vector<std::string> tuned = tiny_bert("labels", "10u");
  for (const char* flag :
       {"--tokenizer", "--vocab-size", "--enc-depth", "--heads", "--dim-model", "--dim-ffn"}) {
    const auto at = std::find(tuned.begin(), tuned.end(), flag);
    tuned.erase(at, at + 2);
  }
  tuned.insert(tuned.end(), {"--pretrained", folder_ / "body"});
  const Ran fine = train(tuned, "fine");
  ASSERT_EQ(fine.code, 0) << fine.err;
  EXPECT_EQ(run_command({"classify", "-m", folder_ / "fine"}, {}, Stdout::kKept, lines).code, 0);
}

TEST_F(TextModels, WhatIsNoModelIsSaidForWhatItIs) {
  const std::string weights = write("model.gguf", "GGUF"), pickle = write("pytorch_model.bin", "x");
  std::filesystem::create_directories(folder_ / "other");
  write("other/config.json", R"({"model_type": "mixtral"})");
  for (const char* verb :
       {"translate", "generate", "embed", "classify", "tokenize", "score", "look", "fill"}) {
    const auto error = [&](const std::string& model) {
      std::vector<std::string> arguments = {verb, "-m", model};
      if (std::string_view(verb) == "look" || std::string_view(verb) == "fill")
        arguments.emplace_back("a [MASK]");
      return run_command(arguments).err;
    };
    EXPECT_THAT(error(weights),
                HasSubstr("a GGUF file of llama.cpp, which is not supported; a model is a directory"))
        << verb;
    EXPECT_THAT(error(pickle), HasSubstr("a pickled file of PyTorch, which is not supported")) << verb;
    EXPECT_THAT(error(folder_ / "other"),
                HasSubstr("a model of the type 'mixtral' is not supported; supported are rnn, transformer"))
        << verb;
  }
}

TEST_F(TextModels, ATextWithoutLineEndsIsLearnedFrom) {
  std::string text;
  while (text.size() < 3'000'000) text += "anarchism originated as a term of abuse ";
  const Ran trained = train({"--model", "gpt", "--train-sets", write("text8", text), "--n-layer", "1",
                             "--n-head", "1", "--n-embd", "8", "--after", "2u", "--valid-freq", "0u"},
                            "gpt");
  EXPECT_EQ(trained.code, 0) << trained.err;
  EXPECT_THAT(trained.err, HasSubstr("fitted to"));
  EXPECT_THAT(trained.err, HasSubstr("try it: fovea generate -m " + (folder_ / "gpt")));
}

TEST_F(TextModels, SettingsOfOtherModelsAreRefused) {
  const std::string text = write("text.txt", some_text(20, false));
  const auto error = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"--model", "gpt", "--train-sets", text};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return train(arguments, "out").err;
  };
  EXPECT_THAT(error({"--dim-rnn", "8"}), HasSubstr("--dim-rnn belongs to"));
  EXPECT_THAT(error({"--corpus", "dates"}), HasSubstr("--corpus"));
  EXPECT_THAT(error({"--valid-metrics", "bleu"}), HasSubstr("not measured of a gpt"));
  EXPECT_THAT(error({"--n-embd", "33", "--n-head", "4"}), HasSubstr("does not divide"));
  EXPECT_THAT(error({"--block-size", "100000"}), HasSubstr("smaller block"));
}

}  // namespace
}  // namespace fovea::testing
