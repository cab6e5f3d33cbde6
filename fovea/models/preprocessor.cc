#include "fovea/models/preprocessor.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/base/quote.h"

namespace fovea::models {
namespace {

constexpr const char* kPreprocessorFile = "preprocessor_config.json";

// What the classes do where a file does not say it.
struct ProcessorClass {
  std::string_view name;
  bool stretch;  // size: height and width; otherwise the shorter side
  int64_t side;  // size
  int64_t resample;
  bool crop;
  double mean[3], std[3];
};
constexpr ProcessorClass kProcessorClasses[] = {
    {"ViT", true, 224, 2, false, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
    {"DeiT", true, 256, 3, true, {0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}},
    {"CLIP", false, 224, 3, true, {0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711}},
    {"Bit", false, 224, 3, true, {0.48145466, 0.4578275, 0.40821073}, {0.26862954, 0.26130258, 0.27577711}},
};

// Numbers of PIL's filters.
struct FilterNumber {
  int64_t number;
  data::Filter filter;
};
constexpr FilterNumber kFilters[] = {
    {2, data::Filter::kBilinear}, {3, data::Filter::kBicubic}, {4, data::Filter::kArea}};

const ProcessorClass& processor_class(const std::string& type) {
  for (const ProcessorClass& one : kProcessorClasses)
    for (const char* ending :
         {"ImageProcessor", "ImageProcessorFast", "ImageProcessorPil", "FeatureExtractor"})
      if (type == std::string(one.name) + ending) return one;
  fail("model", "{}: image_processor_type is {}: expected ViT, DeiT, CLIP or BitImageProcessor",
       kPreprocessorFile, quote(type));
}

// The values of an object, each checked.
class ProcessorValues {
 public:
  explicit ProcessorValues(const nlohmann::json& object) : object_(object) {
    check(object.is_object(), "model", "{}: expected an object such as {{\"size\": ...}}", kPreprocessorFile);
  }
  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }
  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    expect(object_[key].is_boolean(), key, "true or false");
    return object_[key].get<bool>();
  }
  std::string text(const char* key) const {
    if (!has(key)) return "";
    expect(object_[key].is_string(), key, "a name");
    return object_[key].get<std::string>();
  }
  double real(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    expect(object_[key].is_number(), key, "a number");
    return object_[key].get<double>();
  }
  int64_t whole(const char* key, int64_t otherwise) const {
    return has(key) ? pixels(object_[key], key, 0) : otherwise;
  }
  std::vector<double> numbers(const char* key, const double (&otherwise)[3], int64_t channels) const {
    if (!has(key)) return std::vector<double>(otherwise, otherwise + channels);
    const nlohmann::json list =
        object_[key].is_array() ? object_[key] : nlohmann::json::array({object_[key]});
    expect(!list.empty() && list.size() <= 3 &&
               std::ranges::all_of(list, [](const nlohmann::json& x) { return x.is_number(); }),
           key, "a number for each channel");
    return list.get<std::vector<double>>();
  }
  struct Size {
    bool square;
    int64_t side;
  };
  // 224, {"height": 224, "width": 224} or {"shortest_edge": 224}.
  Size size(const char* key, const Size& otherwise) const {
    if (!has(key)) return otherwise;
    const nlohmann::json& value = object_[key];
    if (value.is_number()) return {otherwise.square, pixels(value, key, 1)};
    const auto of = [&](const char* part) { return value.contains(part) ? pixels(value[part], key, 1) : 0; };
    expect(value.is_object(), key, "a number of pixels, height and width, or shortest_edge");
    if (value.size() == 1 && value.contains("shortest_edge")) return {false, of("shortest_edge")};
    expect(value.size() == 2 && of("height") > 0 && of("height") == of("width"), key,
           "a square (height and width), or shortest_edge alone");
    return {true, of("height")};
  }

 private:
  void expect(bool good, const char* key, const char* expected) const {
    check(good, "model", "{}: {} is {}: expected {}", kPreprocessorFile, key,
          quote(object_[key].dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)), expected);
  }
  int64_t pixels(const nlohmann::json& value, const char* key, int64_t least) const {
    constexpr int64_t kMost = 4096;
    const bool whole =
        value.is_number_integer() && !(value.is_number_unsigned() && value.get<uint64_t>() > kMost);
    expect(whole && value.get<int64_t>() >= least && value.get<int64_t>() <= kMost, key,
           "whole numbers up to 4,096");
    return value.get<int64_t>();
  }

  const nlohmann::json& object_;
};

}  // namespace

void add_preprocessor(nlohmann::json& config, const std::string& dir) {
  constexpr size_t kMost = 1 << 20;
  const auto read = [&](const char* name) {
    const std::string path = dir + "/" + name;
    return std::filesystem::is_regular_file(path) ? parse_json(read_file(path, kMost, "model"), "model", path)
                                                  : nlohmann::json();
  };
  nlohmann::json found = read(kPreprocessorFile);
  if (found.is_null())
    if (const nlohmann::json whole = read("processor_config.json");
        whole.is_object() && whole.contains("image_processor"))
      found = whole["image_processor"];
  check(!found.is_null(), "model",
        "{}: there is no {}, which says how pictures become numbers: copy it from where the model comes from",
        dir, kPreprocessorFile);
  config["preprocessor"] = found;
}

void read_preprocessor(const nlohmann::json& config, const char* processor, PictureOptions& o) {
  o.processor = processor;
  if (!config.contains("preprocessor")) return;
  const ProcessorValues values(config["preprocessor"]);
  for (const char* key : {"image_processor_type", "feature_extractor_type"})
    if (const std::string type = values.text(key); !type.empty()) {
      o.processor = type;
      break;
    }
  const ProcessorClass& usual = processor_class(o.processor);
  if (o.processor.ends_with("FeatureExtractor")) o.processor = std::string(usual.name) + "ImageProcessor";
  for (const char* key : {"do_pad", "do_flip_channel_order", "rescale_offset"})
    check(!values.flag(key, false), "model", "{}: {} is true: only false is possible here", kPreprocessorFile,
          key);
  const ProcessorValues::Size size = values.size("size", {usual.stretch, usual.side});
  o.fit = !values.flag("do_resize", true) ? data::Fit::kNone
          : size.square                   ? data::Fit::kStretch
                                          : data::Fit::kShorterSide;
  o.fit_side = size.side;
  const int64_t resample = values.whole("resample", usual.resample);
  const auto* filter = std::ranges::find(kFilters, resample, &FilterNumber::number);
  check(filter != std::end(kFilters), "model",
        "{}: resample is {}: expected 2 (bilinear), 3 (bicubic) or 4 (box), as PIL counts them",
        kPreprocessorFile, resample);
  o.filter = filter->filter;
  o.crop = values.flag("do_center_crop", usual.crop);
  const ProcessorValues::Size crop = values.size("crop_size", {true, 224});
  check(!o.crop || crop.square, "model", "{}: crop_size has shortest_edge: expected height and width",
        kPreprocessorFile);
  o.scale = values.flag("do_rescale", true) ? values.real("rescale_factor", 1.0 / 255) : 1;
  check(std::isfinite(o.scale), "model", "{}: rescale_factor is not finite", kPreprocessorFile);
  constexpr double kNone[3] = {0, 0, 0}, kOne[3] = {1, 1, 1};
  const bool normalise = values.flag("do_normalize", true);
  const int64_t channels = std::clamp<int64_t>(o.channels, 1, 3);
  o.mean = normalise ? values.numbers("image_mean", usual.mean, channels)
                     : std::vector<double>(kNone, kNone + channels);
  o.std = normalise ? values.numbers("image_std", usual.std, channels)
                    : std::vector<double>(kOne, kOne + channels);
  const int64_t made = o.crop ? crop.side : o.fit == data::Fit::kStretch ? o.fit_side : o.picture_size;
  check(made == o.picture_size, "model",
        "{} makes pictures of {} x {} pixels, and config.json asks for {} x {}: they do not belong together",
        kPreprocessorFile, made, made, o.picture_size, o.picture_size);
}

nlohmann::json preprocessor_json(const PictureOptions& o, const char* processor) {
  const int64_t side = o.fit_side > 0 ? o.fit_side : o.picture_size;
  const auto square = [](int64_t n) -> nlohmann::json { return {{"height", n}, {"width", n}}; };
  const auto each = [&](const std::vector<double>& values) {
    return values.size() == 1 ? std::vector<double>(static_cast<size_t>(o.channels), values[0]) : values;
  };
  const auto* filter = std::ranges::find(kFilters, o.filter, &FilterNumber::filter);
  return {{"image_processor_type", o.processor.empty() ? processor : o.processor},
          {"do_convert_rgb", o.channels == 3},
          {"do_resize", o.fit != data::Fit::kNone},
          {"size", o.fit == data::Fit::kShorterSide ? nlohmann::json{{"shortest_edge", side}} : square(side)},
          {"resample", filter->number},
          {"do_center_crop", o.crop},
          {"crop_size", square(o.picture_size)},
          {"do_rescale", true},
          {"rescale_factor", o.scale},
          {"do_normalize", true},
          {"image_mean", each(o.mean)},
          {"image_std", each(o.std)}};
}

}  // namespace fovea::models
