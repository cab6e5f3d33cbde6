// Every reader of files that others may have written, on inputs that are nearly right. A reader may throw fovea::Error, with one line; anything
// else (another exception, a crash, what a sanitizer finds, memory without bound) is a defect.
// Usage: fuzz_readers [RUNS [SEED [READER]]]      so many inputs for each reader; a failing input is written to fuzz_failure.bin
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>

#include "fovea/base/error.h"
#include "fovea/base/json.h"
#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/token_file.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/bert.h"
#include "fovea/models/gpt.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/sentence_config.h"
#include "fovea/models/table.h"
#include "fovea/models/transformer.h"
#include "fovea/tensor/npy.h"
#include "fovea/tensor/safetensors.h"
#include "fuzz/mutate.h"
#include "tests/temporary_directory.h"

namespace fovea::fuzz {
namespace {

struct Reader {
  std::string name;
  std::vector<std::string> seeds;
  std::function<void(const std::string&)> read;
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string file_of(const std::function<void(const std::string&)>& write) {
  TemporaryDirectory dir;
  write(dir / "file");
  std::ifstream in(dir / "file", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const std::string& path, const std::string& bytes) {
  if (const auto folder = std::filesystem::path(path).parent_path(); !folder.empty())
    std::filesystem::create_directories(folder);
  std::ofstream(path, std::ios::binary) << bytes;
}

models::Gpt tiny_gpt() {
  models::GptOptions o;
  o.vocab = 5;
  o.n_layer = 1;
  o.n_head = 1;
  o.n_embd = 4;
  o.block_size = 4;
  return models::Gpt(o, 1);
}

std::vector<std::string> configs() {
  std::vector<std::string> list = {
      R"({"model_type": "rnn", "source_vocab": 9, "target_vocab": 9})",
      R"({"model_type": "transformer", "source_vocab": 9, "target_vocab": 9, "dim_model": 8, "heads": 2})"};
  models::GptOptions llama = models::gpt_defaults("llama");
  llama.vocab = 9;
  list.push_back(models::to_json(llama).dump());
  list.push_back(tiny_gpt().config().dump());
  models::TransformerOptions marian;
  marian.layout = "marian";
  marian.source_vocab = marian.target_vocab = 9;
  list.push_back(models::to_json(marian).dump());
  models::BertOptions bert;
  bert.vocab = 9;
  bert.head = "labels";
  bert.labels = {"a", "b"};
  list.push_back(models::to_json(bert).dump());
  return list;
}

// One file of a tokenizer by itself, and text through it where it can be read.
Reader tokenizer_file(const std::string& kind) {
  const std::vector<std::string> lines = {"the low lower lowest", "new newer newest ▁ é 한국"};
  const std::string seed =
      data::train_tokenizer(lines, {.kind = kind,
                                    .vocab_size = kind == "spm"                     ? 40
                                                  : kind == "byte" || kind == "bpe" ? 300
                                                                                    : 90})
          ->serialized();
  return {"tokenizer " + kind, {seed}, [kind](const std::string& text) {
            const auto tokenizer = data::tokenizer_from(kind, text, "input");
            tokenizer->decode(tokenizer->encode("the newest low é 한국 \xF0\x9F\x98\x80"));
          }};
}

// One of the files of a directory, the others as they should be.
Reader directory_file(const std::string& name, const std::string& changed,
                      std::vector<std::pair<std::string, std::string>> files,
                      std::function<void(const std::string&)> open) {
  std::string seed;
  for (const auto& [file, bytes] : files)
    if (file == changed) seed = bytes;
  return {name, {seed}, [=](const std::string& text) {
            TemporaryDirectory dir;
            for (const auto& [file, bytes] : files) put(dir / file, file == changed ? text : bytes);
            open(dir.path());
          }};
}

std::vector<Reader> readers() {
  std::vector<Reader> list;
  list.push_back({"json", configs(), [](const std::string& text) { parse_json(text, "fuzz", "input"); }});
  list.push_back({"config", configs(),
                  [](const std::string& text) { models::size_of_model(parse_json(text, "fuzz", "input")); }});
  list.push_back({"safetensors",
                  {file_of([](const std::string& path) {
                    write_safetensors(path, std::vector<NamedTensor>{{"a", Tensor::zeros({2, 3})},
                                                                     {"b", Tensor::zeros({4}, DType::kI32)}});
                  })},
                  [](const std::string& text) {
                    const Safetensors file = Safetensors::parse(bytes_of(text), "input");
                    for (const Safetensors::Entry& entry : file.entries()) file.read(entry.name);
                  }});
  list.push_back({"npy",
                  {file_of([](const std::string& path) {
                    write_npy(path, Tensor::zeros({2, 3}));
                  })},
                  [](const std::string& text) { parse_npy(bytes_of(text), "input"); }});
  for (const char* kind : {"word", "char", "byte", "spm", "bpe", "wordpiece"})
    list.push_back(tokenizer_file(kind));

  const std::vector<std::string> lines = {"the low lower lowest", "new newer newest"};
  for (const std::string kind : {"bpe", "wordpiece", "spm"}) {  // spm: MarianMT's files
    const auto files =
        data::train_tokenizer(lines, {.kind = kind, .vocab_size = kind == "spm" ? 30 : 300})->hf_files();
    for (const auto& [file, bytes] : files) {
      // Alone where it can be: a tokenizer.json would be read in its place.
      std::vector<std::pair<std::string, std::string>> some;
      for (const auto& one : files)
        if (one.first == file || one.first != "tokenizer.json") some.push_back(one);
      list.push_back(directory_file(kind + " " + file, file, some,
                                    [](const std::string& dir) { data::read_hf_tokenizer(dir); }));
    }
  }
  const std::vector<std::pair<std::string, std::string>> sentences = {
      {"modules.json",
       R"([{"path": "", "type": "a.Transformer"}, {"path": "1_Pooling", "type": "a.Pooling"}, {"type": "a.Normalize"}])"},
      {"1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false})"},
      {"sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})"}};
  for (const auto& [file, bytes] : sentences)
    list.push_back(directory_file(file, file, sentences, [](const std::string& dir) {
      nlohmann::json config = {{"model_type", "bert"}};
      models::add_sentence_config(config, dir);
      models::bert_options_from(config);
    }));
  models::Gpt gpt = tiny_gpt();
  const std::vector<NamedTensor> weights = models::weights_of(gpt);
  nlohmann::json map;
  for (const NamedTensor& one : weights) map[one.name] = "a.safetensors";
  const std::string data = file_of([&](const std::string& path) { write_safetensors(path, weights); });
  const auto open = [](const std::string& dir) { models::load_net(dir); };
  list.push_back(directory_file("weights", "model.safetensors",
                                {{"config.json", gpt.config().dump()}, {"model.safetensors", data}}, open));
  list.push_back(
      directory_file("index", "model.safetensors.index.json",
                     {{"config.json", gpt.config().dump()},
                      {"a.safetensors", data},
                      {"model.safetensors.index.json", nlohmann::json({{"weight_map", map}}).dump()}},
                     open));
  return list;
}

int run(int64_t runs, uint64_t seed, const std::string& only) {
  for (const Reader& reader : readers()) {
    if (!only.empty() && reader.name != only) continue;
    for (const std::string& good : reader.seeds) reader.read(good);  // throws where the seed itself is wrong
    int64_t refused = 0;
    for (int64_t i = 0; i < runs; ++i) {
      Random random(seed, static_cast<uint64_t>(i));
      const std::string input = mutated(reader.seeds, random);
      put("fuzz_failure.bin", input);
      try {
        reader.read(input);
      } catch (const Error& error) {
        const std::string_view text = error.what();
        if (text.find('\n') != std::string_view::npos || text.empty()) {
          std::cerr << reader.name << ": an error of several lines: " << text << "\n";
          return 1;
        }
        ++refused;
      }
    }
    std::cout << reader.name << ": " << runs << " inputs, " << refused << " refused\n" << std::flush;
  }
  std::remove("fuzz_failure.bin");
  return 0;
}

}  // namespace
}  // namespace fovea::fuzz

int main(int argc, char** argv) {
  // An input that asks for more memory than any of these needs fails here instead of taking all there is (sanitizers need address space).
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit limit{rlim_t{4} << 30, rlim_t{4} << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  return fovea::fuzz::run(argc > 1 ? std::atoll(argv[1]) : 300,
                          argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1, argc > 3 ? argv[3] : "");
}
