// look-at-pictures: a captioner that reads all places of a picture for each word, beside one that reads a single place and learns where
// by an estimate of the gradient (Xu et al. 2015): what they say, where they look, how much they read, and how noisy their gradients are.
#include <algorithm>
#include <cmath>

#include "fovea/nn/weigh/estimators.h"
#include "fovea/study/kinds.h"

namespace fovea::study {
namespace {

constexpr const char *kSoft = "soft", *kExact = "exact";

std::string hard_name(std::string_view estimator) { return fmt::format("hard-{}", estimator); }

std::vector<Trial> trials() {
  train::Settings base = train::defaults_of("captioner");
  base.conv_channels = 16;
  base.dim_rnn = 128;
  base.mini_batch = 32;
  base.lr_schedule = "cosine";
  base.lr_warmup = {100, 'u'};
  std::vector<Trial> all = {{kSoft, base}};
  for (const nn::Estimator& estimator : nn::estimator_table()) {
    constexpr double kOfOne = 1.2, kOfAll = 2.5;  // exact pays for every place
    all.push_back(
        {hard_name(estimator.name), base, estimator.name == std::string_view(kExact) ? kOfAll : kOfOne});
    all.back().settings.weigh = "hard";
    all.back().settings.estimator = estimator.name;
  }
  return all;
}

Table table_of(std::span<const Outcome> outcomes) {
  Table table{.head = {"trial", "meaning %", "pointing %", "places/word", "ms/update", "gradient noise"},
              .rows = {}};
  for (const Outcome& outcome : outcomes) {
    const CaptionQuality& q = outcome.captions;
    table.rows.push_back({outcome.trial.name, fmt::format("{:.1f}", q.meaning),
                          fmt::format("{:.1f}", q.pointing), fmt::format("{:.1f}", q.places),
                          fmt::format("{:.1f}", outcome.milliseconds_per_update()),
                          fmt::format("{:.2f}", q.gradient.ratio())});
  }
  return table;
}

// As the table has it: the plot writes numbers beside its bars.
double rounded(double x, double unit) { return std::round(x / unit) * unit; }

look::Plot plot_of(std::span<const Outcome> outcomes) {
  look::Chart meaning{.y = {.name = "captions that are true, %", .from = 0, .to = 100}, .series = {{}}};
  look::Chart pointing{.y = {.name = "words that point, %", .from = 0, .to = 100}, .series = {{}}};
  look::Chart places{.y = {.name = "places read for a word", .from = 0}, .series = {{}}};
  look::Chart noise{.y = {.name = "gradient noise", .from = 0}, .series = {{}}};
  for (const Outcome& outcome : outcomes) {
    constexpr double kTenth = 0.1, kHundredth = 0.01;
    for (look::Chart* chart : {&meaning, &pointing, &places, &noise})
      chart->groups.push_back(outcome.trial.name);
    meaning.series[0].y.push_back(rounded(outcome.captions.meaning, kTenth));
    pointing.series[0].y.push_back(rounded(outcome.captions.pointing, kTenth));
    places.series[0].y.push_back(rounded(outcome.captions.places, kTenth));
    noise.series[0].y.push_back(rounded(outcome.captions.gradient.ratio(), kHundredth));
  }
  return {.title = "Soft and hard looks at pictures",
          .subtitle = "the same scenes, sizes and number of updates",
          .charts = {std::move(meaning), std::move(pointing), std::move(places), std::move(noise)},
          .across = 2};
}

std::vector<std::string> findings_of(std::span<const Outcome> outcomes) {
  const Outcome& soft = outcomes.front();
  const std::span<const Outcome> hard = outcomes.subspan(1);
  const auto best = std::max_element(hard.begin(), hard.end(), [](const Outcome& a, const Outcome& b) {
    return a.captions.meaning < b.captions.meaning;
  });
  std::vector<const Outcome*> by_noise;
  for (const Outcome& outcome : hard) by_noise.push_back(&outcome);
  std::stable_sort(by_noise.begin(), by_noise.end(), [](const Outcome* a, const Outcome* b) {
    return a->captions.gradient.ratio() < b->captions.gradient.ratio();
  });
  std::vector<std::string> noises;
  for (const Outcome* outcome : by_noise)
    noises.push_back(fmt::format("{} {:.2f}", outcome->trial.name, outcome->captions.gradient.ratio()));
  return {fmt::format(
              "Soft attention says {:.1f} % of unseen scenes right, {:.1f} % of its words point at what they "
              "name, and it reads {:.1f} places for a word. Of those that read one place, {} is the best: "
              "{:.1f} % right, {:.1f} % point.",
              soft.captions.meaning, soft.captions.pointing, soft.captions.places, best->trial.name,
              best->captions.meaning, best->captions.pointing),
          fmt::format(
              "The variance of the gradient over draws of the places, as a multiple of its squared mean: {}; "
              "soft, which draws none, {:.2f}.",
              fmt::join(noises, ", "), soft.captions.gradient.ratio())};
}

Report report(std::span<const Outcome> outcomes) {
  Report report;
  report.table = table_of(outcomes);
  report.plot = plot_of(outcomes);
  report.findings = findings_of(outcomes);
  for (const Outcome& outcome : outcomes) {
    const CaptionQuality& q = outcome.captions;
    report.figures[outcome.trial.name] = {
        {"pictures", q.pictures},
        {"meaning", q.meaning},
        {"pointing", q.pointing},
        {"places_per_word", q.places},
        {"gradient", {{"variance", q.gradient.variance}, {"squared_mean", q.gradient.squared_mean}}},
        {"parameters", outcome.parameters}};
  }
  return report;
}

}  // namespace

Kind look_at_pictures_study() {
  return {.name = "look-at-pictures",
          .what = "captions of pictures: soft attention beside the estimators of hard attention",
          .subject = captioned_scenes(),
          .own_data = nullptr,
          .updates = 2500,
          .trials = trials,
          .report = report};
}

}  // namespace fovea::study
