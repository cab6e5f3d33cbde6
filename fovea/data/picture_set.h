// Pictures with what they are, to learn from: drawn by a built-in corpus as they are asked for, from a directory, or from IDX files.
// Immutable, and safe to use from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fovea/data/picture_corpora.h"

namespace fovea::data {

class PictureSet {
 public:
  virtual ~PictureSet() = default;

  virtual int64_t size() const = 0;  // pictures of an epoch
  // Picture `index` of an epoch, a function of both alone: a corpus draws others in every epoch, files have the same.
  virtual PictureSample at(int64_t epoch, int64_t index) const = 0;
  // Its caption or label in epoch 0, without the picture where that is cheaper.
  virtual std::string text(int64_t index) const { return at(0, index).text; }
  // Pictures with equal keys are one picture, which stays on one side of a split.
  virtual std::string key(int64_t index) const { return std::to_string(index); }
  // Every label there can be, each once, in the order of classes; of captions none.
  virtual std::vector<std::string> labels() const = 0;
  // The side and the channels that pictures have by themselves; 0 where they differ.
  virtual int64_t side() const = 0;
  virtual int64_t channels() const = 0;
  // By which a run knows that its data is the same.
  virtual uint64_t fingerprint() const = 0;
};

using PictureSetPtr = std::shared_ptr<const PictureSet>;

// `size` pictures of a part of a corpus: the same in every epoch, or drawn anew.
PictureSetPtr corpus_pictures(const PictureCorpusKind& kind, const PictureCorpusOptions& options, Part part,
                              int64_t size, bool anew);
// A directory and its table (pictures/folder.h), whose texts are captions or labels. Throws [who] ... where one of them cannot be.
PictureSetPtr folder_pictures(const std::string& directory, const std::string& table, bool captions,
                              std::string_view who);
// IDX files (pictures/idx.h). Labels are called "0", "1", ...
PictureSetPtr idx_pictures(const std::string& images, const std::string& labels, std::string_view who);

// Each picture of a set at a random place of a cluttered field (pictures/digits.h), with pieces of others of the set: the same in every epoch, or
// anew. Samples have the mask and the centre. Throws [who] ... unless pictures are grey, and fit the field.
PictureSetPtr scattered_pictures(const PictureSetPtr& set, uint64_t seed, bool anew, std::string_view who);

// About this share of the pictures, chosen by their keys, and the others.
struct SplitPictures {
  PictureSetPtr others, held_out;
};
SplitPictures split_pictures(const PictureSetPtr& set, double share);

}  // namespace fovea::data
