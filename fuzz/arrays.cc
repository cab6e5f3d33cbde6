#include "fovea/base/json.h"
#include "fovea/tensor/npy.h"
#include "fovea/tensor/safetensors.h"
#include "fuzz/reader.h"

namespace fovea::fuzz {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

std::vector<Reader> array_readers() {
  std::vector<Reader> list;
  list.push_back({"json",
                  {R"({"a": [1, -2.5e3, true, null], "b": {"c": "\u00e9 \"x\""}, "d": []})"},
                  [](const std::string& text) { parse_json(text, "fuzz", "input"); }});
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
  return list;
}

}  // namespace fovea::fuzz
