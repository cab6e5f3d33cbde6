#include "fovea/cli/train_curve.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::cli {
namespace {

// null, which stands for what is not finite, becomes NaN: a gap.
double number(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_number() ? found->get<double>()
                                                   : std::numeric_limits<double>::quiet_NaN();
}

void add(look::Series& series, double x, double y) {
  series.x.push_back(x);
  series.y.push_back(y);
}

template <typename F>
void each_line(std::string_view text, F&& f) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (const std::optional<nlohmann::json> line = parse_json_line(text.substr(begin, end - begin))) f(*line);
    begin = end + 1;
  }
}

}  // namespace

look::Plot training_curve(std::string_view metrics, const std::string& title) {
  look::Series cost{.name = "training", .x = {}, .y = {}}, valid_cost{.name = "validation", .x = {}, .y = {}};
  std::map<std::string, look::Series> others;
  double best = -1;
  each_line(metrics, [&](const nlohmann::json& line) {
    const double update = number(line, "update");
    if (line.value("kind", "") == "train") add(cost, update, number(line, "cost"));
    if (line.value("kind", "") != "valid" || !line.contains("metrics") || !line["metrics"].is_object())
      return;
    if (line.value("best", false)) best = update;
    for (const auto& [name, value] : line["metrics"].items())
      add(name == "cross-entropy" ? valid_cost : others[name], update, number(line["metrics"], name.c_str()));
  });

  look::Plot plot{.title = title, .subtitle = {}, .charts = {}};
  std::vector<look::Mark> marks;
  if (best >= 0) marks.push_back({best, "best"});
  look::Chart costs{.x = {"updates"}, .y = {"cost of a token"}, .series = {}, .marks = marks, .groups = {}};
  for (look::Series* series : {&cost, &valid_cost})
    if (!series->x.empty()) costs.series.push_back(std::move(*series));
  if (!costs.series.empty()) plot.charts.push_back(std::move(costs));
  for (auto& [name, series] : others)
    plot.charts.push_back(
        {.x = {"updates"}, .y = {name}, .series = {std::move(series)}, .marks = marks, .groups = {}});
  return plot;
}

void CurveWriter::draw() const {
  try {
    const look::Plot plot = training_curve(read_file(out_ + "/metrics.jsonl"), out_);
    if (plot.charts.empty()) return;
    // Under one name, so that what a kill leaves is written over: the curve can be drawn anew at any time.
    const std::string path = out_ + "/curve.svg", staged = path + ".new";
    std::ofstream file(staged);
    file << look::to_svg(plot) << std::flush;
    check(file.good(), "curve", "{}: it could not be written", path);
    std::filesystem::rename(staged, path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
}

}  // namespace fovea::cli
