// What a study is about: the data that its models learn from, and how one that has learned is tested.
// To add one: its file with a class of its own, a function below.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fovea/data/corpora.h"
#include "fovea/study/options.h"
#include "fovea/study/trial.h"
#include "fovea/train/run.h"

namespace fovea::study {

class Subject {
 public:
  virtual ~Subject() = default;

  // What there is, as study.json has it: {"pairs": {"train": 400, "valid": 20, "test": 120}}.
  virtual nlohmann::ordered_json sizes() const = 0;
  // The same for a line of progress: "400 pairs to learn from, 120 to test on".
  virtual std::string summary() const = 0;
  // The trials that this data can tell apart.
  virtual std::vector<Trial> usable(std::vector<Trial> trials) const { return trials; }
  // Adds the data to a trial's settings.
  virtual void add_data(train::Settings& settings) const = 0;
  // Tests a trained model on what no trial has learned from. False where `stop`, asked now and then, says so.
  virtual bool test(const train::RunResult& trained, Outcome& outcome,
                    const train::StopRequested& stop) const = 0;
  // What the test found, in a few words.
  virtual std::string text_of(const Outcome& outcome) const = 0;
};

// Loads the data, the user's own or a built-in corpus, and writes to DIR/data what trials read from files. Throws for data that cannot be.
using OpenSubject = std::function<std::unique_ptr<Subject>(const Options& options, const std::string& dir)>;

// Pairs of lines, to be translated: the user's own (a source and a target file), or the built-in grammar with these options.
OpenSubject pairs_of_lines(data::CorpusOptions corpus);
// Pictures with labels: the user's own (IDX images and labels), or a built-in corpus.
OpenSubject labelled_pictures(const char* corpus);
// Pictures with captions: the built-in scenes.
OpenSubject captioned_scenes();

}  // namespace fovea::study
