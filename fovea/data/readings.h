// Lines that a model reads as a whole: with words hidden for it to find, or with labels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/batches.h"
#include "fovea/data/tokenizer.h"

namespace fovea::data {

// A line between its marks: [CLS] words [SEP], or [CLS] words [SEP] words [SEP].
struct Reading {
  std::vector<int32_t> ids, segments;
  std::vector<int32_t>
      wanted;  // one label of the whole, or one of every id (kIgnore where none); empty for hidden words
};

// What the last column of a line says.
enum class Wanted : uint8_t {
  kWords,        // nothing: the line is text, whose words are hidden and found
  kLabel,        // SENTENCE <tab> LABEL, or SENTENCE <tab> SENTENCE <tab> LABEL
  kTokenLabels,  // WORDS <tab> LABELS, as many as words
};

struct ReadingOptions {
  Wanted wanted = Wanted::kWords;
  int64_t max_length = 128;  // ids of a line, marks included; longer ones are cut
  double hidden = 0.15;      // share of words to be found
};

// Marks around one line or two, which is cut to `most` ids; the longer of two loses first.
Reading marked(const Tokenizer& tokenizer, std::string_view first, std::string_view second, bool pair,
               int64_t most);

// The lines of files. Labels are the names that stand there, in order of the alphabet; given some, only those may stand there.
struct Readings {
  std::vector<Reading> lines;
  std::vector<std::string> labels;
  int64_t cut = 0, empty = 0;  // lines that were cut; that were left out
};
Readings read_readings(const std::vector<std::string>& paths, const Tokenizer& tokenizer,
                       const ReadingOptions& options, const std::vector<std::string>& labels = {});
// Takes about this share of the lines away from `readings`; equal lines stay together.
Readings hold_out(Readings& readings, double share);
uint64_t fingerprint(const Readings& readings);

// Some lines as a batch. With Wanted::kWords a share of the words is hidden (Devlin et al. 2019): of these 80 % become [MASK], 10 %
// another word, 10 % stay as they are; a function of (seed, epoch, line). At least one word of each line is hidden.
Batch reading_batch(const Readings& readings, std::span<const int32_t> lines, const Tokenizer& tokenizer,
                    const ReadingOptions& options, uint64_t seed, int64_t epoch);

class ReadingStream final : public BatchStream {
 public:
  // All must outlive it.
  ReadingStream(const Readings& readings, const Tokenizer& tokenizer, const ReadingOptions& options,
                const BatchOptions& batches, Position at = {});
  int64_t epoch_size() const override { return plan_.size(); }

 private:
  Batch batch_at(const Position& position) override;
  void begin_epoch(int64_t epoch) override;

  const Readings* readings_;
  const Tokenizer* tokenizer_;
  ReadingOptions options_;
  BatchOptions batches_;
  std::vector<Lengths> lengths_;
  BatchPlan plan_;
};
std::vector<Lengths> lengths_of(const Readings& readings);

}  // namespace fovea::data
