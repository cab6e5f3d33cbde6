// The kinds of picture sets.
#include <algorithm>

#include "fovea/base/crc32c.h"
#include "fovea/base/error.h"
#include "fovea/data/held_out.h"
#include "fovea/data/picture_set.h"
#include "fovea/data/pictures/digits.h"
#include "fovea/data/pictures/folder.h"
#include "fovea/data/pictures/idx.h"

namespace fovea::data {
namespace {

uint64_t sized(int64_t size, uint32_t crc) { return (static_cast<uint64_t>(size) << 32) ^ crc; }

class CorpusPictures final : public PictureSet {
 public:
  CorpusPictures(const PictureCorpusKind& kind, const PictureCorpusOptions& options, Part part, int64_t size,
                 bool anew)
      : kind_(kind),
        options_(options),
        part_(part),
        size_(size),
        anew_(anew),
        first_(draw_sample(kind, options, part, 0)) {}

  int64_t size() const override { return size_; }
  PictureSample at(int64_t epoch, int64_t index) const override {
    return draw_sample(kind_, options_, part_, (anew_ ? epoch * size_ : 0) + index);
  }
  std::vector<std::string> labels() const override {
    std::vector<std::string> names;
    for (int i = 0; i < kind_.classes; ++i) names.push_back(std::to_string(i));
    return names;
  }
  int64_t side() const override { return first_.picture.height; }
  int64_t channels() const override { return first_.picture.channels; }
  // A function of its options, of which the first picture is one, too.
  uint64_t fingerprint() const override {
    return sized(size_, crc32c(first_.text, crc32c(std::as_bytes(std::span(first_.picture.pixels))))) ^
           uint64_t { anew_ };
  }

 private:
  const PictureCorpusKind& kind_;
  PictureCorpusOptions options_;
  Part part_;
  int64_t size_;
  bool anew_;
  PictureSample first_;
};

class FolderPictures final : public PictureSet {
 public:
  FolderPictures(const std::string& directory, const std::string& table, bool captions, std::string_view who)
      : folder_(directory, table, who), captions_(captions) {}

  int64_t size() const override { return folder_.size(); }
  PictureSample at(int64_t, int64_t index) const override {
    PictureSample sample;
    sample.picture = folder_.picture(index, Alpha::kOnWhite);
    sample.text = folder_.row(index).text;
    return sample;
  }
  std::string text(int64_t index) const override { return folder_.row(index).text; }
  std::string key(int64_t index) const override { return folder_.row(index).file; }
  std::vector<std::string> labels() const override {
    return captions_ ? std::vector<std::string>() : folder_.labels();
  }
  int64_t side() const override { return 0; }
  int64_t channels() const override { return 3; }
  uint64_t fingerprint() const override {
    uint32_t crc = 0;
    for (const PictureFolder::Row& row : folder_.rows())
      for (const std::string* text : {&row.file, &row.text}) crc = crc32c("\n", crc32c(*text, crc));
    return sized(size(), crc);
  }

 private:
  PictureFolder folder_;
  bool captions_;
};

class IdxPictureSet final : public PictureSet {
 public:
  IdxPictureSet(const std::string& images, const std::string& labels, std::string_view who)
      : idx_(read_idx_pictures(images, labels, who)) {}

  int64_t size() const override { return idx_.size(); }
  PictureSample at(int64_t, int64_t index) const override {
    PictureSample sample;
    sample.picture = idx_.picture(index);
    sample.text = text(index);
    return sample;
  }
  std::string text(int64_t index) const override { return std::to_string(idx_.label(index)); }
  std::vector<std::string> labels() const override {
    std::vector<std::string> names;
    for (int i = 0; i < idx_.classes(); ++i) names.push_back(std::to_string(i));
    return names;
  }
  int64_t side() const override { return idx_.height() == idx_.width() ? idx_.height() : 0; }
  int64_t channels() const override { return 1; }
  uint64_t fingerprint() const override {
    return sized(size(), crc32c(std::as_bytes(std::span(idx_.labels.values)),
                                crc32c(std::as_bytes(std::span(idx_.images.values)))));
  }

 private:
  IdxPictures idx_;
};

class ScatteredPictures final : public PictureSet {
 public:
  ScatteredPictures(PictureSetPtr set, uint64_t seed, bool anew, std::string_view who)
      : set_(std::move(set)), seed_(seed), anew_(anew) {
    const int64_t side = set_->side();
    check(set_->size() > 0 && set_->channels() == 1 && side >= kPieceSide && side <= kFieldSide, who,
          "{} pictures, {} pixels a side, to lie on a field of {} x {}: expected grey squares of {} to {} "
          "pixels",
          set_->size(), side, kFieldSide, kFieldSide, kPieceSide, kFieldSide);
  }

  int64_t size() const override { return set_->size(); }
  PictureSample at(int64_t epoch, int64_t index) const override {
    PictureSample sample = set_->at(epoch, index);
    Random random(seed_, kFields + static_cast<uint64_t>((anew_ ? epoch * size() : 0) + index));
    Field field = scatter(sample.picture, random,
                          [&](Random& more) { return set_->at(epoch, more.below(size())).picture; });
    sample.picture = std::move(field.picture);
    sample.mask = std::move(field.mask);
    sample.centre = field.centre;
    return sample;
  }
  std::string text(int64_t index) const override { return set_->text(index); }
  std::string key(int64_t index) const override { return set_->key(index); }
  std::vector<std::string> labels() const override { return set_->labels(); }
  int64_t side() const override { return kFieldSide; }
  int64_t channels() const override { return 1; }
  uint64_t fingerprint() const override {
    return set_->fingerprint() ^ (seed_ << 1) ^ uint64_t { anew_ };
  }

 private:
  // Keeps fields apart from what others draw from the same seed.
  static constexpr uint64_t kFields = 0x6669656c'0000'0000;

  PictureSetPtr set_;
  uint64_t seed_;
  bool anew_;
};

class SomePictures final : public PictureSet {
 public:
  SomePictures(PictureSetPtr all, std::vector<int64_t> which)
      : all_(std::move(all)), which_(std::move(which)) {}

  int64_t size() const override { return static_cast<int64_t>(which_.size()); }
  PictureSample at(int64_t epoch, int64_t index) const override { return all_->at(epoch, place(index)); }
  std::string text(int64_t index) const override { return all_->text(place(index)); }
  std::string key(int64_t index) const override { return all_->key(place(index)); }
  std::vector<std::string> labels() const override { return all_->labels(); }
  int64_t side() const override { return all_->side(); }
  int64_t channels() const override { return all_->channels(); }
  uint64_t fingerprint() const override {
    return all_->fingerprint() ^ crc32c(std::as_bytes(std::span(which_)));
  }

 private:
  int64_t place(int64_t index) const { return which_[static_cast<size_t>(index)]; }

  PictureSetPtr all_;
  std::vector<int64_t> which_;
};

}  // namespace

PictureSetPtr corpus_pictures(const PictureCorpusKind& kind, const PictureCorpusOptions& options, Part part,
                              int64_t size, bool anew) {
  return std::make_shared<CorpusPictures>(kind, options, part, size, anew);
}

PictureSetPtr folder_pictures(const std::string& directory, const std::string& table, bool captions,
                              std::string_view who) {
  return std::make_shared<FolderPictures>(directory, table, captions, who);
}

PictureSetPtr idx_pictures(const std::string& images, const std::string& labels, std::string_view who) {
  return std::make_shared<IdxPictureSet>(images, labels, who);
}

PictureSetPtr scattered_pictures(const PictureSetPtr& set, uint64_t seed, bool anew, std::string_view who) {
  return std::make_shared<ScatteredPictures>(set, seed, anew, who);
}

SplitPictures split_pictures(const PictureSetPtr& set, double share) {
  std::vector<int64_t> others, held_out;
  for (int64_t i = 0; i < set->size(); ++i)
    (static_cast<double>(place_of(set->key(i))) < share ? held_out : others).push_back(i);
  return {std::make_shared<SomePictures>(set, std::move(others)),
          std::make_shared<SomePictures>(set, std::move(held_out))};
}

}  // namespace fovea::data
