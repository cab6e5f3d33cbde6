#include "fovea/cli/classify_pictures.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/cli/output.h"
#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/read.h"
#include "fovea/decode/classify_pictures.h"

namespace fovea::cli {

std::vector<std::string> picture_files(const std::vector<std::string>& named, std::string_view who) {
  std::vector<std::string> files;
  for (const std::string& name : named) {
    std::error_code error;
    if (!std::filesystem::is_directory(name, error)) {
      files.push_back(name);
      continue;
    }
    const std::vector<std::string> found = data::pictures_without_rows(name, {}, who);
    check(!found.empty(), who, "{}: there is no .png, .jpg or .jpeg in it", name);
    for (const std::string& file : found) files.push_back((std::filesystem::path(name) / file).string());
  }
  return files;
}

void classify_pictures(const run::PictureEncoder& model, const PictureRequest& request) {
  constexpr size_t kAtOnce = 64;
  const std::vector<std::string> files = picture_files(request.files, "classify");
  const std::vector<std::string>& labels = model.info().labels;
  for (size_t begin = 0; begin < files.size(); begin += kAtOnce) {
    std::vector<data::Picture> pictures;
    for (size_t i = begin; i < std::min(begin + kAtOnce, files.size()); ++i)
      pictures.push_back(data::read_picture(files[i], data::Alpha::kOnWhite, "classify"));
    const std::vector<decode::LabelValues> all = decode::classify_pictures(model, pictures);
    for (size_t i = 0; i < all.size(); ++i) {
      const std::string& file = files[begin + i];
      nlohmann::json said = nlohmann::json::array();
      std::string line = file;
      for (const size_t c : all[i].best(static_cast<size_t>(request.top))) {
        line += fmt::format("\t{}\t{:.4f}", labels[c], all[i].values[c]);
        said.push_back({{"label", labels[c]}, {"probability", all[i].values[c]}});
      }
      if (request.json) line = nlohmann::json{{"file", file}, {"labels", said}}.dump();
      write_output(line + "\n");
    }
    flush_output();
  }
}

}  // namespace fovea::cli
