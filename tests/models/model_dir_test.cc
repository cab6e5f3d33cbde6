#include "fovea/models/model_dir.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/resident.h"
#include "fovea/models/old_names.h"
#include "fovea/models/rnn_seq2seq.h"
#include "fovea/models/table.h"

namespace fovea::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A directory of its own, gone at the end.
class ModelDir : public ::testing::Test {
 protected:
  ModelDir() {
    std::string pattern = (fs::temp_directory_path() / "fovea-model-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  ~ModelDir() override { fs::remove_all(dir_); }

  std::string path(const std::string& name = "") const { return name.empty() ? dir_ : dir_ + "/" + name; }
  void write(const std::string& name, const std::string& bytes) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  json config() const { return json::parse(read_file(path("config.json"))); }
  void change(const std::function<void(json&)>& f) const {
    json changed = config();
    f(changed);
    write("config.json", changed.dump());
  }
  // The file of weights, with other tensors.
  void change_weights(const std::function<void(std::vector<NamedTensor>&)>& f) const {
    std::vector<NamedTensor> tensors;
    {
      const Safetensors file = Safetensors::open(path("model.safetensors"));
      for (const Safetensors::Entry& entry : file.entries())
        tensors.push_back({entry.name, file.read(entry.name)});
    }
    f(tensors);
    write_safetensors(path("model.safetensors"), tensors);
  }

  void save(const Model& model, const std::string& under = "") const {
    for (const auto& [name, bytes] : describe(model)) write(under + name, bytes);
    write_safetensors(path(under + "model.safetensors"), weights_of(*model.net));
  }

  std::string message() const {
    try {
      load_model(dir_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

 private:
  std::string dir_;
};

std::shared_ptr<const data::Tokenizer> words(const std::vector<std::string>& lines,
                                             const std::string& kind = "word") {
  data::TokenizerOptions options;
  options.kind = kind;
  options.vocab_size = 0;
  return data::train_tokenizer(lines, options);
}

RnnOptions options_for(const Model& model) {
  RnnOptions o;
  o.source_vocab = model.source->size();
  o.target_vocab = model.target->size();
  o.dim_emb = 3;
  o.dim_rnn = 4;
  return o;
}

Model small_model(uint64_t seed = 7) {
  Model model;
  model.source = words({"I am a student ."});
  model.target = words({"나는 학생 이다 ."}, "char");
  model.net = std::make_shared<RnnSeq2Seq>(options_for(model), seed);
  return model;
}

void expect_same_weights(const Model& got, const Model& want) {
  const std::vector<NamedTensor> a = weights_of(*got.net), b = weights_of(*want.net);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    const auto x = a[i].tensor.span<float>(), y = b[i].tensor.span<float>();
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end())) << a[i].name;
  }
}

TEST_F(ModelDir, WhatWasSavedIsLoaded) {
  const Model model = small_model();
  save(model);
  const Model loaded = load_model(path());
  EXPECT_EQ(loaded.net->config(), model.net->config());
  expect_same_weights(loaded, model);
  EXPECT_NE(loaded.source, loaded.target);
  EXPECT_EQ(loaded.source->kind(), "word");
  EXPECT_EQ(loaded.target->kind(), "char");
  EXPECT_EQ(loaded.source->encode("a student am I"), model.source->encode("a student am I"));
  EXPECT_EQ(loaded.target->encode("학생 이다"), model.target->encode("학생 이다"));
  EXPECT_EQ(describe(loaded), describe(model));
}

TEST_F(ModelDir, SharedTokenizerStaysSharedAndBuffersComeAlong) {
  Model model;
  model.source = model.target = words({"one two three", "eins zwei drei"});
  RnnOptions o = options_for(model);
  o.tied_embeddings_all = true;
  o.weigh = "hard";
  model.net = std::make_shared<RnnSeq2Seq>(o, 7);
  ASSERT_EQ(model.net->buffers().size(), 1u);
  model.net->buffers()[0].tensor.fill(0.75);
  save(model);
  EXPECT_TRUE(fs::exists(path("joint.vocab")));
  const Model loaded = load_model(path());
  EXPECT_EQ(loaded.source, loaded.target);
  EXPECT_EQ(loaded.net->config(), model.net->config());
  expect_same_weights(loaded, model);
  EXPECT_EQ(loaded.net->buffers()[0].tensor.span<float>()[0], 0.75f);
}

TEST_F(ModelDir, BestComesBeforeLastAndTheDirectoryItselfBeforeBoth) {
  save(small_model(1), "last/");
  expect_same_weights(load_model(path()), small_model(1));
  EXPECT_EQ(find_model(path()), path("last"));
  save(small_model(2), "best/");
  expect_same_weights(load_model(path()), small_model(2));
  EXPECT_EQ(find_model(path()), path("best"));
  expect_same_weights(load_model(path("last")), small_model(1));
  save(small_model(3));
  expect_same_weights(load_model(path()), small_model(3));
}

// "feed_forward" as version 0.1 wrote it.
std::string old_name(std::string name) {
  for (const auto& [today, old] :
       {std::pair{"feed_forward", "think"}, {"cross", "memory"}, {"embedding", "words"}})
    for (size_t at; (at = name.find(today)) != std::string::npos;) name.replace(at, std::strlen(today), old);
  return name;
}

TEST_F(ModelDir, NamesOfVersion01AreRead) {
  Model model = small_model();
  model.net = make_net({{"model_type", "transformer"},
                        {"source_vocab", model.source->size()},
                        {"target_vocab", model.target->size()},
                        {"dim_model", 4},
                        {"heads", 2},
                        {"dim_ffn", 6},
                        {"enc_depth", 1},
                        {"dec_depth", 1}},
                       5);
  save(model);
  int renamed = 0;
  change_weights([&](std::vector<NamedTensor>& tensors) {
    for (NamedTensor& each : tensors) {
      const std::string old = old_name(each.name);
      renamed += old != each.name;
      each.name = old;
    }
  });
  EXPECT_GT(renamed, 15);
  expect_same_weights(load_model(path()), model);
  EXPECT_EQ(current_name("decoder.10.memory_norm.gain.first"), "decoder.10.cross_norm.gain.first");
  EXPECT_EQ(current_name("thinker.words"), "thinker.embedding");
}

TEST_F(ModelDir, WeightsInHalfPrecisionAreRead) {
  // A bf16 is the upper half of an f32.
  const Model model = small_model();
  save(model);
  std::string header = "{", body;
  for (const NamedTensor& weight : weights_of(*model.net)) {
    const size_t begin = body.size();
    for (float& x : weight.tensor.span<float>()) {
      const uint32_t bits = std::bit_cast<uint32_t>(x) & 0xFFFF0000u;
      x = std::bit_cast<float>(bits);
      body += static_cast<char>(bits >> 16);
      body += static_cast<char>(bits >> 24);
    }
    json shape = json::array();
    for (const int64_t size : weight.tensor.shape()) shape.push_back(size);
    header += (begin == 0 ? "" : ",") + json(weight.name).dump() + ":" +
              json{{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {begin, body.size()}}}.dump();
  }
  header += "}";
  std::string size(8, '\0');
  for (size_t i = 0; i < 8; ++i) size[i] = static_cast<char>(header.size() >> (8 * i));
  write("model.safetensors", size + header + body);
  expect_same_weights(load_model(path()), model);
}

class ModelDirMistakes : public ModelDir {
 protected:
  // One line that says what was met; DIR stands for the directory.
  void expect(const std::string& want) const {
    std::string got = message();
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
    EXPECT_LT(got.size(), 400u);
    for (size_t at = 0; (at = got.find(path(), at)) != std::string::npos;)
      got.replace(at, path().size(), "DIR");
    EXPECT_EQ(got, want);
  }
};

TEST_F(ModelDirMistakes, PlacesWithoutAModelAreNamed) {
  expect("[model] DIR is no model: there is no config.json in it, nor in DIR/best or DIR/last");
  try {
    load_model(path("nowhere"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), "[model] " + path("nowhere") + ": No such file or directory");
  }
}

TEST_F(ModelDirMistakes, ConfigThatIsNoneIsNamed) {
  save(small_model());
  const std::string file = "[model] DIR/config.json: ";
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"", "no valid JSON at byte 1"},
      {"{\"model_type\": \"rnn\"", "no valid JSON at byte 21"},
      {"[1, 2]", "no valid JSON object: expected {\"model_type\": ...}"},
      {"\xFF\xFE", "not UTF-8: expected JSON"},
      {"{\"dim_emb\": 1e999}", "no valid JSON: a number is too large"},
      {std::string(500'000, '['), "JSON nests deeper than 32"},
      {std::string(1000, '\0'), "no valid JSON at byte 1"},
      {R"({"a": 1, "a": 2})", "the key 'a' is there twice"},
  };
  for (const auto& [text, wrong] : texts) {
    write("config.json", text);
    expect(file + wrong);
  }
  write("config.json", std::string((1 << 20) + 1, ' '));
  EXPECT_NE(message().find("config.json"), std::string::npos);
  EXPECT_EQ(message().substr(0, 8), "[model] ");
}

TEST_F(ModelDirMistakes, WhatConfigAsksForIsChecked) {
  const std::vector<std::pair<json, std::string>> changes = {
      {{{"model_type", nullptr}},
       "[model] a config without model_type: expected {\"model_type\": \"rnn\", ...}"},
      {{{"model_type", "rnm"}},
       "[model] there is no model 'rnm': did you mean 'rnn'? Known are rnn, transformer, marian, gpt2, "
       "llama, qwen2, bert, distilbert, roberta, cnn, vit, deit, rowrnn, glimpse, captioner, clip"},
      {{{"dim\nrnn", 4}}, "[rnn] config: unknown key 'dim?rnn': did you mean 'dim_rnn'?"},
      {{{"score", "add\nitive"}}, "[score] there is no score 'add?itive': did you mean 'additive'?"},
      {{{"estimator", "exakt"}}, "[estimator] there is no estimator 'exakt': did you mean 'exact'?"},
      {{{"attention", "luang"}}, "[rnn] there is no attention 'luang': did you mean 'luong'?"},
      {{{"dim_rnn", "4"}}, "[rnn] config: dim_rnn is '\"4\"': expected a whole number"},
      {{{"dim_rnn", 4.5}}, "[rnn] config: dim_rnn is '4.5': expected a whole number"},
      {{{"dim_rnn", uint64_t{18446744073709551615u}}},
       "[rnn] config: dim_rnn is '18446744073709551615': expected a whole number"},
      {{{"cell", 3}}, "[rnn] config: cell is '3': expected a name in quotes"},
      {{{"bidirectional", 1}}, "[rnn] config: bidirectional is '1': expected true or false"},
      {{{"dropout", json::array()}}, "[rnn] config: dropout is '[]': expected a number"},
      {{{"dim_emb", 0}}, "[rnn] dim_emb 0: expected 1 to 1,048,576"},
      {{{"heads", -1}}, "[rnn] heads -1: expected 1 to 1,048,576"},
      {{{"tokenizer", nullptr}}, "[model] DIR/config.json does not name the tokenizer of the source"},
      {{{"tokenizer", {{"source", "word"}}}},
       "[model] DIR/config.json does not name the tokenizer of the target"},
      {{{"tokenizer", {{"joint", 1}}}}, "[model] DIR/config.json does not name the tokenizer of the joint"},
      {{{"tokenizer", {{"source", "wörd"}, {"target", "char"}}}},
       "[tokenizer] 'wörd' is no kind of tokenizer: expected word, char, byte, spm, bpe, wordpiece"},
      {{{"source_vocab", 10}},
       "[model] DIR: the source tokenizer has 9 ids and the model 10: they do not belong together"},
      {{{"target_vocab", 11}},
       "[model] DIR: the target tokenizer has 12 ids and the model 11: they do not belong together"},
  };
  for (const auto& [change_to, message] : changes) {
    SCOPED_TRACE(change_to.dump());
    save(small_model());
    change([&](json& config) { config.update(change_to); });
    expect(message);
  }
}

TEST_F(ModelDirMistakes, AbsurdSizesAreRefusedBeforeMemoryIsTaken) {
  const std::string too_many =
      "weights: expected 2e+09 at most; make the vocabularies or dim_emb, dim_rnn, enc_depth, "
      "dec_depth smaller";
  const std::vector<std::pair<json, std::string>> changes = {
      {{{"source_vocab", int64_t{1} << 40}},
       "[rnn] source_vocab 1,099,511,627,776: expected 1 to 2,147,483,647"},
      {{{"target_vocab", 2'000'000'000}}, "[rnn] about 2.2e+10 " + too_many},
      {{{"dim_rnn", 1 << 21}}, "[rnn] dim_rnn 2,097,152: expected 1 to 1,048,576"},
      {{{"dim_rnn", 1 << 20}}, "[rnn] about 1.43e+13 " + too_many},
      {{{"dim_emb", 1 << 20}, {"dim_rnn", 1024}}, "[rnn] about 9.7e+09 " + too_many},
      {{{"enc_depth", 1 << 20}, {"dim_rnn", 256}}, "[rnn] about 1.24e+12 " + too_many},
      {{{"max_keys", 1 << 20}, {"dim_rnn", 4096}, {"score", "location"}}, "[rnn] about 4.48e+09 " + too_many},
      // Possible, and not what is in the file.
      {{{"dim_rnn", 8192}},
       "[model] DIR: config.json asks for 872,841,279 weights or more, and there are 727: "
       "they "
       "do not belong together"},
  };
  ASSERT_TRUE(reset_resident_peak());
  const int64_t before = resident_peak_bytes();
  for (const auto& [change_to, message] : changes) {
    SCOPED_TRACE(change_to.dump());
    save(small_model());
    change([&](json& config) { config.update(change_to); });
    expect(message);
  }
  EXPECT_LT(resident_peak_bytes() - before, 64 << 20);
}

TEST_F(ModelDirMistakes, WeightsThatDoNotFitAreNamed) {
  auto with = [&](const std::function<void(std::vector<NamedTensor>&)>& f, const std::string& message) {
    save(small_model());
    change_weights(f);
    expect(message);
  };
  auto find = [](std::vector<NamedTensor>& tensors, const std::string& name) {
    return std::find_if(tensors.begin(), tensors.end(), [&](const NamedTensor& t) { return t.name == name; });
  };
  with([&](auto& tensors) { tensors.erase(find(tensors, "start.bias")); },
       "[model] DIR/model.safetensors: tensor 'start.bias' is missing");
  with(
      [](auto& tensors) {
        tensors.push_back({"extra\n", Tensor::zeros({2})});
      },
      "[model] DIR/model.safetensors: tensor 'extra?' is not part of this model");
  with(
      [&](auto& tensors) {
        find(tensors, "start.weight")->tensor = Tensor::zeros({8, 4});
      },
      "[model] DIR/model.safetensors: tensor 'start.weight' has shape [8, 4]: expected [4, 8]");
  with([](auto& tensors) { tensors.clear(); },
       "[model] DIR: config.json asks for 479 weights or more, and there are 0: they do not "
       "belong together");
}

TEST_F(ModelDirMistakes, FilesThatAreMissingOrCutShortAreNamed) {
  for (const char* name : {"model.safetensors", "source.vocab", "target.vocab"}) {
    save(small_model());
    fs::remove(path(name));
    expect(name == std::string_view("model.safetensors")
               ? std::string("[model] DIR: there is no model.safetensors, nor model.safetensors.index.json")
               : fmt::format("[model] DIR/{}: No such file or directory", name));
  }
  save(small_model());
  const std::string weights = read_file(path("model.safetensors"));
  for (size_t size = 0; size < weights.size(); size += 1 + size / 3) {
    SCOPED_TRACE(size);
    write("model.safetensors", weights.substr(0, size));
    const std::string got = message();
    EXPECT_EQ(got.find("[safetensors] " + path("model.safetensors") + ": "), 0u) << got;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  }
  save(small_model());
  const std::string vocabulary = read_file(path("source.vocab"));
  for (size_t size = 0; size < vocabulary.rfind('\n', vocabulary.size() - 2); ++size) {  // a line is lost
    SCOPED_TRACE(size);
    write("source.vocab", vocabulary.substr(0, size));
    const std::string got = message();
    EXPECT_NE(got, "no error");
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
  }
}

}  // namespace
}  // namespace fovea::models
