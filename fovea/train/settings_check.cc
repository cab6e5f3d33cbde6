#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/built_in.h"
#include "fovea/models/table.h"
#include "fovea/train/schedule.h"
#include "fovea/train/settings.h"
#include "fovea/train/task.h"
#include "fovea/train/valid_metrics.h"

namespace fovea::train {
namespace {

models::Learns learns(const Settings& s) { return models::model_named(s.model).learns; }

// A model that reads texts, not pairs.
void check_texts(const Settings& s) {
  const bool lines = learns(s) == models::Learns::kLines;
  check(!s.train_sets.empty(), "train", "there is nothing to learn from: give --train-sets FILE");
  check(s.tokenizer != "spm" || s.vocab_size > 0, "train", "--tokenizer spm needs a --vocab-size");
  for (const std::string& name : s.valid_metrics) {
    const ValidMetric& metric = valid_metric_named(name);
    check(metric.of_cross_entropy || (metric.of_choices && lines), "train",
          "--valid-metrics {}: that is not measured of a {}", name, s.model);
  }
  check(!lines || s.max_length <= s.max_positions || !s.pretrained.empty(), "train",
        "--max-length {} is more than --max-positions {}: the model has no place for such lines",
        s.max_length, s.max_positions);
  check(!lines || s.max_length >= 3, "train", "--max-length {}: expected 3 or more", s.max_length);
}

void check_pairs(const Settings& s) {
  check(s.train_sets.size() <= 2 && s.valid_sets.size() <= 2, "train",
        "--train-sets and --valid-sets are a source and a target file, or one TSV file");
  check(!s.corpus.empty() || !s.train_sets.empty(), "train",
        "there is nothing to learn from: give --train-sets SOURCE TARGET, or --corpus NAME");
  check(s.corpus.empty() || s.train_sets.empty(), "train", "--corpus and --train-sets: give one of them");
  check(s.corpus.empty() || s.valid_sets.empty(), "train",
        "--valid-sets goes with --train-sets: a corpus has its own");
  check(s.corpus.empty() || data::built_in_named(s.corpus).lines, "train",
        "--corpus {} has pictures, and a {} reads text", s.corpus, s.model);
  check(!s.corpus.empty() || (s.lang.empty() && s.corpus_size == 0), "train",
        "--lang and --corpus-size are about a built-in corpus: give --corpus, too");
  check(s.tokenizer != "spm" || s.vocab_size > 0, "train", "--tokenizer spm needs a --vocab-size");
  if (s.guided_alignment.empty()) return;
  check(s.attention != "bottleneck", "train",
        "--guided-alignment needs attention, and --attention bottleneck has none");
  check((s.guided_alignment == "corpus") == !s.corpus.empty(), "train",
        "--guided-alignment {}: it is \"corpus\" with --corpus, a file or \"tsv\" with --train-sets",
        s.guided_alignment);
  check(s.guided_alignment != "tsv" || s.train_sets.size() == 1, "train",
        "--guided-alignment tsv is the third column of --train-sets FILE; there are two files");
}

// Pictures with labels or captions.
void check_pictures(const Settings& s) {
  const bool captions = learns(s) == models::Learns::kCaptionedPictures;
  const int sources = (s.corpus.empty() ? 0 : 1) + (s.pictures.empty() ? 0 : 1) + (s.images.empty() ? 0 : 1);
  check(sources > 0, "train", "there is nothing to learn from: give --corpus NAME, {}",
        captions ? "or --pictures DIR --captions FILE.tsv"
                 : "--pictures DIR --labels FILE.tsv, or --images IDX --labels IDX");
  check(sources == 1, "train", "--corpus, --pictures and --images: give one of them");
  const std::string &texts = captions ? s.captions : s.labels,
                    &valid_texts = captions ? s.valid_captions : s.valid_labels;
  const char* what = captions ? "captions" : "labels";
  if (!s.corpus.empty()) {
    const data::PictureCorpusKind* corpus = data::built_in_named(s.corpus).pictures;
    check(corpus != nullptr, "train", "--corpus {} has no pictures, and a {} looks at pictures", s.corpus,
          s.model);
    check(corpus->captions == captions, "train", "--corpus {} has {}, and a {} learns {}", s.corpus,
          corpus->captions ? "captions" : "labels", s.model, what);
    check(texts.empty() && valid_texts.empty(), "train", "--{} goes with --pictures: a corpus has its own",
          what);
  }
  check(!s.corpus.empty() || s.corpus_size == 0, "train",
        "--corpus-size is about a built-in corpus: give --corpus, too");
  check(!s.corpus.empty() || !s.images.empty() || !s.cluttered, "train",
        "--cluttered is about a built-in corpus or IDX files: give --corpus or --images, too");
  check(!s.corpus.empty() || !texts.empty(), "train",
        "there is no --{}: give a file that says what the pictures are", what);
  check(s.valid_images.empty() || !s.images.empty(), "train", "--valid-images goes with --images");
  check(s.images.empty() || s.valid_images.empty() == s.valid_labels.empty(), "train",
        "--valid-images and --valid-labels go together");
  check(s.mini_batch > 0, "train", "--mini-batch 0: expected the number of pictures in a batch");
  for (const std::string& name : s.valid_metrics) {
    const ValidMetric& metric = valid_metric_named(name);
    const bool moves = models::has_settings(models::model_named(s.model), "glimpses");
    check(metric.of_cross_entropy || (captions ? metric.of_text || metric.of_scenes
                                               : metric.of_choices || (metric.of_gaze && moves)),
          "train", "--valid-metrics {}: that is not measured of a {}", name, s.model);
    check(!metric.of_gaze || !s.corpus.empty() || s.cluttered, "train",
          "--valid-metrics {} is about --corpus digits or --images with --cluttered: of other pictures "
          "nobody knows "
          "where to look",
          name);
    check(!metric.of_scenes || s.corpus == "scenes", "train", "--valid-metrics {} is about --corpus scenes",
          name);
  }
}

void check_schedule(const Settings& s) {
  check(s.lr_warmup.unit == 'u', "train", "--lr-warmup {}: expected updates, as 200u", s.lr_warmup.text());
  if (!schedule_named(s.lr_schedule).needs_length) return;
  const Amount& length = s.lr_length.count > 0 ? s.lr_length : s.after;
  check(length.count > 0, "train", "--lr-schedule {} has to know where it ends: give --lr-length, as 5000u",
        s.lr_schedule);
  check(length.unit != 'u' || length.count > s.lr_warmup.count, "train",
        "--lr-schedule {} ends after {}, within its warm-up of {}: make --lr-warmup less", s.lr_schedule,
        length.text(), s.lr_warmup.text());
}

// What the model itself refuses, in the words of flags.
void check_model(const Settings& s) {
  try {
    const int64_t longest = models::size_of_model(task_of(s.model).some_config(s)).longest;
    if (learns(s) != models::Learns::kPairs) return;
    check(longest == 0 || (s.max_length > 0 && s.max_length <= longest), "train",
          "the model reads sequences of up to {} tokens, and --max-length is {}: make it less", longest,
          s.max_length);
  } catch (const Error& error) {
    std::string text = error.what();
    text.erase(0, text.find("] ") + 2);
    std::replace(text.begin(), text.end(), '_', '-');
    fail("train", "{}", text);
  }
}

// A setting that nothing would look at is a mistake of whoever gave it.
void check_needless(const Settings& s) {
  const Settings d = defaults_of(s.model);
  for (const Difference& difference : differences(d, s))
    if (!is_about(*difference.setting, s.model))
      fail("train", "--{} belongs to \"{}\", and the model is {}", difference.setting->key,
           heading_of(*difference.setting), s.model);
  const auto only = [](bool given, const char* flag, bool used, const char* with) {
    check(!given || used, "train", "--{} is about {}", flag, with);
  };
  only(s.estimator != d.estimator, "estimator", s.weigh == "hard", "hard attention: give --weigh hard, too");
  only(s.input_feeding, "input-feeding", s.attention == "luong", "--attention luong");
  const bool looks = s.attention != "bottleneck", hard = s.weigh == "hard";
  only(s.score != d.score, "score", looks, "attention, and --attention bottleneck has none");
  only(s.heads != d.heads, "heads", looks, "attention, and --attention bottleneck has none");
  only(s.cross_mask != d.cross_mask, "cross-mask", looks, "attention, and --attention bottleneck has none");
  only(s.local != d.local, "local", looks, "attention, and --attention bottleneck has none");
  only(s.window != d.window, "window", s.local != "none", "local attention: give --local, too");
  only(s.temperature != d.temperature, "temperature", hard && s.estimator == "gumbel", "--estimator gumbel");
  only(s.entropy_weight != d.entropy_weight, "entropy-weight", hard && s.estimator == "reinforce",
       "--weigh hard with --estimator reinforce");
  only(s.soft_share != d.soft_share, "soft-share", hard, "--weigh hard");
  only(s.dim_readout != d.dim_readout, "dim-readout", !s.tied_embeddings && !s.tied_embeddings_all,
       "an output layer of its own; tied embeddings have --dim-emb there");
  only(s.guided_weight != d.guided_weight, "guided-weight", !s.guided_alignment.empty(),
       "--guided-alignment");
  only(s.lr_length != d.lr_length, "lr-length", schedule_named(s.lr_schedule).needs_length,
       "--lr-schedule cosine");
  only(s.lr_floor != d.lr_floor, "lr-floor", schedule_named(s.lr_schedule).needs_length,
       "--lr-schedule cosine");
  const bool text = learns(s) == models::Learns::kText;
  only(s.valid_split != d.valid_split, "valid-split", !has_valid_data(s),
       "training data without --valid-sets, or whatever else there is to validate on");
  only(s.max_length != d.max_length, "max-length", !text, "lines; a text for a gpt is cut by --block-size");
  only(s.mini_batch_words != d.mini_batch_words, "mini-batch-words", !text,
       "lines; a gpt's batches are --mini-batch windows");
  only(s.mask_share != d.mask_share, "mask-share", s.task == "words", "--task words");
  const bool new_body = s.pretrained.empty();
  only(s.dim_model != d.dim_model || s.heads != d.heads || s.enc_depth != d.enc_depth ||
           s.dim_ffn != d.dim_ffn || s.enc_mask != d.enc_mask,
       "dim-model, --heads, --enc-depth, --dim-ffn and --enc-mask", new_body,
       "a new model, and --pretrained has its own");
  only(s.tokenizer != d.tokenizer || s.vocab_size != d.vocab_size, "tokenizer and --vocab-size", new_body,
       "a new model, and --pretrained has its own");
  const bool adam = s.optimizer != "sgd";
  only(s.adam_beta1 != d.adam_beta1, "adam-beta1", adam, "--optimizer adam or adamw");
  only(s.adam_beta2 != d.adam_beta2, "adam-beta2", adam, "--optimizer adam or adamw");
  only(s.adam_eps != d.adam_eps, "adam-eps", adam, "--optimizer adam or adamw");
}

}  // namespace

bool has_valid_data(const Settings& s) {
  return !s.corpus.empty() || !s.valid_sets.empty() || !s.valid_labels.empty() || !s.valid_captions.empty();
}

void check_together(const Settings& s) {
  check(!s.out.empty(), "train", "there is no --out: give a directory for the model");
  if (learns(s) == models::Learns::kPairs)
    check_pairs(s);
  else if (models::looks_at_pictures(learns(s)))
    check_pictures(s);
  else
    check_texts(s);
  check_schedule(s);
  check(!s.tied_embeddings_all || s.joint_vocab, "train",
        "--tied-embeddings-all needs one vocabulary: give --joint-vocab, too");
  check_needless(s);
  check_model(s);
  const auto& metrics = s.valid_metrics;
  check(!metrics.empty(), "train", "--valid-metrics has no names: expected one or more");
  check(s.early_stopping_on.empty() ||
            std::find(metrics.begin(), metrics.end(), s.early_stopping_on) != metrics.end(),
        "train", "--early-stopping-on {}: it is not measured; add it to --valid-metrics",
        s.early_stopping_on);
  check(s.after.count > 0 || s.after.unit == 'u' || s.after.unit == 'e', "train",
        "--after {}: nothing to train; 0u is without an end, until --early-stopping", s.after.text());
  const bool validates = (has_valid_data(s) || s.valid_split > 0) && s.valid_freq.count > 0;
  check(s.after.count > 0 || (validates && s.early_stopping > 0), "train",
        "it would never end: give --after, or --valid-sets and --early-stopping");
  check(s.optimizer == "sgd" || s.momentum == 0, "train", "--momentum is about --optimizer sgd; it is {}",
        s.optimizer);
}

}  // namespace fovea::train
