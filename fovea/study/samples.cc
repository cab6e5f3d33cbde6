// samples: how many pictures it takes to teach. Attention assumes less about pictures than convolution, which sees the same shape
// everywhere, or recurrence, which sees rows in their order; so it is said to need more of them (Dosovitskiy et al. 2021).
#include <algorithm>
#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/study/kinds.h"

namespace fovea::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kConvolution = "cnn", *kRecurrence = "rowrnn", *kAttention = "vit";
constexpr const char* kModels[] = {kConvolution, kRecurrence, kAttention};
constexpr int64_t kSizes[] = {100, 300, 1000, 3000, 0};  // 0: all there are
constexpr int64_t kShift = 2;                            // pixels
constexpr double kClear = 3;  // points of accuracy that are more than chance, with 1,000 tests

// About 73,000 weights each, for pictures of 28 x 28.
train::Settings settings_of(const char* model) {
  train::Settings s = train::defaults_of(model);
  s.picture_size = 28;
  s.mini_batch = 32;
  s.dropout = 0;
  s.lr_schedule = "cosine";
  s.lr_warmup = {100, 'u'};
  s.conv_channels = model == kConvolution ? 16 : s.conv_channels;
  s.dim_rnn = model == kRecurrence ? 120 : s.dim_rnn;
  if (model == kAttention) {
    s.dim_model = 48;
    s.dim_ffn = 80;
    s.enc_depth = 4;
    s.patch_size = 7;
    s.learn_rate = 0.003;
  }
  return s;
}

double cost_of(const char* model) { return model == kConvolution ? 3 : model == kRecurrence ? 1 : 1.5; }

std::vector<Trial> trials() {
  std::vector<Trial> all;
  for (const int64_t size : kSizes)
    for (const char* model : kModels)
      for (const int64_t shift : {int64_t{0}, kShift}) {
        Trial trial{
            fmt::format("{}-{}{}", model, size > 0 ? std::to_string(size) : "all", shift > 0 ? "-shift" : ""),
            settings_of(model), cost_of(model)};
        trial.settings.corpus_size = size;
        trial.settings.shift = shift;
        all.push_back(std::move(trial));
      }
  return all;
}

// Accuracies by the number of pictures, all of the same numbers.
struct Curve {
  std::string model;
  bool shifted = false;
  std::vector<const Outcome*> points = {};

  std::string name() const { return shifted ? model + " + shift" : model; }
  double accuracy(size_t i) const { return points[i]->labels.accuracy(); }
  double first() const { return accuracy(0); }
  double last() const { return accuracy(points.size() - 1); }
};

std::vector<Curve> curves_of(std::span<const Outcome> outcomes) {
  std::vector<Curve> curves;
  for (const bool shifted : {false, true})
    for (const char* model : kModels) {
      Curve& curve = curves.emplace_back(Curve{model, shifted});
      for (const Outcome& outcome : outcomes)
        if (outcome.trial.settings.model == model && (outcome.trial.settings.shift > 0) == shifted)
          curve.points.push_back(&outcome);
      std::sort(curve.points.begin(), curve.points.end(), [](const Outcome* a, const Outcome* b) {
        return a->labels.learned_from < b->labels.learned_from;
      });
    }
  return curves;
}

const Curve& curve_of(std::span<const Curve> curves, std::string_view model, bool shifted) {
  return *std::find_if(curves.begin(), curves.end(),
                       [&](const Curve& c) { return c.model == model && c.shifted == shifted; });
}

Table table_of(std::span<const Curve> curves) {
  Table table{.head = {"pictures"}, .rows = {}};
  for (const Curve& curve : curves) table.head.push_back(curve.name() + " %");
  for (size_t i = 0; i < curves[0].points.size(); ++i) {
    Row row = {grouped(curves[0].points[i]->labels.learned_from)};
    for (const Curve& curve : curves) row.push_back(fmt::format("{:.1f}", curve.accuracy(i)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

look::Plot plot_of(std::span<const Curve> curves) {
  look::Plot plot{.title = "How many pictures it takes",
                  .subtitle = "models of the same size, the same number of updates",
                  .charts = {}};
  for (const bool shifted : {false, true}) {
    look::Chart chart{.x = {.name = "training pictures", .log = true},
                      .y = {.name = shifted ? "right with shifts, %" : "right, %", .from = 0, .to = 100}};
    for (const Curve& curve : curves) {
      if (curve.shifted != shifted) continue;
      look::Series& series = chart.series.emplace_back(look::Series{.name = curve.model});
      for (size_t i = 0; i < curve.points.size(); ++i) {
        series.x.push_back(static_cast<double>(curve.points[i]->labels.learned_from));
        series.y.push_back(curve.accuracy(i));
      }
    }
    plot.charts.push_back(std::move(chart));
  }
  return plot;
}

// "cnn 85.0 %, rowrnn 60.0 % and vit 50.0 %"
template <typename F>
std::string of_each(std::span<const Curve> curves, bool shifted, F&& value) {
  std::vector<std::string> texts;
  for (const char* model : kModels)
    texts.push_back(fmt::format("{} {:.1f} %", model, value(curve_of(curves, model, shifted))));
  return fmt::format("{}, {} and {}", texts[0], texts[1], texts[2]);
}

// Where the claim holds, attention is behind with few pictures, and less so with many.
std::string verdict_on(const Curve& attention, const Curve& other) {
  const double few = other.first() - attention.first(), many = other.last() - attention.last();
  const bool holds = few > kClear && many < few;
  return fmt::format("{} is {:.1f} points {} {} with few and {:.1f} {} with many, so the claim {} against it",
                     attention.model, std::abs(few), few < 0 ? "ahead of" : "behind", other.model,
                     std::abs(many), many < 0 ? "ahead" : "behind", holds ? "holds" : "does not hold");
}

std::vector<std::string> findings_of(std::span<const Curve> curves) {
  const std::vector<const Outcome*>& points = curves[0].points;
  const std::string few = grouped(points.front()->labels.learned_from),
                    many = grouped(points.back()->labels.learned_from);
  const Curve& attention = curve_of(curves, kAttention, false);
  return {fmt::format("Of unseen pictures {} are right after {} training pictures, {} after {}.",
                      of_each(curves, false, [](const Curve& c) { return c.first(); }), few,
                      of_each(curves, false, [](const Curve& c) { return c.last(); }), many),
          fmt::format("Does attention need more data than convolution or recurrence? {}; {}.",
                      verdict_on(attention, curve_of(curves, kConvolution, false)),
                      verdict_on(attention, curve_of(curves, kRecurrence, false))),
          fmt::format("With shifts of up to {} pixels {} training pictures make it {}.", kShift, few,
                      of_each(curves, true, [](const Curve& c) { return c.first(); }))};
}

Report report(std::span<const Outcome> outcomes) {
  const std::vector<Curve> curves = curves_of(outcomes);
  Report report;
  report.table = table_of(curves);
  report.plot = plot_of(curves);
  report.findings = findings_of(curves);
  for (const Outcome& outcome : outcomes)
    report.figures[outcome.trial.name] = {{"learned_from", outcome.labels.learned_from},
                                          {"pictures", outcome.labels.pictures},
                                          {"accuracy", outcome.labels.accuracy()},
                                          {"parameters", outcome.parameters}};
  return report;
}

}  // namespace

Kind samples_study() {
  return {.name = "samples",
          .what = "accuracy against the number of training pictures: convolution, recurrence, attention",
          .subject = labelled_pictures("digits"),
          .own_data = "IMAGES LABELS",
          .updates = 2000,
          .trials = trials,
          .report = report};
}

}  // namespace fovea::study
