// What an encoder's config says about its head and its length.
#include "fovea/run/encoder.h"

#include <gtest/gtest.h>

#include "fovea/base/error.h"
#include "fovea/models/bert.h"
#include "fovea/run/load.h"

namespace fovea::run {
namespace {

models::BertOptions small(const char* head) {
  models::BertOptions o;
  o.vocab = 13;
  o.layers = 1;
  o.heads = 4;
  o.width = 16;
  o.dim_ffn = 24;
  o.max_positions = 9;
  o.head = head;
  o.pooler = o.head == "labels";
  if (o.head != "words") o.labels = {"a", "b", "c"};
  return o;
}

// Of the options as they come back from config.json.
EncoderInfo info_of(const models::BertOptions& o) {
  models::Bert net(models::bert_options_from(to_json(o)), 1);
  return encoder_of(net)->info();
}

TEST(EncoderInfo, LabelsMeanWhatTheConfigSays) {
  const auto labelling = [](const std::string& type, int64_t labels) {
    models::BertOptions o = small("labels");
    o.problem_type = type;
    o.labels.resize(static_cast<size_t>(labels));
    return info_of(o).labelling;
  };
  EXPECT_EQ(labelling("", 3), Labelling::kOne);
  EXPECT_EQ(labelling("single_label_classification", 2), Labelling::kOne);
  EXPECT_EQ(labelling("", 1), Labelling::kEach);
  EXPECT_EQ(labelling("multi_label_classification", 3), Labelling::kEach);
  EXPECT_EQ(labelling("regression", 1), Labelling::kNumber);
  EXPECT_THROW(labelling("multi", 2), Error);
}

TEST(EncoderInfo, ReadsNoFurtherThanTheConfigSays) {
  models::BertOptions o = small("words");
  EXPECT_EQ(info_of(o).longest, 9);
  o.max_seq_length = 5;
  EXPECT_EQ(info_of(o).longest, 5);
  o.max_seq_length = 50;
  EXPECT_EQ(info_of(o).longest, 9);
}

}  // namespace
}  // namespace fovea::run
