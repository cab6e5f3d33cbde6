#include "fovea/cli/eval_pictures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fovea/base/grouped.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/data/picture_set.h"
#include "fovea/run/load.h"
#include "fovea/train/picture_quality.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "eval";

void check_usage(const PictureEval& r) {
  expect_usage(!r.model.empty(), "pictures to evaluate on, and no model: give -m DIR");
  const int sources = int{!r.corpus.empty()} + int{!r.images.empty()} + int{!r.pictures.empty()};
  expect_usage(sources == 1,
               "give -m one source of pictures: --corpus NAME, --images IDX with --labels IDX, or --pictures "
               "DIR with --labels or --captions");
  if (!r.corpus.empty())
    expect_usage(r.labels.empty() && r.captions.empty(),
                 "--corpus {} knows what is on its pictures: leave out --labels and --captions", r.corpus);
  else
    expect_usage(r.labels.empty() != r.captions.empty(), "say what is on them: --labels or --captions");
  expect_usage(r.images.empty() || !r.labels.empty(), "--images needs --labels");
  expect_usage(!r.cluttered || r.pictures.empty(), "--cluttered is for --corpus and --images");
  expect_usage(r.min_shapes <= r.max_shapes, "--min-shapes {} is above --max-shapes {}", r.min_shapes,
               r.max_shapes);
}

data::PictureSetPtr pictures_of(const PictureEval& r) {
  const auto seed = static_cast<uint64_t>(r.seed);
  if (!r.corpus.empty()) {
    const auto& kind = named([&]() -> auto& { return data::picture_corpus_named(r.corpus); });
    const data::PictureCorpusOptions options{
        .seed = seed, .cluttered = r.cluttered, .min_shapes = r.min_shapes, .max_shapes = r.max_shapes};
    return data::corpus_pictures(kind, options, data::Part::kTest, r.size > 0 ? r.size : kind.test, false);
  }
  if (r.images.empty())
    return data::folder_pictures(r.pictures, r.captions.empty() ? r.labels : r.captions, !r.captions.empty(),
                                 kWho);
  data::PictureSetPtr set = data::idx_pictures(r.images, r.labels, kWho);
  return r.cluttered ? data::scattered_pictures(set, seed, false, kWho) : set;
}

// The metrics that were asked for, or these.
std::vector<const train::ValidMetric*> chosen(const std::vector<std::string>& names,
                                              bool (*fits)(const train::ValidMetric&),
                                              std::vector<std::string> otherwise, std::string_view of) {
  std::vector<const train::ValidMetric*> metrics;
  for (const std::string& name : names.empty() ? otherwise : names) {
    const train::ValidMetric* metric = named([&] { return &train::valid_metric_named(name); });
    expect_usage(fits(*metric), "--metric {} is not for {}", name, of);
    metrics.push_back(metric);
  }
  return metrics;
}

template <typename Quality>
void show(const std::vector<const train::ValidMetric*>& metrics, const Quality& quality, int64_t pictures,
          bool json) {
  nlohmann::ordered_json object = {{"pictures", pictures}};
  if (!json) print("pictures = {}\n", grouped(pictures));
  for (const train::ValidMetric* metric : metrics) {
    const double value = value_of(*metric, quality);
    object[metric->name] = value;
    if (!json) print("{} = {:.2f}\n", metric->name, value);
  }
  if (json) print("{}\n", object.dump(1));
}

void eval_captions(const PictureEval& r, const run::LoadedDecoder& model, const data::PictureSet& set,
                   const std::vector<std::string>& names, bool json) {
  const bool scenes = r.corpus == "scenes";
  std::vector<std::string> otherwise = {"exact", "bleu", "chrf"};
  if (scenes) otherwise = {"meaning", "pointing", "variation", "exact"};
  const auto metrics = chosen(names, train::is_of_captions, otherwise, "captions");
  for (const train::ValidMetric* metric : metrics)
    expect_usage(!metric->of_scenes || scenes, "--metric {} needs --corpus scenes, which knows the truth",
                 metric->name);
  decode::CaptionOptions options;
  options.batch = r.batch;
  options.search.beam_size = r.beam_size;
  show(metrics, *train::caption_quality(model, set, options), set.size(), json);
}

void eval_labels(const PictureEval& r, const run::PictureEncoder& model, const data::PictureSet& set,
                 const std::vector<std::string>& names, bool json) {
  const bool centres = model.info().glimpses > 0 && (r.corpus == "digits" || r.cluttered);
  std::vector<std::string> otherwise = {"accuracy", "cross-entropy"};
  if (centres) otherwise.emplace_back("distance");
  const auto metrics = chosen(names, train::is_of_labels, otherwise, "labels");
  const bool gaze = std::ranges::any_of(metrics, [](const auto* metric) { return metric->of_gaze; });
  expect_usage(!gaze || centres,
               "--metric distance needs an eye that moves, and pictures whose middle is known: --corpus "
               "digits, or --cluttered");
  show(metrics, *train::label_quality(model, set, r.batch, gaze), set.size(), json);
}

}  // namespace

void add_picture_options(Arguments& app, PictureEval& r) {
  const auto name = [&](const char* flag, std::string& value, const char* what, const char* type) {
    app.add_option(flag, value, what)->group("Pictures")->type_name(type);
  };
  const auto number = [&](const char* flag, int64_t& value, const char* what, int64_t least, int64_t most) {
    app.add_option(flag, value, what)->group("Pictures")->range(least, most)->type_name("N");
  };
  name("-m,--model", r.model, "model to evaluate on pictures whose labels or captions are known", "DIR");
  name("--corpus", r.corpus, "the test part of a built-in corpus: scenes or digits", "NAME");
  number("--size", r.size, "so many of its pictures (default 1,000)", 1, 10'000'000);
  number("--seed", r.seed, "other pictures of it (default 1)", 0, int64_t{1} << 53);
  number("--min-shapes", r.min_shapes, "fewest shapes of a scene (default 1)", 1, 3);
  number("--max-shapes", r.max_shapes, "most shapes of a scene (default 3)", 1, 3);
  app.add_flag("--cluttered", r.cluttered, "put them on cluttered fields, as fovea train --cluttered does")
      ->group("Pictures");
  name("--images", r.images, "an IDX file of pictures; --labels is that of their labels", "IDX");
  name("--pictures", r.pictures, "a directory of pictures; --labels or --captions is their table", "DIR");
  name("--labels", r.labels, "labels: an IDX file, or lines of FILE<tab>LABEL", "FILE");
  name("--captions", r.captions, "captions: lines of FILE<tab>CAPTION", "FILE");
  number("--beam-size", r.beam_size, "of captions (default 1: greedy)", 1, 1000);
}

void eval_pictures(const PictureEval& r, const std::vector<std::string>& metrics, bool json) {
  check_usage(r);
  const data::PictureSetPtr set = pictures_of(r);
  check(set->size() > 0, kWho, "there are no pictures: there is nothing to evaluate on");
  const bool captions = !r.captions.empty() || (!r.corpus.empty() && set->labels().empty());
  if (captions)
    eval_captions(r, run::load_captioner(r.model), *set, metrics, json);
  else
    eval_labels(r, *run::load_picture_encoder(r.model), *set, metrics, json);
}

}  // namespace fovea::cli
