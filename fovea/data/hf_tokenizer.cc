#include "fovea/data/hf_tokenizer.h"

#include <sys/stat.h>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/data/pipeline/pipeline_tokenizer.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

constexpr size_t kMostBytes = size_t{1} << 28;  // of a file

constexpr const char* kNames[] = {
    "tokenizer.json",          "vocab.txt",  "vocab.json", "merges.txt",        "tokenizer_config.json",
    "special_tokens_map.json", "source.spm", "target.spm", "target_vocab.json", "added_tokens.json",
    "tokenizer.model"};

bool is_file(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

bool has_hf_tokenizer(const std::string& dir) {
  const auto has = [&](const char* name) { return is_file(dir + "/" + name); };
  return has("tokenizer.json") || has("tokenizer.model") || has("vocab.txt") ||
         (has("vocab.json") && (has("merges.txt") || has("source.spm")));
}

TokenizerPair read_hf_tokenizer(const std::string& dir) {
  check(has_hf_tokenizer(dir), "tokenizer",
        "{}: no tokenizer of Hugging Face's: expected tokenizer.json, tokenizer.model, vocab.txt, or "
        "vocab.json with "
        "merges.txt",
        dir);
  NamedFiles files;
  for (const char* name : kNames)
    if (const std::string path = dir + "/" + name; is_file(path))
      files[name] = read_file(path, kMostBytes, "tokenizer");
  if (files.contains("source.spm")) return {make_marian(files, false, dir), make_marian(files, true, dir)};
  auto tokenizer = std::make_shared<PipelineTokenizer>(std::move(files), dir);
  return {tokenizer, tokenizer};
}

}  // namespace fovea::data
