#include "fovea/models/layouts/heads.h"

#include <fmt/ranges.h>

namespace fovea::models {
namespace {

constexpr HeadName kHeads[] = {{"none", "Model"},
                               {"words", "ForMaskedLM"},
                               {"labels", "ForSequenceClassification"},
                               {"token_labels", "ForTokenClassification"}};

}  // namespace

std::string head_of(const HfConfig& config, const std::string& family, std::span<const HeadName> heads) {
  const auto& json = config.json();
  if (!json.contains("architectures") || !json["architectures"].is_array() || json["architectures"].empty() ||
      !json["architectures"][0].is_string())
    return "none";
  const std::string name = json["architectures"][0];
  std::vector<std::string> known;
  for (const HeadName& head : heads) {
    known.push_back(family + head.suffix);
    if (name == known.back()) return head.name;
  }
  fail(config.who(), "config: architecture {}: expected one of {}", quote(name), fmt::join(known, ", "));
}

std::vector<std::string> labels_of(const HfConfig& config) {
  std::vector<std::string> labels;
  if (!config.has("id2label")) {
    const int64_t count = config.number("num_labels", 2);
    check(count >= 1 && count <= 1'000'000, config.who(), "config: num_labels is {}: expected 1 or more",
          count);
    for (int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  const auto& map = config.json()["id2label"];
  check(map.is_object() && !map.empty(), config.who(), "config: id2label is no object with labels");
  for (size_t i = 0; i < map.size(); ++i) {
    const auto found = map.find(std::to_string(i));
    if (found == map.end() || !found->is_string())
      fail(config.who(), "config: id2label has no name for label {}", i);
    labels.push_back(*found);
  }
  return labels;
}

void write_labels(FieldWriter& f, const std::vector<std::string>& labels) {
  nlohmann::json names, ids;
  for (size_t i = 0; i < labels.size(); ++i) {
    names[std::to_string(i)] = labels[i];
    ids[labels[i]] = i;
  }
  if (labels.empty()) return;
  f.write("id2label", names);
  f.write("label2id", ids);
}

void encoder_head(FieldReader& f, BertOptions& o, const std::string& family) {
  // Of its two heads the one for masked words is read, the one for the next sentence is not.
  const bool both =
      f.config().json().value("architectures", nlohmann::json()) == nlohmann::json{"BertForPreTraining"};
  o.head = both ? "words" : head_of(f.config(), family, kHeads);
  if (o.head == "labels" || o.head == "token_labels") o.labels = labels_of(f.config());
  f("problem_type", o.problem_type, "");
  f("pooling", o.pooling, "mean");
  f("normalize", o.normalize, true);
  f.or_null("max_seq_length", o.max_seq_length);
}

void encoder_head(FieldWriter& f, const BertOptions& o, const std::string& family) {
  for (const HeadName& head : kHeads)
    if (o.head == head.name) f.write("architectures", {family + head.suffix});
  f.write("pooling", o.pooling);
  f.write("normalize", o.normalize);
  if (o.max_seq_length > 0) f.write("max_seq_length", o.max_seq_length);
  if (!o.problem_type.empty()) f.write("problem_type", o.problem_type);
  write_labels(f, o.labels);
}

}  // namespace fovea::models
