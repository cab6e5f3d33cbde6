// Pictures that the program draws by itself, by name: for training, which draws them as it goes, and as files. To add one: a function
// that draws a sample, and a row in pictures/corpora.cc.
//
// - A sample is a function of (options, part, index), so that any of them can be drawn at once, on any thread, and none has to be kept.
// - Train, valid and test never share a picture: a hash of its pixels says which part it belongs to (90, 5 and 5 of 100), whatever the
//   seed and the options. What falls to another part is drawn anew.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/base/random.h"
#include "fovea/data/picture.h"
#include "fovea/data/pictures/coverage.h"
#include "fovea/data/pictures/scene.h"

namespace fovea::data {

struct PictureCorpusOptions {
  uint64_t seed = 1;
  // How many pictures are written; -1: as many as the corpus has by itself.
  int64_t train = -1, valid = -1, test = -1;
  // Digits: on a field of 60 x 60, among pieces of others. Scenes: grey lines beneath the shapes.
  bool cluttered = false;
  float noise = 0;  // standard deviation of what is added to every value, white being 1
  int64_t min_shapes = 1, max_shapes = 3;  // of scenes
};

// A picture, what it is, and the truth about it.
struct PictureSample {
  Picture picture;
  std::string text;  // the caption, or the label
  int label = -1;    // of a corpus with labels: 0 to classes - 1
  // Which pixels belong to what, 0 to 255. Scenes: red, green and blue are the objects 0, 1 and 2 of the scene. Cluttered digits: the digit.
  // Without pixels where there is nothing to tell.
  Picture mask;
  std::vector<int> object_of_word;  // for each word of a caption the object that it names, from 0; -1: none
  Scene scene;                      // of scenes
  Point centre;                     // of digits: the middle of the digit's ink, in pixels
};

enum class Part : uint8_t { kTrain, kValid, kTest };
std::string_view name_of(Part part);  // "train", "valid", "test"

struct PictureCorpusKind {
  const char* name;
  const char* what;
  bool captions;               // text is a caption, otherwise a label
  int classes;                 // of labels
  int64_t train, valid, test;  // written by default
  void (*draw)(Random& random, const PictureCorpusOptions& options, PictureSample& sample);
};
std::span<const PictureCorpusKind> picture_corpus_table();
// Throws for an unknown name, and names the nearest.
const PictureCorpusKind& picture_corpus_named(std::string_view name);

// The part that a picture belongs to.
Part part_of(const Picture& picture);
// Throws for options that cannot be.
PictureSample draw_sample(const PictureCorpusKind& kind, const PictureCorpusOptions& options, Part part,
                          int64_t index);

// A corpus as files, a directory for each part: 000000.png, 000001.png, ... and
//   captions.tsv   file<TAB>caption                     or, of labels, labels.tsv
//   words.tsv      file<TAB>0 1 1 1 0 0 2 ...           for each word the number of the object that it names, from 1; 0: none
//   centres.tsv    file<TAB>x<TAB>y                     of cluttered digits: the middle of the digit, in pixels
//   masks/         000000.png, ...                      PictureSample::mask
struct PicturePart {
  Part part;
  std::string directory;
  int64_t pictures = 0, bytes = 0;
};
// The parts that are not empty appear together once all files are written; a part that is there already, with anything in it, throws.
// `wrote` is called now and then with (pictures so far, all).
std::vector<PicturePart> write_picture_corpus(const PictureCorpusKind& kind,
                                              const PictureCorpusOptions& options,
                                              const std::string& directory,
                                              const std::function<void(int64_t, int64_t)>& wrote = {},
                                              std::string_view who = "corpus");

}  // namespace fovea::data
