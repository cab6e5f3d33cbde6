// A reader of files that others may have written, and inputs that it reads: what fuzz_readers changes a little and gives it.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace fovea::fuzz {

struct Reader {
  std::string name;
  std::vector<std::string> seeds;  // read without an error
  std::function<void(const std::string&)> read;
};

// Files of a directory: (name, bytes).
using Files = std::vector<std::pair<std::string, std::string>>;

// Makes the directories of the path, too.
void put(const std::string& path, const std::string& bytes);
// The bytes that write(path) writes.
std::string file_of(const std::function<void(const std::string&)>& write);
// One of the files of a directory, the others as they should be; open(directory) reads it.
Reader directory_file(const std::string& name, const std::string& changed, const Files& files,
                      std::function<void(const std::string&)> open);

// By theme, one file each. To add a reader: a row there.
std::vector<Reader> array_readers();      // JSON, .npy, .safetensors
std::vector<Reader> tokenizer_readers();  // tokenizers, our own and Hugging Face's
std::vector<Reader> training_readers();   // settings, encoded texts, checkpoints
std::vector<Reader> picture_readers();    // PNG, JPEG, IDX, directories of pictures, sentences about scenes
std::vector<Reader> model_readers();      // configs, weights; whole directories, loaded and run for a step

}  // namespace fovea::fuzz
