// Everything `fovea train` takes. One table describes each setting once; the flags of the command, the keys of the
// YAML file, the record in a checkpoint and the rules of resuming all come from it.
// To add one: a member of Settings, a row in settings_table.cc.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fovea/train/amount.h"

namespace fovea::train {

using Words = std::vector<std::string>;
using Keys = std::set<std::string, std::less<>>;  // of settings

struct Settings {
  // The model.
  std::string model = "rnn", cell = "gru", attention = "bahdanau", score = "additive", weigh = "soft",
              estimator = "reinforce", local = "none", norm = "pre", positions = "sinusoidal",
              activation = "relu", enc_score = "scaled_dot", dec_score = "scaled_dot",
              cross_score = "scaled_dot", start = "zero", enc_mask = "none", dec_mask = "none",
              cross_mask = "none";
  int64_t heads = 1, window = 4, max_keys = 128, enc_depth = 1, dec_depth = 1, dim_emb = 256, dim_rnn = 256,
          dim_readout = 0, dim_model = 512, dim_ffn = 2048, max_positions = 1024, enc_window = 0,
          dec_window = 0;
  bool bidirectional = true, input_feeding = false, tied_embeddings = false, tied_embeddings_all = false;
  std::string layout = "gpt2", task = "words", pretrained;
  int64_t n_layer = 12, n_head = 12, n_embd = 768, n_kv_head = 0, n_inner = 0, block_size = 256;
  bool bias = true;
  double mask_share = 0.15;
  int64_t conv_channels = 32, conv_stages = 3, conv_depth = 2;
  double doubly_stochastic = 0;
  int64_t patch_size = 4;
  int64_t glimpses = 6, glimpse_size = 12, glimpse_scales = 3, dim_glimpse = 128;
  double location_std = 0.15, location_std_end = 0.06, policy_weight = 1, early_weight = 0.5,
         effort_weight = 0.1;
  double dropout = 0.1, temperature = 1, entropy_weight = 0.01, soft_share = 0.5, dropout_attention = 0,
         dropout_ffn = 0, dropout_src = 0, dropout_trg = 0;

  // The data.
  std::string corpus, lang, guided_alignment;
  Words train_sets, valid_sets;
  std::string pictures, labels, captions, images, valid_labels, valid_captions, valid_images;
  int64_t picture_size = 0, shift = 0;
  bool cluttered = false, flip = false;
  double colour = 0;
  int64_t corpus_size = 0, corpus_seed = 1, max_length = 100;
  double valid_split = 0;
  std::string tokenizer = "auto";
  int64_t vocab_size = 8000;
  bool joint_vocab = false;

  // Training.
  Amount after{10, 'e'};
  std::string optimizer = "adam", lr_schedule = "inv-sqrt";
  double learn_rate = 0.002, adam_beta1 = 0.9, adam_beta2 = 0.98, adam_eps = 1e-9, momentum = 0,
         weight_decay = 0, clip_norm = 1, label_smoothing = 0.1, guided_weight = 0.1, lr_floor = 0;
  Amount lr_warmup{200, 'u'}, lr_length{0, 'u'};
  int64_t mini_batch_words = 3000, mini_batch = 0, optimizer_delay = 1, seed = 1;

  // Validation, and what is written.
  std::string out;
  Amount valid_freq{1, 'e'}, save_freq{2, 'm'}, disp_freq{100, 'u'};
  Words valid_metrics{"cross-entropy", "bleu"};
  std::string early_stopping_on;
  int64_t early_stopping = 10, valid_beam = 1, keep_last = 5;

  // The program.
  int64_t threads = 0;
  bool quiet = false;

  friend bool operator==(const Settings&, const Settings&) = default;
};

struct Setting {
  using Member = std::variant<std::string Settings::*, int64_t Settings::*, double Settings::*,
                              bool Settings::*, Amount Settings::*, Words Settings::*>;
  // Whether a run that goes on may have another value than it began with.
  enum class Change : uint8_t { kNever, kAllowed };

  struct Rules {
    Change change = Change::kNever;
    double least = 0, most = 1e15;   // of a number, or of the number of words
    bool below = false;              // `most` itself is too much
    Words (*choices)() = nullptr;    // the names that are possible; null: any
    bool may_be_empty = false;       // none of them is possible, too
    const char* shown_as = nullptr;  // its value in help: "FILE"; null: by its type
  };

  const char* key;  // "dim-emb": the flag is --dim-emb
  Member member;
  const char* group;  // a heading of help and of the YAML file, or a group of the table of models
  const char* help;
  Rules rules;
};

// What a run of this model begins with.
Settings defaults_of(std::string_view model);
// The heading of its group: "Model: rnn, transformer" of a group that these models have.
std::string heading_of(const Setting& setting);
// Whether it says what model is made, and becomes a key of config.json.
bool is_of_model(const Setting& setting);
// Whether the model looks at the setting: it has the setting's group; some others are only about pairs, about text, or about pictures.
bool is_about(const Setting& setting, std::string_view model);

// In the order of help and of the YAML file; settings of a group are together.
std::span<const Setting> settings_table();
// Throws for an unknown key, and names the nearest.
const Setting& setting_named(std::string_view key);

// Sets one from words as they stand in a command or a file. Throws Error("[train] --dim-emb: ...") unless they are what
// it takes; `where` stands in front of the key: "--", or "file.yml:3: ".
void set(Settings& settings, const Setting& setting, std::span<const std::string> words,
         std::string_view where = "--");
// Its words, which set() reads again.
Words words_of(const Settings& settings, const Setting& setting);

// YAML, one key a line; `source` stands in messages. Keys that are not in the text are left as they are. Returns those that are.
Keys read_yaml(Settings& settings, std::string_view text, std::string_view source);
// Keys that are `open`, whose values the data decides, are written as comments.
std::string to_yaml(const Settings& settings, const Keys& open = {});

// For a checkpoint: {"dim-emb": 256, ...}. Keys that another version wrote and this one does not know are an error.
nlohmann::json to_json(const Settings& settings);
Settings settings_from(const nlohmann::json& json, std::string_view source);

// A value that differs, for one line of text: "--after 20e (before: 10e)".
struct Difference {
  const Setting* setting;
  std::string was, is;
};
std::vector<Difference> differences(const Settings& was, const Settings& is);

// Whether there is data to validate on that is not held out of the training data.
bool has_valid_data(const Settings& settings);

// What cannot be said of one setting alone: settings that need or exclude each other. Throws.
void check_together(const Settings& settings);

}  // namespace fovea::train
