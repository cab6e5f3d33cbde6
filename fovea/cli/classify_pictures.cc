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

void for_each_pictures(const std::vector<std::string>& files, std::string_view who,
                       const std::function<void(std::span<const std::string> names,
                                                std::span<const data::Picture> pictures)>& use) {
  constexpr size_t kAtOnce = 64;
  for (size_t begin = 0; begin < files.size(); begin += kAtOnce) {
    const std::span<const std::string> names =
        std::span(files).subspan(begin, std::min(kAtOnce, files.size() - begin));
    std::vector<data::Picture> pictures;
    for (const std::string& name : names)
      pictures.push_back(data::read_picture(name, data::Alpha::kOnWhite, who));
    use(names, pictures);
  }
}

std::string line_of_labels(const std::string& file, const std::vector<std::string>& labels,
                           const decode::LabelValues& values, const PictureRequest& request) {
  nlohmann::json said = nlohmann::json::array();
  std::string line = file;
  for (const size_t c : values.best(static_cast<size_t>(request.top))) {
    line += fmt::format("\t{}\t{:.4f}", labels[c], values.values[c]);
    said.push_back({{"label", labels[c]}, {"probability", values.values[c]}});
  }
  return request.json ? nlohmann::json{{"file", file}, {"labels", said}}.dump() : line;
}

void classify_pictures(const run::PictureEncoder& model, const PictureRequest& request) {
  const std::vector<std::string>& labels = model.info().labels;
  for_each_pictures(picture_files(request.files, "classify"), "classify", [&](auto names, auto pictures) {
    const std::vector<decode::LabelValues> all = decode::classify_pictures(model, pictures);
    for (size_t i = 0; i < all.size(); ++i)
      write_output(line_of_labels(names[i], labels, all[i], request) + "\n");
    flush_output();
  });
}

}  // namespace fovea::cli
