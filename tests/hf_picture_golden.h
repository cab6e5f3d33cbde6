// Small models of Hugging Face that look at pictures, with what they compute (tools/goldens_hf_pictures.py).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/base/file.h"
#include "fovea/data/picture.h"
#include "fovea/data/pipeline/file_bundle.h"
#include "fovea/tensor/safetensors.h"
#include "fovea/tensor/shape_ops.h"
#include "tests/golden_file.h"

namespace fovea::testing {

struct PictureGolden {
  std::string name;
  nlohmann::json config, preprocessor, lines;

  bool has(const std::string& what) const { return file().has(name + "/" + what); }
  Tensor array(const std::string& what) const { return file().array(name + "/" + what); }
  bool is_clip() const { return config["model_type"] == "clip"; }

  static const GoldenFile& file() {
    static const GoldenFile kFile(FOVEA_TESTS_DIR "/goldens/hf_pictures.safetensors");
    return kFile;
  }
  std::vector<NamedTensor> weights() const {
    std::vector<NamedTensor> list;
    const std::string prefix = name + "/weights/";
    for (const std::string& one : file().names(prefix))
      list.push_back({one.substr(prefix.size()), file().array(one)});
    return list;
  }
  void write(const std::string& dir) const {
    std::ofstream(dir + "/config.json") << config.dump();
    std::ofstream(dir + "/preprocessor_config.json") << preprocessor.dump();
    write_safetensors(dir + "/model.safetensors", weights());
    if (!is_clip()) return;
    const auto tokenizers = nlohmann::json::parse(read_file(FOVEA_TESTS_DIR "/goldens/tokenizers.json"));
    for (const auto& [file, bytes] :
         data::unbundle(tokenizers["tokenizers"]["clip"]["files"].dump(), "golden"))
      write_atomically(dir + "/" + file, bytes);
  }
  data::Picture picture() const {
    const Tensor x = array("picture");
    data::Picture picture(x.dim(0), x.dim(1), 3);
    std::copy_n(x.data<uint8_t>(), x.size(), picture.pixels.data());
    return picture;
  }
  // As the runner reads them.
  Tensor pixels() const {
    const Tensor x = array("pixels");
    return tensor::permute(x, {1, 2, 0}).reshape({1, x.dim(1), x.dim(2), x.dim(0)});
  }
};

inline std::vector<PictureGolden> picture_goldens() {
  std::vector<PictureGolden> list;
  for (const nlohmann::json& model : PictureGolden::file().about("models"))
    list.push_back(
        {model["name"], model["config"], model["preprocessor"], model.value("lines", nlohmann::json())});
  return list;
}

inline PictureGolden golden_named(const std::string& name) {
  for (const PictureGolden& golden : picture_goldens())
    if (golden.name == name) return golden;
  ADD_FAILURE() << name;
  return {};
}

}  // namespace fovea::testing
