#include "fovea/models/layouts/heads.h"

namespace fovea::models {
namespace {

constexpr const char* kWho = "bert";

struct Head {
  const char *name, *suffix;
};
constexpr Head kHeads[] = {{"none", "Model"},
                           {"words", "ForMaskedLM"},
                           {"labels", "ForSequenceClassification"},
                           {"token_labels", "ForTokenClassification"}};

std::string head_of(const HfConfig& config, const std::string& family) {
  const auto& json = config.json();
  if (!json.contains("architectures") || !json["architectures"].is_array() || json["architectures"].empty() ||
      !json["architectures"][0].is_string())
    return "none";
  const std::string name = json["architectures"][0];
  for (const Head& head : kHeads)
    if (name == family + head.suffix) return head.name;
  if (name == "BertForPreTraining") return "words";
  fail(kWho, "config: architecture {}: expected one of {}{}, {}{}, {}{}, {}{}", quote(name), family,
       kHeads[0].suffix, family, kHeads[1].suffix, family, kHeads[2].suffix, family, kHeads[3].suffix);
}

// {"id2label": {"0": "negative", ...}}; without it, LABEL_0 and LABEL_1 as Hugging Face has them.
std::vector<std::string> labels_of(const HfConfig& config) {
  std::vector<std::string> labels;
  if (!config.has("id2label")) {
    const int64_t count = config.number("num_labels", 2);
    check(count >= 1 && count <= 1'000'000, kWho, "config: num_labels is {}: expected 1 or more", count);
    for (int64_t i = 0; i < count; ++i) labels.push_back(fmt::format("LABEL_{}", i));
    return labels;
  }
  const auto& map = config.json()["id2label"];
  check(map.is_object() && !map.empty(), kWho, "config: id2label is no object with labels");
  for (size_t i = 0; i < map.size(); ++i) {
    const auto found = map.find(std::to_string(i));
    if (found == map.end() || !found->is_string()) fail(kWho, "config: id2label has no name for label {}", i);
    labels.push_back(*found);
  }
  return labels;
}

}  // namespace

void encoder_head(FieldReader& f, BertOptions& o, const std::string& family) {
  o.head = head_of(f.config(), family);
  if (o.head == "labels" || o.head == "token_labels") o.labels = labels_of(f.config());
  f("problem_type", o.problem_type, "");
  f("pooling", o.pooling, "mean");
  f("normalize", o.normalize, true);
  f.or_null("max_seq_length", o.max_seq_length);
}

void encoder_head(FieldWriter& f, const BertOptions& o, const std::string& family) {
  for (const Head& head : kHeads)
    if (o.head == head.name) f.write("architectures", {family + head.suffix});
  f.write("pooling", o.pooling);
  f.write("normalize", o.normalize);
  if (o.max_seq_length > 0) f.write("max_seq_length", o.max_seq_length);
  if (!o.problem_type.empty()) f.write("problem_type", o.problem_type);
  nlohmann::json names, ids;
  for (size_t i = 0; i < o.labels.size(); ++i) {
    names[std::to_string(i)] = o.labels[i];
    ids[o.labels[i]] = i;
  }
  if (o.labels.empty()) return;
  f.write("id2label", names);
  f.write("label2id", ids);
}

}  // namespace fovea::models
