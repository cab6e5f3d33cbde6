// Tokenizers of Hugging Face directories, against what transformers does with the same files (tools/goldens_tokenizers.py).
#include "fovea/data/hf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/data/pipeline/file_bundle.h"
#include "tests/error_message.h"
#include "tests/temporary_directory.h"

namespace fovea::data {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using Ids = std::vector<int32_t>;

const json& goldens() {
  static const json kGoldens = json::parse(read_file(FOVEA_TESTS_DIR "/goldens/tokenizers.json"));
  return kGoldens;
}

class HfTokenizer : public testing::Test {
 protected:
  TemporaryDirectory folder_;

  void write(const NamedFiles& files) {
    for (const auto& [name, bytes] : files) write_atomically(folder_.path() + "/" + name, bytes);
  }
  void write(const json& files) { write(unbundle(files.dump(), "golden")); }
  TokenizerPair read() const { return read_hf_tokenizer(folder_.path()); }
  // What is said of a directory with these files, after its name.
  std::string refused(const NamedFiles& files) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    write(files);
    const std::string message = error_of([&] { read(); });
    const std::string start = "[tokenizer] " + folder_.path();
    EXPECT_THAT(message, StartsWith(start));
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message.size() < start.size() ? message : message.substr(start.size());
  }
};

class EveryGolden : public HfTokenizer, public testing::WithParamInterface<const char*> {
 protected:
  const json& golden() const { return goldens()["tokenizers"][GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(HfTokenizer, EveryGolden,
                         testing::Values("bert_uncased", "bert_cased", "gpt2", "gpt2_added", "llama",
                                         "llama_metaspace", "llama3", "marian", "roberta", "qwen2", "unigram",
                                         "unigram_bytes", "llama_spm", "clip", "clip_files"),
                         [](const auto& info) { return std::string(info.param); });

void expect_the_same(const Tokenizer& tokenizer, const json& results) {
  const json& texts = goldens()["texts"];
  ASSERT_EQ(texts.size(), results.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto text = texts[i].get<std::string>();
    const Ids ids = tokenizer.with_specials(tokenizer.encode(text));
    EXPECT_EQ(ids, results[i][0].get<Ids>()) << text;
    EXPECT_EQ(tokenizer.decode(ids), results[i][1].get<std::string>()) << text;
  }
}

TEST_P(EveryGolden, IdsAndTextAreThoseOfTransformers) {
  write(golden()["files"]);
  const TokenizerPair both = read();
  expect_the_same(*both.source, golden()["source"]);
  expect_the_same(*both.target, golden()[golden().contains("target") ? "target" : "source"]);
  const json& pair = golden()["pair"];
  EXPECT_EQ(both.source->with_specials(both.source->encode(pair[0].get<std::string>()),
                                       both.source->encode(pair[1].get<std::string>())),
            pair[2].get<Ids>());
  for (const json& one : golden().value("also", json::array())) {
    const Ids ids = both.source->with_specials(both.source->encode(one[0].get<std::string>()));
    EXPECT_EQ(ids, one[1].get<Ids>()) << one[0];
    EXPECT_EQ(both.source->decode(ids), one[2].get<std::string>()) << one[0];
  }
}

TEST_P(EveryGolden, OneFileKeepsItAndTheDirectoryComesBackByteForByte) {
  write(golden()["files"]);
  const TokenizerPair both = read();
  const auto again = tokenizer_from(both.target->kind(), both.target->serialized(), "target.vocab");
  EXPECT_EQ(again->serialized(), both.target->serialized());
  EXPECT_EQ(again->special_ids(), both.target->special_ids());
  expect_the_same(*again, golden()[golden().contains("target") ? "target" : "source"]);
  const auto files = again->hf_files();
  EXPECT_EQ(NamedFiles(files.begin(), files.end()), unbundle(golden()["files"].dump(), "golden"));
}

TEST_P(EveryGolden, PiecesAndSpansFollowTheLine) {
  write(golden()["files"]);
  const TokenizerPair both = read();
  for (const json& json_text : goldens()["texts"]) {
    const auto text = json_text.get<std::string>();
    const Ids ids = both.source->encode(text);
    const std::vector<Span> spans = both.source->spans(text);
    ASSERT_EQ(spans.size(), ids.size()) << text;
    ASSERT_EQ(both.source->pieces(text).size(), ids.size()) << text;
    int32_t last = 0;
    for (const Span& span : spans) {
      ASSERT_LE(last, span.begin) << text;
      ASSERT_LE(span.begin, span.end) << text;
      last = span.end;
    }
    ASSERT_LE(last, static_cast<int32_t>(text.size())) << text;
    for (const std::string& piece : both.source->pieces(text)) {
      EXPECT_EQ(find_invalid_utf8(piece), std::string::npos);
      EXPECT_EQ(piece.find(' '), std::string::npos) << quote(text);
    }
  }
}

TEST_F(HfTokenizer, PiecesSayWhatIsWritten) {
  write(goldens()["tokenizers"]["bert_uncased"]["files"]);
  EXPECT_THAT(read().source->pieces("The Ж cat's"), ElementsAre("the", "Ж", "cat", "'", "s"));
  EXPECT_THAT(read().source->spans("The Ж cat's"),
              ElementsAre(Span{0, 3}, Span{4, 6}, Span{7, 10}, Span{10, 11}, Span{11, 12}));
  write(goldens()["tokenizers"]["gpt2"]["files"]);
  std::filesystem::remove(folder_.path() + "/vocab.txt");
  EXPECT_THAT(read().source->pieces("a Ж\n<|endoftext|>"),
              ElementsAre("a", "▁", "<0xD0>", "<0x96>", "▁", "<|endoftext|>"));
}

TEST_F(HfTokenizer, SpecialIdsComeFromTheFiles) {
  const auto ids = [&](const char* name) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    write(goldens()["tokenizers"][name]["files"]);
    return read().target->special_ids();
  };
  EXPECT_EQ(ids("bert_uncased"), (SpecialIds{0, 1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(ids("bert_cased"), (SpecialIds{0, 1, 2, 3, 2, 3, 4}));
  EXPECT_EQ(ids("gpt2"), (SpecialIds{-1, -1, 0, 0}));
  EXPECT_EQ(ids("llama"), (SpecialIds{-1, 0, 1, 2}));
  const SpecialIds marian = ids("marian");
  EXPECT_EQ(marian.eos, 0);
  EXPECT_EQ(marian.unk, 1);
  EXPECT_EQ(marian.pad, read().target->size() - 1);
  EXPECT_EQ(marian.sos, marian.pad);
}

TEST_F(HfTokenizer, ALongLineWithoutBlanksTakesNoLongerThanItsLength) {
  const std::string line(1 << 20, 'a');
  for (const char* name : {"gpt2", "llama", "bert_uncased"}) {
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    write(goldens()["tokenizers"][name]["files"]);
    const auto tokenizer = read().source;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GT(tokenizer->encode(line).size(), 0u);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << name;
  }
}

TEST_F(HfTokenizer, FilesThatCannotBeUsedAreRefusedInOneLine) {
  const auto with_model = [](const std::string& model, const std::string& more = "") {
    return NamedFiles{{"tokenizer.json", "{\"model\": " + model + more + "}"}};
  };
  const auto bpe = [&](const std::string& vocab, const std::string& merges, const std::string& more = "") {
    return with_model(R"({"type": "BPE", "vocab": )" + vocab + R"(, "merges": )" + merges + "}", more);
  };
  EXPECT_THAT(refused({}), StartsWith(": no tokenizer of Hugging Face's: expected tokenizer.json"));
  EXPECT_EQ(refused({{"tokenizer.json", ""}}), "/tokenizer.json: no valid JSON at byte 1");
  EXPECT_EQ(refused({{"tokenizer.json", "{\"model\": "}}), "/tokenizer.json: no valid JSON at byte 11");
  EXPECT_EQ(refused({{"tokenizer.json", "\"\xFF\""}}), "/tokenizer.json: not UTF-8: expected JSON");
  EXPECT_EQ(refused({{"tokenizer.json", std::string(100'000, '[')}}),
            "/tokenizer.json: JSON nests deeper than 32");
  EXPECT_EQ(refused({{"tokenizer.json", R"({"a": 1, "b": {"a": 1, "a": 2}})"}}),
            "/tokenizer.json: the key 'a' is there twice");
  EXPECT_EQ(refused({{"tokenizer.json", "{\"a\": 1e999}"}}),
            "/tokenizer.json: no valid JSON: a number is too large");
  EXPECT_EQ(refused({{"tokenizer.json", "[]"}}), ": there is no model in it");
  EXPECT_EQ(refused(with_model(R"({"type": "WordLevel"})")),
            ": a model of the type 'WordLevel': expected WordPiece, BPE or Unigram");
  EXPECT_EQ(refused(with_model(R"({"type": "Unigram"})")), ": vocab is null: expected a list");
  EXPECT_EQ(refused(with_model(R"({"type": "Unigram", "unk_id": 1, "vocab": [["a", 0]]})")),
            ": unk_id of the Unigram model is no id of its vocabulary");
  EXPECT_EQ(refused(with_model(R"({"type": "Unigram", "unk_id": 0, "vocab": [["a", 0], ["a", 1]]})")),
            ": the piece 'a' has two ids");
  EXPECT_EQ(refused(bpe("[]", "[]")), ": the vocabulary is array: expected an object {\"piece\": id}");
  EXPECT_EQ(refused(bpe("{}", "[]")), ": the vocabulary is empty");
  EXPECT_EQ(refused(bpe(R"({"a": 0, "b": 2})", "[]")),
            ": 'b' has the id '2': the 2 pieces of the vocabulary must have the ids 0 to 1");
  EXPECT_EQ(refused(bpe(R"({"a": 0, "b": 0})", "[]")), ": 'a' and 'b' have the same id 0");
  for (const char* id : {"-1", "18446744073709551615", "1.5", "\"0\"", "null"})
    EXPECT_THAT(refused(bpe(std::string("{\"a\": ") + id + "}", "[]")), HasSubstr("must have the ids 0 to 0"))
        << id;
  EXPECT_EQ(refused(bpe(R"({"a": 0, "b": 1})", R"(["a b"])")),
            ": merge 1 makes 'ab' of 'a' and 'b': one of them is not in the vocabulary");
  EXPECT_THAT(refused(bpe(R"({"a": 0})", R"(["a"])")),
              HasSubstr("expected two pieces with a blank between them"));
  EXPECT_THAT(refused(bpe(R"({"a": 0})", R"([["a", "b", "c"]])")), HasSubstr("expected two pieces"));
  EXPECT_THAT(refused(bpe(R"({"a": 0})", "[]", R"(, "added_tokens": [{"id": 7, "content": "x"}])")),
              HasSubstr("the added token 'x' has the id 7: expected 1"));
  EXPECT_THAT(refused(bpe(R"({"a": 0})", "[]", R"(, "added_tokens": [{"id": 1, "content": ""}])")),
              HasSubstr("has 0 bytes"));
  EXPECT_THAT(refused(bpe(R"({"a": 0})", "[]", R"(, "normalizer": {"type": "NFKC"})")),
              HasSubstr("the normalizer 'NFKC' is not supported: expected BertNormalizer"));
  EXPECT_THAT(
      refused(
          bpe(R"({"a": 0})", "[]",
              R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "x"}, "behavior": "Isolated"})")),
      HasSubstr("the regular expression 'x'"));
  EXPECT_THAT(refused(bpe(R"({"a": 0})", "[]", R"(, "decoder": {"type": "CTC"})")),
              HasSubstr("the decoder 'CTC' is not supported"));
  EXPECT_THAT(
      refused(bpe(R"({"a": 0})", "[]",
                  R"(, "post_processor": {"type": "BertProcessing", "sep": ["x", 5], "cls": ["x", 0]})")),
      HasSubstr("writes the id '5': expected 0 to 0"));
  EXPECT_THAT(refused(with_model(R"({"type": "WordPiece", "vocab": {"a": 0}})")),
              HasSubstr("has no '[UNK]'"));
  EXPECT_THAT(refused({{"vocab.txt", "a\nb\na\n"}}), HasSubstr("/vocab.txt: line 3 repeats 'a'"));
  EXPECT_THAT(refused({{"vocab.txt", "\xFF\n"}}), HasSubstr("/vocab.txt: not UTF-8"));
  EXPECT_THAT(refused({{"vocab.json", "{}"}, {"source.spm", ""}}),
              HasSubstr("/source.spm: not a SentencePiece model"));
  EXPECT_THAT(refused({{"vocab.json", "{\"a\": 0}"}, {"merges.txt", "#version: 0.2\na b c\n"}}),
              HasSubstr("merge 1 is"));
}

TEST_F(HfTokenizer, FlagsOfTheConfigurationWin) {
  write(goldens()["tokenizers"]["bert_cased"]["files"]);
  EXPECT_NE(read().source->encode("THE CAT"), read().source->encode("the cat"));
  write(NamedFiles{{"tokenizer_config.json", R"({"do_lower_case": true})"}});
  EXPECT_EQ(read().source->encode("THE CAT"), read().source->encode("the cat"));
}

TEST_F(HfTokenizer, WhatWasLearnedIsADirectoryToo) {
  const std::vector<std::string> lines = {"low lower lowest", "new newer newest wide", "low low newest"};
  for (const char* kind : {"wordpiece", "bpe"}) {
    const auto learned = train_tokenizer(lines, {.kind = kind, .vocab_size = 280});
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directories(folder_.path());
    const auto files = learned->hf_files();
    for (const bool whole : {true, false}) {  // by tokenizer.json, or by the files that came before it
      write(NamedFiles(files.begin(), files.end()));
      if (!whole) std::filesystem::remove(folder_.path() + "/tokenizer.json");
      const auto again = read().source;
      EXPECT_EQ(again->size(), learned->size());
      EXPECT_EQ(again->special_ids(), learned->special_ids());
      for (const std::string& line : lines) {
        EXPECT_EQ(again->encode(line), learned->encode(line));
        EXPECT_EQ(again->with_specials(again->encode(line)), learned->with_specials(learned->encode(line)));
      }
    }
  }
}

}  // namespace
}  // namespace fovea::data
