// One small model of each kind that the library runs, with first weights drawn by a seed, and directories that hold them.
#pragma once

#include "fovea/models/bert_options.h"
#include "fovea/models/gpt_options.h"
#include "tests/temporary_directory.h"
#include "tests/untrained_model.h"

namespace fovea::testing {

inline const std::vector<std::string> kEnglish = {"I am a student .", "the dog sees a cat .",
                                                  "you are here ."};
inline const std::vector<std::string> kKorean = {"나는 학생 이다 .", "개가 고양이를 본다 .",
                                                 "너는 여기 있다 ."};

class LibraryModels : public ::testing::Test {
 protected:
  std::string recurrent(const std::string& attention = "bahdanau") {
    nlohmann::json config = small_rnn_config();
    config["attention"] = attention;
    write_untrained(folder_ / attention, config, kEnglish, kKorean);
    return folder_ / attention;
  }
  std::string transformer() {
    write_untrained(folder_ / "transformer",
                    {{"model_type", "transformer"},
                     {"dim_model", 16},
                     {"heads", 2},
                     {"dim_ffn", 32},
                     {"enc_depth", 2},
                     {"dec_depth", 2}},
                    kEnglish, kKorean);
    return folder_ / "transformer";
  }
  std::string gpt() {
    models::Model model{nullptr, tokenizer_of(kEnglish, "char"), nullptr};
    model.target = model.source;
    models::GptOptions o;
    o.vocab = model.source->size();
    o.n_layer = o.n_head = 2;
    o.n_embd = 16;
    o.block_size = 64;
    model.net = models::make_net(to_json(o), 7);
    write_model(folder_ / "gpt", std::move(model));
    return folder_ / "gpt";
  }
  // `head`: words, labels or token_labels.
  std::string bert(const std::string& head) {
    data::TokenizerOptions pieces;
    pieces.kind = "wordpiece";
    pieces.vocab_size = 60;
    models::Model model{nullptr, data::train_tokenizer(kEnglish, pieces), nullptr};
    model.target = model.source;
    models::BertOptions o;
    o.vocab = model.source->size();
    o.layers = o.heads = 2;
    o.width = 16;
    o.dim_ffn = 32;
    o.max_positions = 32;
    o.head = head;
    if (head != "words") o.labels = {"bad", "good", "neither"};
    model.net = models::make_net(to_json(o), 7);
    write_model(folder_ / head, std::move(model));
    return folder_ / head;
  }

  TemporaryDirectory folder_;
};

}  // namespace fovea::testing
