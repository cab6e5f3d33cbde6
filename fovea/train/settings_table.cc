#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/data/blanks.h"
#include "fovea/data/built_in.h"
#include "fovea/data/tokenizer.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/models/table.h"
#include "fovea/nn/feed_forward.h"
#include "fovea/nn/recurrent.h"
#include "fovea/nn/scores/score.h"
#include "fovea/nn/weigh/estimators.h"
#include "fovea/train/optimizer.h"
#include "fovea/train/schedule.h"
#include "fovea/train/settings.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

using S = Settings;
constexpr auto kAllowed = Setting::Change::kAllowed;
constexpr const char *kModel = "Model", *kData = "Data", *kTraining = "Training",
                     *kOutput = "Validation and output", *kProgram = "Program";
// Of the models whose rows in the table of models have them.
constexpr const char *kHeads = "heads", *kEncoder = "encoder", *kDecoder = "decoder",
                     *kPairs = "encoder-decoder", *kCells = "recurrent cells", *kStates = "recurrent states",
                     *kRnn = "recurrent", *kRnnEncoder = "recurrent encoder", *kWide = "self-attention",
                     *kLong = "long sequences", *kDecoders = "self-attention decoder",
                     *kTransformer = "transformer", *kGpt = "decoder-only", *kBert = "encoder-only",
                     *kConvolutions = "convolutions", *kCaptions = "captions", *kPatches = "patches",
                     *kGlimpses = "glimpses";

// Of a table whose rows have names.
template <typename Table>
Words names_of(const Table& table) {
  Words names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}
template <typename Names>
Words words_from(const Names& names) {
  return {names.begin(), names.end()};
}

Words kinds_of_model() {
  Words names;
  for (const models::ModelKind& kind : models::model_table())
    if (kind.learns != models::Learns::kNothing) names.emplace_back(kind.name);
  return names;
}
Words cells() { return words_from(nn::cell_names()); }
Words attentions() { return Words{"bahdanau", "luong", "bottleneck"}; }
Words scores() { return names_of(nn::score_table()); }
Words ways_to_weigh() { return Words{"soft", "hard"}; }
Words estimators() { return names_of(nn::estimator_table()); }
Words windows() { return Words{"none", "local-m", "local-p"}; }
Words norms() { return Words{"pre", "post"}; }
Words starts() { return Words{"zero", "learned"}; }
Words positions() { return Words{"sinusoidal", "learned", "rotary"}; }
Words activations() { return words_from(nn::activation_names()); }
Words layouts() {
  Words names;
  for (const models::ModelKind& kind : models::model_table())
    if (models::has_settings(kind, kGpt)) names = models::layouts_of(kind.name);
  return names;
}
Words tasks() { return Words{"words", "labels", "token-labels"}; }
Words corpora() {
  Words names;
  for (const data::BuiltIn& corpus : data::built_in_corpora()) names.emplace_back(corpus.name());
  return names;
}
Words tokenizers() {
  Words words = words_from(data::tokenizer_kinds());
  words.insert(words.begin(), "auto");
  return words;
}
Words optimizers() { return words_from(optimizer_names()); }
Words schedules() { return names_of(schedule_table()); }
Words valid_metrics() { return names_of(valid_metric_table()); }

constexpr Setting kSettings[] = {
    {"model", &S::model, kModel, "kind of model", {.choices = kinds_of_model}},
    {"dropout",
     &S::dropout,
     kModel,
     "share of values that are set to 0 while training",
     {.most = 1, .below = true}},

    {"heads", &S::heads, kHeads, "attention heads", {.least = 1, .most = 1024}},

    {"enc-depth", &S::enc_depth, kEncoder, "layers of the encoder", {.least = 1, .most = 100}},

    {"dec-depth", &S::dec_depth, kDecoder, "layers of the decoder", {.least = 1, .most = 100}},
    {"tied-embeddings", &S::tied_embeddings, kDecoder, "target embeddings are the output layer, too", {}},
    {"max-keys",
     &S::max_keys,
     kDecoder,
     "score location: the longest sequence it can point into",
     {.least = 1, .most = 1e6}},

    {"tied-embeddings-all",
     &S::tied_embeddings_all,
     kPairs,
     "source embeddings are these, too; needs --joint-vocab",
     {}},
    {"dropout-src",
     &S::dropout_src,
     kPairs,
     "share of source words that a model does not see while training",
     {.most = 1, .below = true}},
    {"dropout-trg",
     &S::dropout_trg,
     kPairs,
     "the same of the target's words that it has written so far",
     {.most = 1, .below = true}},
    {"cross-mask",
     &S::cross_mask,
     kPairs,
     "masks of the attention to the source: local-m:N, local-p:N, alibi, relative",
     {.shown_as = "MASKS"}},

    {"cell", &S::cell, kCells, "recurrent cell", {.choices = cells}},

    {"dim-rnn", &S::dim_rnn, kStates, "width of recurrent states", {.least = 1, .most = 1 << 16}},

    {"attention",
     &S::attention,
     kRnn,
     "decoder: attends before its cell (bahdanau), after it (luong), or not at all (bottleneck)",
     {.choices = attentions}},
    {"score", &S::score, kRnn, "how a source position answers the decoder", {.choices = scores}},
    {"weigh",
     &S::weigh,
     kRnn,
     "read from everywhere (soft) or from one position (hard)",
     {.choices = ways_to_weigh}},
    {"estimator", &S::estimator, kRnn, "how hard attention learns", {.choices = estimators}},
    {"temperature", &S::temperature, kRnn, "of the gumbel estimator", {.least = 1e-6, .most = 1e6}},
    {"entropy-weight", &S::entropy_weight, kRnn, "of the reinforce estimator", {.most = 1e6}},
    {"soft-share",
     &S::soft_share,
     kRnn,
     "hard attention reads this share of its batches softly while it learns",
     {.most = 1}},
    {"input-feeding",
     &S::input_feeding,
     kRnn,
     "luong: the attentional state is also input of the next step",
     {}},
    {"dim-emb", &S::dim_emb, kRnn, "width of embeddings", {.least = 1, .most = 1 << 16}},
    {"dim-readout",
     &S::dim_readout,
     kRnn,
     "width before the output layer; 0: as the model has it by itself",
     {.most = 1 << 16}},

    {"local",
     &S::local,
     kRnnEncoder,
     "the same as --cross-mask local-m:WINDOW or local-p:WINDOW",
     {.choices = windows}},
    {"window", &S::window, kRnnEncoder, "reach of --local, to each side", {.least = 1, .most = 1e6}},
    {"bidirectional", &S::bidirectional, kRnnEncoder, "the encoder reads in both directions", {}},

    {"dim-model", &S::dim_model, kWide, "width of its states", {.least = 1, .most = 1 << 16}},
    {"dim-ffn",
     &S::dim_ffn,
     kWide,
     "hidden units of its feed-forward networks",
     {.least = 1, .most = 1 << 20}},
    {"activation", &S::activation, kWide, "of its feed-forward networks", {.choices = activations}},
    {"dropout-attention",
     &S::dropout_attention,
     kWide,
     "dropout of attention weights",
     {.most = 1, .below = true}},
    {"max-positions",
     &S::max_positions,
     kLong,
     "--positions learned: the longest sequence",
     {.least = 1, .most = 1 << 20}},
    {"enc-mask",
     &S::enc_mask,
     kLong,
     "masks of the encoder's self-attention, joined by +: window:N, causal, prefix:N, local-p:N, alibi, "
     "relative",
     {.shown_as = "MASKS"}},

    {"dec-mask",
     &S::dec_mask,
     kDecoders,
     "masks of the decoder's self-attention, which is causal anyway: window:N, alibi, relative; gpt: "
     "prefix:N",
     {.shown_as = "MASKS"}},

    {"norm", &S::norm, kTransformer, "where norms stand: before each part, or after it", {.choices = norms}},
    {"positions", &S::positions, kTransformer, "how it knows the order of words", {.choices = positions}},
    {"start",
     &S::start,
     kTransformer,
     "what the decoder reads before its first word: nothing, or a learned <sos>, as with rotary positions "
     "always",
     {.choices = starts}},
    {"enc-score", &S::enc_score, kTransformer, "score of the encoder's self-attention", {.choices = scores}},
    {"dec-score", &S::dec_score, kTransformer, "score of the decoder's self-attention", {.choices = scores}},
    {"cross-score",
     &S::cross_score,
     kTransformer,
     "score of the decoder's attention to the source",
     {.choices = scores}},
    {"enc-window",
     &S::enc_window,
     kTransformer,
     "the same as --enc-mask window:N; 0: everything",
     {.most = 1 << 20}},
    {"dec-window",
     &S::dec_window,
     kTransformer,
     "the same as --dec-mask window:N; 0: everything",
     {.most = 1 << 20}},
    {"dropout-ffn", &S::dropout_ffn, kTransformer, "dropout of hidden units", {.most = 1, .below = true}},

    {"layout", &S::layout, kGpt, "how it is made: as GPT-2, or as Llama", {.choices = layouts}},
    {"n-layer", &S::n_layer, kGpt, "layers", {.least = 1, .most = 1000}},
    {"n-head", &S::n_head, kGpt, "attention heads", {.least = 1, .most = 1024}},
    {"n-embd", &S::n_embd, kGpt, "width of its states", {.least = 1, .most = 1 << 16}},
    {"n-kv-head",
     &S::n_kv_head,
     kGpt,
     "heads of keys and values, shared by groups of heads (llama); 0: as --n-head",
     {.most = 1024}},
    {"n-inner",
     &S::n_inner,
     kGpt,
     "hidden units of its feed-forward networks; 0: as the layout has it",
     {.most = 1 << 20}},
    {"block-size",
     &S::block_size,
     kGpt,
     "the most tokens it can read, and the length of what it trains on",
     {.least = 1, .most = 1 << 24}},
    {"bias", &S::bias, kGpt, "biases in products and norms (gpt2)", {}},

    {"task",
     &S::task,
     kBert,
     "what it learns: masked words of plain text; labels of SENTENCE <tab> LABEL or of two sentences; labels "
     "of every word",
     {.choices = tasks}},
    {"mask-share", &S::mask_share, kBert, "share of tokens that are masked", {.least = 0.01, .most = 0.9}},
    {"pretrained",
     &S::pretrained,
     kBert,
     "begin with the weights and the vocabulary of this model, of Fovea or Hugging Face",
     {.shown_as = "DIR"}},

    {"conv-channels",
     &S::conv_channels,
     kConvolutions,
     "channels of the first convolutions; twice as many after each halving of the picture",
     {.least = 1, .most = 4096}},
    {"conv-stages",
     &S::conv_stages,
     kConvolutions,
     "stages; from each to the next the picture becomes half as high and wide",
     {.least = 1, .most = 12}},
    {"conv-depth", &S::conv_depth, kConvolutions, "convolutions of a stage", {.least = 1, .most = 100}},

    {"patch-size",
     &S::patch_size,
     kPatches,
     "height and width of a patch, in pixels; pictures divide into whole patches",
     {.least = 1, .most = 4096}},

    {"glimpses", &S::glimpses, kGlimpses, "glimpses of a picture", {.least = 1, .most = 1000}},
    {"glimpse-size",
     &S::glimpse_size,
     kGlimpses,
     "height and width of what it sees at once, in pixels of the finest scale",
     {.least = 1, .most = 1024}},
    {"glimpse-scales",
     &S::glimpse_scales,
     kGlimpses,
     "squares around the point it looks at, each twice as wide and half as fine as the one before",
     {.least = 1, .most = 8}},
    {"dim-glimpse",
     &S::dim_glimpse,
     kGlimpses,
     "units that see what is there, and as many that know where that is",
     {.least = 1, .most = 1 << 16}},
    {"location-std",
     &S::location_std,
     kGlimpses,
     "standard deviation of the points it tries as training begins, in halves of a picture",
     {.least = 1e-6, .most = 10}},
    {"location-std-end",
     &S::location_std_end,
     kGlimpses,
     "the same as training ends",
     {.least = 1e-6, .most = 10}},
    {"policy-weight", &S::policy_weight, kGlimpses, "weight of REINFORCE in the cost", {.most = 1e6}},
    {"early-weight",
     &S::early_weight,
     kGlimpses,
     "weight of the labels after all glimpses but the last",
     {.most = 1e6}},
    {"effort-weight",
     &S::effort_weight,
     kGlimpses,
     "weight of a cost of moving the eye, so that it stays where there is nothing to gain elsewhere",
     {.most = 1e6}},

    {"doubly-stochastic",
     &S::doubly_stochastic,
     kCaptions,
     "weight of a cost by which every place of a picture is looked at about as much; 0: none",
     {.most = 1e6}},

    {"corpus",
     &S::corpus,
     kData,
     "a built-in corpus, in place of files",
     {.choices = corpora, .may_be_empty = true}},
    {"lang", &S::lang, kData, "target language of the corpus, where it has several", {.shown_as = "NAME"}},
    {"corpus-size",
     &S::corpus_size,
     kData,
     "training pairs of the corpus, or pictures, which are then the same in every epoch; 0: as many as it "
     "has "
     "by itself, pictures drawn anew in every epoch",
     {.most = 1e9}},
    {"corpus-seed", &S::corpus_seed, kData, "which pairs of the corpus", {.most = 9e15}},
    {"train-sets",
     &S::train_sets,
     kData,
     "source and target file, line by line, or one TSV file; gpt, bert: text files; .gz is read, too",
     {.change = kAllowed, .least = 1, .most = 1000, .shown_as = "FILE"}},
    {"valid-sets",
     &S::valid_sets,
     kData,
     "the same, to validate on",
     {.change = kAllowed, .least = 1, .most = 1000, .shown_as = "FILE"}},
    {"valid-split",
     &S::valid_split,
     kData,
     "without --valid-sets: this share of the lines, or the end of a gpt's text, is held out to validate on",
     {.most = 0.9}},
    {"pictures",
     &S::pictures,
     kData,
     "directory of PNG or JPEG pictures, with --labels or --captions",
     {.change = kAllowed, .shown_as = "DIR"}},
    {"labels",
     &S::labels,
     kData,
     "what the pictures are: lines of FILE <tab> LABEL; or with --images an IDX file",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"captions",
     &S::captions,
     kData,
     "captions of the pictures: lines of FILE <tab> CAPTION",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"images",
     &S::images,
     kData,
     "pictures in an IDX file, as MNIST has them, plain or gzip",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"valid-labels",
     &S::valid_labels,
     kData,
     "as --labels, to validate on",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"valid-captions",
     &S::valid_captions,
     kData,
     "as --captions, to validate on",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"valid-images",
     &S::valid_images,
     kData,
     "as --images, to validate on",
     {.change = kAllowed, .shown_as = "FILE"}},
    {"cluttered",
     &S::cluttered,
     kData,
     "--corpus scenes, digits: with clutter around; --images: each somewhere on a field of 60 x 60, among "
     "pieces "
     "of others",
     {}},
    {"picture-size",
     &S::picture_size,
     kData,
     "height and width of what the model sees, to which pictures are resized; 0: as they are, 64 where sizes "
     "differ",
     {.most = 4096}},
    {"shift",
     &S::shift,
     kData,
     "training pictures are moved by up to so many pixels",
     {.change = kAllowed, .most = 4096}},
    {"flip", &S::flip, kData, "every other training picture is mirrored", {.change = kAllowed}},
    {"colour",
     &S::colour,
     kData,
     "brightness, contrast and saturation of training pictures change by up to this share",
     {.change = kAllowed, .most = 1}},
    {"tokenizer",
     &S::tokenizer,
     kData,
     "how lines become tokens; auto: what suits --corpus; subwords otherwise",
     {.choices = tokenizers}},
    {"vocab-size",
     &S::vocab_size,
     kData,
     "most entries of a vocabulary, <pad> <unk> <sos> <eos> included; 0: as many as there are",
     {.most = 1e8}},
    {"joint-vocab", &S::joint_vocab, kData, "one vocabulary for both sides", {}},
    {"max-length",
     &S::max_length,
     kData,
     "longer sentences, in tokens, are left out of training; 0: none",
     {.most = 1e6}},
    {"guided-alignment",
     &S::guided_alignment,
     kData,
     "word alignments to train attention towards: a file of lines such as 0-0 1-2, or \"corpus\": the "
     "corpus's own",
     {.change = kAllowed, .shown_as = "FILE"}},

    {"after",
     &S::after,
     kTraining,
     "when training is done; 0u: only by --early-stopping",
     {.change = kAllowed}},
    {"seed",
     &S::seed,
     kTraining,
     "seed of initial weights, data order and dropout; -1 draws a new one",
     {.least = -1, .most = 9e15}},
    {"optimizer", &S::optimizer, kTraining, "how gradients change weights", {.choices = optimizers}},
    {"learn-rate",
     &S::learn_rate,
     kTraining,
     "learning rate, where the schedule is highest",
     {.change = kAllowed, .most = 1000}},
    {"lr-schedule",
     &S::lr_schedule,
     kTraining,
     "how the learning rate goes down after the warm-up",
     {.change = kAllowed, .choices = schedules}},
    {"lr-warmup",
     &S::lr_warmup,
     kTraining,
     "updates in which the learning rate goes up to --learn-rate",
     {.change = kAllowed}},
    {"lr-length",
     &S::lr_length,
     kTraining,
     "cosine: when it is down to 0; 0u: when --after says",
     {.change = kAllowed}},
    {"lr-floor",
     &S::lr_floor,
     kTraining,
     "cosine: the share of --learn-rate that it ends at",
     {.change = kAllowed, .most = 1}},
    {"adam-beta1",
     &S::adam_beta1,
     kTraining,
     "adam, adamw: decay rate of the mean",
     {.change = kAllowed, .most = 1, .below = true}},
    {"adam-beta2",
     &S::adam_beta2,
     kTraining,
     "adam, adamw: decay rate of the mean of squares",
     {.change = kAllowed, .most = 1, .below = true}},
    {"adam-eps",
     &S::adam_eps,
     kTraining,
     "adam, adamw: added to the divisor",
     {.change = kAllowed, .most = 1}},
    {"momentum", &S::momentum, kTraining, "sgd", {.most = 1, .below = true}},
    {"weight-decay", &S::weight_decay, kTraining, "pulls weights to 0", {.change = kAllowed, .most = 1000}},
    {"clip-norm",
     &S::clip_norm,
     kTraining,
     "gradients are scaled down to this norm; 0: never",
     {.change = kAllowed}},
    {"label-smoothing",
     &S::label_smoothing,
     kTraining,
     "share of the probability given to all words alike",
     {.change = kAllowed, .most = 1, .below = true}},
    {"guided-weight",
     &S::guided_weight,
     kTraining,
     "weight of --guided-alignment in the cost",
     {.change = kAllowed, .most = 1000}},
    {"mini-batch-words",
     &S::mini_batch_words,
     kTraining,
     "a batch has at most so many tokens on a side, padding counted",
     {.least = 1, .most = 1e9}},
    {"mini-batch",
     &S::mini_batch,
     kTraining,
     "and at most so many sentences; 0: any number; or pictures",
     {.most = 1e9}},
    {"optimizer-delay",
     &S::optimizer_delay,
     kTraining,
     "batches whose gradients are summed for one update",
     {.least = 1, .most = 1e6}},

    {"out",
     &S::out,
     kOutput,
     "directory of the run: last/, best/, metrics.jsonl; one that holds a run goes on with it",
     {.change = kAllowed, .shown_as = "DIR"}},
    {"valid-freq", &S::valid_freq, kOutput, "validate every so often", {.change = kAllowed}},
    {"save-freq",
     &S::save_freq,
     kOutput,
     "save every so often; also at the end and when stopped",
     {.change = kAllowed}},
    {"disp-freq", &S::disp_freq, kOutput, "write a line every so often", {.change = kAllowed}},
    {"valid-metrics",
     &S::valid_metrics,
     kOutput,
     "what to measure",
     {.change = kAllowed, .least = 1, .most = 100, .choices = valid_metrics}},
    {"valid-beam",
     &S::valid_beam,
     kOutput,
     "beam size of translations to be measured",
     {.change = kAllowed, .least = 1, .most = 1000}},
    {"early-stopping",
     &S::early_stopping,
     kOutput,
     "stop after so many validations without a new best; 0: never",
     {.change = kAllowed, .most = 1e9}},
    {"early-stopping-on",
     &S::early_stopping_on,
     kOutput,
     "the metric that decides what is best; otherwise the first of --valid-metrics",
     {.change = kAllowed, .choices = valid_metrics, .may_be_empty = true}},
    {"keep-last",
     &S::keep_last,
     kOutput,
     "keep the weights of so many validations, for fovea average",
     {.change = kAllowed, .most = 1e6}},

    {"threads", &S::threads, kProgram, "threads to use; 0: one per core", {.change = kAllowed, .most = 1024}},
    {"quiet", &S::quiet, kProgram, "write nothing but errors", {.change = kAllowed}},
};

// Whether a setting that does not belong to some models' group is about what a model learns from.
bool is_for(std::string_view key, models::Learns learns) {
  using enum models::Learns;
  const auto one_of = [&](std::initializer_list<std::string_view> keys) {
    return std::ranges::find(keys, key) != keys.end();
  };
  const bool pictures = models::looks_at_pictures(learns);
  if (one_of({"lang", "joint-vocab", "guided-alignment", "guided-weight"})) return learns == kPairs;
  if (key == "valid-beam") return learns == kPairs || learns == kCaptionedPictures;
  if (one_of({"corpus", "corpus-size", "corpus-seed"})) return learns == kPairs || pictures;
  if (one_of({"train-sets", "valid-sets", "mini-batch-words", "max-length"})) return !pictures;
  if (one_of({"tokenizer", "vocab-size"})) return learns != kLabelledPictures;
  if (one_of({"captions", "valid-captions"})) return learns == kCaptionedPictures;
  if (one_of({"labels", "images", "valid-labels", "valid-images"})) return learns == kLabelledPictures;
  if (one_of({"pictures", "cluttered", "picture-size", "shift", "flip", "colour"})) return pictures;
  return true;
}

// The models that have its group.
std::vector<std::string> models_of(const Setting& setting) {
  std::vector<std::string> names;
  for (const models::ModelKind& kind : models::model_table())
    if (models::has_settings(kind, setting.group)) names.emplace_back(kind.name);
  return names;
}

}  // namespace

std::span<const Setting> settings_table() { return kSettings; }

Settings defaults_of(std::string_view model) {
  Settings settings;
  settings.model = model;
  for (const models::Preset& preset : models::model_named(model).presets) {
    Words words;
    data::for_each_word(preset.value, [&](std::string_view word) { words.emplace_back(word); });
    set(settings, setting_named(preset.key), words);
  }
  return settings;
}

std::string heading_of(const Setting& setting) {
  const std::vector<std::string> names = models_of(setting);
  return names.empty() ? setting.group : fmt::format("{}: {}", kModel, fmt::join(names, ", "));
}

bool is_of_model(const Setting& setting) {
  return setting.group == std::string_view(kModel) || !models_of(setting).empty();
}

bool is_about(const Setting& setting, std::string_view name) {
  const models::ModelKind& model = models::model_named(name);
  if (!models_of(setting).empty()) return models::has_settings(model, setting.group);
  return is_for(setting.key, model.learns);
}

const Setting& setting_named(std::string_view key) {
  Words keys;
  for (const Setting& setting : kSettings) {
    if (setting.key == key) return setting;
    keys.emplace_back(setting.key);
  }
  fail("train", "{} is no setting{}", quote(key), did_you_mean(key, keys));
}

}  // namespace fovea::train
