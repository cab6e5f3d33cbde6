// fovea attend as a user runs it: arrays in, arrays and maps out, and one clear line when something is wrong.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "fovea/base/random.h"
#include "fovea/tensor/npy.h"
#include "fovea/tensor/safetensors.h"
#include "tests/cli/run_command.h"

namespace fovea::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class Attend : public ::testing::Test {
 protected:
  fs::path folder_ = fs::path(::testing::TempDir()) / fmt::format("attend_{}", ::getpid());
  Attend() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Attend() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Tensor make(const std::string& name, const Shape& shape, uint64_t seed = 1) {
    Random random(seed);
    Tensor x = Tensor::empty(shape);
    for (float& v : x.span<float>()) v = random.normal();
    write_npy(path(name), x);
    return x;
  }
  void make_qkv(const Shape& q, const Shape& k, const Shape& v) {
    make("q.npy", q, 1);
    make("k.npy", k, 2);
    make("v.npy", v, 3);
  }
  Ran run(const Words& more) {
    Words all = {"attend", "--query", path("q.npy"), "--key", path("k.npy"), "--value", path("v.npy")};
    all.insert(all.end(), more.begin(), more.end());
    return run_command(all);
  }
  Ran run_well(const Words& more) {
    const Ran ran = run(more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "");
    return ran;
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

void expect_close(const Tensor& a, const Tensor& b, double tolerance) {
  ASSERT_EQ(a.shape(), b.shape());
  for (int64_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data<float>()[i], b.data<float>()[i], tolerance) << i;
}

TEST_F(Attend, ComputesSoftmaxOfScaledDots) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  run_well({"--out", path("c.npy"), "--weights-out", path("w.npy")});
  const Tensor q = read_npy(path("q.npy")), k = read_npy(path("k.npy")), v = read_npy(path("v.npy"));
  const Tensor c = read_npy(path("c.npy")), w = read_npy(path("w.npy"));
  ASSERT_EQ(c.shape(), (Shape{2, 2}));
  ASSERT_EQ(w.shape(), (Shape{2, 3}));
  for (int i = 0; i < 2; ++i) {
    double e[3], sum = 0, read[2] = {0, 0};
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int d = 0; d < 4; ++d) dot += q.data<float>()[i * 4 + d] * k.data<float>()[j * 4 + d];
      sum += e[j] = std::exp(dot / 2);
    }
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(w.data<float>()[i * 3 + j], e[j] / sum, 1e-6);
      for (int m = 0; m < 2; ++m) read[m] += e[j] / sum * v.data<float>()[j * 2 + m];
    }
    for (int m = 0; m < 2; ++m) EXPECT_NEAR(c.data<float>()[i * 2 + m], read[m], 1e-6);
  }
}

TEST_F(Attend, PlainFusedAndDoubleAgreeForEveryScoreWithGradients) {
  make_qkv({2, 5, 8}, {2, 7, 8}, {2, 7, 6});
  make("up.npy", {2, 5, 6}, 4);
  make("W.npy", {4, 4}, 5);
  make("Wq.npy", {3, 4}, 6);
  make("Wk.npy", {3, 4}, 7);
  make("u.npy", {3}, 8);
  make("Wc.npy", {3, 8}, 9);
  make("Wl.npy", {9, 4}, 10);
  const std::vector<std::pair<std::string, std::vector<std::pair<std::string, std::string>>>> scores = {
      {"dot", {}},
      {"scaled_dot", {}},
      {"mean_dot", {}},
      {"general", {{"W", "W"}}},
      {"additive", {{"Wq", "Wq"}, {"Wk", "Wk"}, {"v", "u"}}},
      {"concat", {{"W", "Wc"}, {"v", "u"}}},
      {"location", {{"W", "Wl"}}}};
  for (const auto& [score, params] : scores) {
    SCOPED_TRACE(score);
    std::vector<std::string> names = {"dq", "dk", "dv"};
    for (const std::string way : {"--plain", "--fused", "--double"}) {
      Words words = {"--score",    score,
                     "--heads",    "2",
                     "--causal",   "--window",
                     "4",          way,
                     "--out",      path("c" + way + ".npy"),
                     "--upstream", path("up.npy"),
                     "--grad-out", path("g" + way)};
      for (const auto& [name, file] : params) {
        words.push_back("--param");
        words.push_back(name + "=" + path(file + ".npy"));
        if (way == "--plain") names.push_back("param_" + name);
      }
      run_well(words);
    }
    expect_close(read_npy(path("c--fused.npy")), read_npy(path("c--plain.npy")), 1e-5);
    expect_close(read_npy(path("c--double.npy")).to(DType::kF32), read_npy(path("c--plain.npy")), 1e-5);
    for (const std::string& name : names)
      expect_close(read_npy(path("g--fused/" + name + ".npy")), read_npy(path("g--plain/" + name + ".npy")),
                   1e-4);
  }
}

TEST_F(Attend, EveryMaskRuns) {
  make_qkv({2, 4, 8}, {2, 6, 4}, {2, 6, 4});
  write_npy(path("lengths.npy"), Tensor::of<int32_t>({2}, std::vector<int32_t>{6, 3}));
  write_npy(path("mask.npy"), Tensor::full({4, 6}, 1, DType::kU8), NpyU8::kBool);
  make("bias.npy", {4, 6});
  make("table.npy", {8, 4});
  make("Wp.npy", {3, 2});
  make("vp.npy", {3});
  const std::vector<Words> masks = {
      {"--causal"},
      {"--window", "2"},
      {"--prefix", "2"},
      {"--lengths", path("lengths.npy")},
      {"--mask", path("mask.npy")},
      {"--bias", path("bias.npy")},
      {"--alibi"},
      {"--relative", path("table.npy")},
      {"--local-m", "1"},
      {"--rope"},
      {"--local-p", "2", "--param", "Wp=" + path("Wp.npy"), "--param", "vp=" + path("vp.npy")}};
  for (const Words& mask : masks) {
    Words words = {"--heads", "4", "--kv-heads", "2", "--weights-out", path("w.npy")};
    words.insert(words.end(), mask.begin(), mask.end());
    run_well(words);
    EXPECT_EQ(read_npy(path("w.npy")).shape(), (Shape{2, 4, 4, 6})) << mask[0];
  }
}

// A CPU without AVX2 runs the same program: kernels and oneDNN are held to what it would have.
TEST_F(Attend, OlderCpusGetTheSameAnswer) {
  make_qkv({2, 40, 24}, {2, 50, 24}, {2, 50, 24});
  make("W.npy", {12, 12});
  const Words words = {"attend",
                       "--query",
                       path("q.npy"),
                       "--key",
                       path("k.npy"),
                       "--value",
                       path("v.npy"),
                       "--heads",
                       "2",
                       "--score",
                       "general",
                       "--param",
                       "W=" + path("W.npy"),
                       "--causal",
                       "--out",
                       path("c.npy")};
  ASSERT_EQ(run_command(words).code, 0);
  const Tensor want = read_npy(path("c.npy"));
  for (const char* simd : {"portable", "sse4"}) {
    const Ran ran = run_command(words, {std::string("FOVEA_SIMD=") + simd, "DNNL_MAX_CPU_ISA=SSE41"});
    ASSERT_EQ(ran.code, 0) << ran.err;
    expect_close(read_npy(path("c.npy")), want, 1e-5);
  }
}

TEST_F(Attend, HardReadsOneValueAndTheSeedDecidesWhich) {
  make_qkv({6, 4}, {9, 4}, {9, 3});
  run_well({"--hard", "sample", "--seed", "1", "--weights-out", path("a.npy")});
  run_well({"--hard", "sample", "--seed", "1", "--weights-out", path("b.npy")});
  run_well({"--hard", "sample", "--seed", "2", "--weights-out", path("c.npy")});
  const auto a = read_npy(path("a.npy")).values<float>();
  EXPECT_EQ(a, read_npy(path("b.npy")).values<float>());
  EXPECT_NE(a, read_npy(path("c.npy")).values<float>());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(std::count(a.begin() + i * 9, a.begin() + (i + 1) * 9, 1.0f), 1);
}

TEST_F(Attend, ArraysMayComeFromSafetensors) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  const std::vector<NamedTensor> all = {
      {"q", read_npy(path("q.npy"))}, {"k", read_npy(path("k.npy"))}, {"v", read_npy(path("v.npy"))}};
  write_safetensors(path("all.safetensors"), all);
  const std::string file = path("all.safetensors");
  run_well({"--out", path("a.npy")});
  const Ran ran = run_command({"attend", "--query", file + ":q", "--key", file + ":k", "--value", file + ":v",
                               "--out", path("b.npy")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(read_npy(path("a.npy")).values<float>(), read_npy(path("b.npy")).values<float>());
}

TEST_F(Attend, TheMapGoesToTheTerminalAndToFiles) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  const Ran ran =
      run_well({"--show", "--query-words", "나는 학생", "--key-words", "I am <b>", "--svg", path("m.svg"),
                "--png", path("m.png"), "--html", path("m.html"), "--json", path("m.json")});
  EXPECT_THAT(ran.out, HasSubstr("나는"));
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << "no colour codes into a pipe";
  EXPECT_THAT(read_file(path("m.svg")), HasSubstr("<svg"));
  EXPECT_THAT(read_file(path("m.png")), ::testing::StartsWith("\x89PNG"));
  EXPECT_EQ(read_file(path("m.html")).find("<b>"), std::string::npos);
  const auto json = nlohmann::json::parse(read_file(path("m.json")));
  EXPECT_EQ(json["rows"].size(), 2u);
  EXPECT_EQ(json["columns"][2], "<b>");
}

TEST_F(Attend, ExampleShowsEveryStep) {
  const Ran ran = run_command({"attend", "--example"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* part : {"1. Score", "2. Mask", "3. Weigh", "4. Read", "나는", "student", "4.099", "-inf",
                           "0.901", "(0.946, 0.086)", "학생 <- student"})
    EXPECT_THAT(ran.out, HasSubstr(part));
}

TEST_F(Attend, WhatIsWrongIsSaidInOneLineAndNothingIsWritten) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  make("k5.npy", {3, 5});
  make("v4.npy", {4, 2});
  make("W.npy", {3, 3});
  make("up.npy", {2, 3});
  std::ofstream(path("empty.npy")).close();
  std::ofstream(path("text.npy")) << "hello";
  const size_t before = files();
  auto complain = [&](const Words& words, int code, const std::string& text) {
    Words all = words;
    all.insert(all.end(), {"--out", path("c.npy")});
    const Ran ran = run(all);
    EXPECT_EQ(ran.code, code) << text;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, HasSubstr(text));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(files(), before) << ran.err;
  };
  complain({"--query", path("nowhere.npy")}, 1, "nowhere.npy: No such file or directory");
  complain({"--query", path("empty.npy")}, 1, "empty.npy");
  complain({"--query", path("text.npy")}, 1, "text.npy");
  complain({"--query", folder_.string()}, 1, "directory");
  complain({"--key", path("k5.npy")}, 1, "query of width 4 and a key of width 5");
  complain({"--value", path("v4.npy")}, 1, "expected as many keys as values");
  complain({"--score", "general", "--param", "W=" + path("W.npy")}, 1,
           "parameter W has shape [3, 3]: expected [4, 4]");
  complain({"--heads", "3"}, 1, "query has width 4, which 3 heads do not share");
  complain({"--heads", "0"}, 1, "heads 0");
  complain({"--upstream", path("up.npy"), "--grad-out", path("g")}, 1,
           "upstream has shape [2, 3]: expected that of the context, [2, 2]");
  complain({"--lengths", path("k5.npy")}, 1, "[lengths] shape [3, 5] for a batch of 1");
  complain({"--score", "adittive"}, 2, "did you mean 'additive'?");
  complain({"--score", "general"}, 2, "needs the parameter W");
  complain({"--param", "W=" + path("W.npy")}, 2, "has no parameter 'W'");
  complain({"--hard", "maybe"}, 2, "there is no way 'maybe' to weigh");
  complain({"--hard", "soft"}, 2, "--hard soft");
  complain({"--window", "-1"}, 2, "--window");
  complain({"--local-p", "-2"}, 2, "--local-p");
  complain({"--plain", "--fused"}, 2, "exclude each other");
  complain({"--upstream", path("up.npy")}, 2, "go together");
  complain({"--windoww", "3"}, 2, "--windoww");
}

TEST_F(Attend, AnOutputNeverTakesThePlaceOfAnInput) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  const std::string before = read_file(path("q.npy"));
  const Ran ran = run({"--out", path("./q.npy")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("is an input"));
  EXPECT_EQ(read_file(path("q.npy")), before);
}

TEST_F(Attend, AFailedOutputLeavesTheOthersAlone) {
  make_qkv({2, 4}, {3, 4}, {3, 2});
  run_well({"--out", path("c.npy")});
  const std::string old = read_file(path("c.npy"));
  const Ran ran = run({"--score", "dot", "--out", path("c.npy"), "--weights-out", path("no/such/w.npy")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(read_file(path("c.npy")), old);
}

}  // namespace
}  // namespace fovea::testing
