// IDX pictures of a user, divided into those that a study teaches with and those that it tests with, which never share a picture.
#pragma once

#include <string>
#include <vector>

#include "fovea/data/picture_corpora.h"
#include "fovea/data/pictures/idx.h"

namespace fovea::study {

struct PictureParts {
  data::IdxPictures all;
  std::vector<int64_t> train;             // in a random order, so that the first of them are like the others
  std::vector<data::PictureSample> test;  // with their labels as text
};

// A hash of the pixels says which part a picture belongs to. A tenth, and 1,000 or so at the most, are for tests. The order of the others
// is a function of the seed. Throws where a part would be empty.
PictureParts picture_parts(const std::string& images, const std::string& labels, uint64_t seed);

// The first `count` training pictures as IDX files: DIR/train-COUNT-images and DIR/train-COUNT-labels.
struct IdxFiles {
  std::string images, labels;
};
IdxFiles write_training(const PictureParts& parts, int64_t count, const std::string& dir);

}  // namespace fovea::study
