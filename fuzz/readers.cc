// Every reader of files that others may have written, on inputs that are nearly right. A reader may throw fovea::Error, with one line; anything
// else (another exception, a crash, what a sanitizer finds, memory without bound) is a defect.
// Usage: fuzz_readers [RUNS [SEED [READER]]]      so many inputs for each reader; a failing input is written to fuzz_failure.bin
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>

#include "fovea/base/error.h"
#include "fuzz/mutate.h"
#include "fuzz/reader.h"

namespace fovea::fuzz {
namespace {

std::vector<Reader> readers() {
  std::vector<Reader> all;
  for (const auto some : {array_readers, tokenizer_readers, training_readers, picture_readers, model_readers})
    for (Reader& reader : some()) all.push_back(std::move(reader));
  return all;
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
