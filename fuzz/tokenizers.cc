#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/tokenizer.h"
#include "fuzz/reader.h"

namespace fovea::fuzz {
namespace {

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

}  // namespace

std::vector<Reader> tokenizer_readers() {
  std::vector<Reader> list;
  for (const char* kind : {"word", "char", "byte", "spm", "bpe", "wordpiece"})
    list.push_back(tokenizer_file(kind));
  const std::vector<std::string> lines = {"the low lower lowest", "new newer newest"};
  for (const std::string kind : {"bpe", "wordpiece", "spm"}) {  // spm: MarianMT's files
    const auto files =
        data::train_tokenizer(lines, {.kind = kind, .vocab_size = kind == "spm" ? 30 : 300})->hf_files();
    for (const auto& [file, bytes] : files) {
      // Alone where it can be: a tokenizer.json would be read in its place.
      Files some;
      for (const auto& one : files)
        if (one.first == file || one.first != "tokenizer.json") some.push_back(one);
      list.push_back(directory_file(kind + " " + file, file, some,
                                    [](const std::string& dir) { data::read_hf_tokenizer(dir); }));
    }
  }
  return list;
}

}  // namespace fovea::fuzz
