// SentencePiece (Kudo and Richardson 2018), byte-pair encoding. Every character of the text gets an id; text is
// normalised as SentencePiece does by itself (nmt_nfkc: compatible forms become one, runs of blanks one space).
// The file is SentencePiece's own model file.
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/random.h"
#include "fovea/data/blanks.h"
#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/tokenizers/spm_model.h"
#include "fovea/data/tokenizers/tokenizers.h"

namespace fovea::data {
namespace {

using sentencepiece::SentencePieceTrainer;

// The trainer aborts at words of 65,536 characters, and normalisation can make 18 characters of 3 bytes: what
// it gets is cut to this many bytes, at blanks where there are some. Pieces do not reach over blanks anyway.
constexpr size_t kMaxBytes = 4096;

// The trainer skips a line that holds its mark of unknown characters. It sees a space instead.
constexpr std::string_view kUnknownMark = "\xE2\x96\x85";  // U+2585

// A sample of the lines, in their order: each is taken with the chance (still needed) / (still there).
class Lines : public sentencepiece::SentenceIterator {
 public:
  Lines(std::span<const std::string> lines, int64_t sample, uint64_t seed)
      : lines_(lines), needed_(std::min(sample, static_cast<int64_t>(lines.size()))), random_(seed) {
    Next();
  }
  bool done() const override { return done_; }
  const std::string& value() const override { return value_; }
  sentencepiece::util::Status status() const override { return {}; }

  void Next() override {
    if (rest_.empty() && !draw()) {
      done_ = true;
      return;
    }
    value_ = rest_.substr(0, cut(rest_));
    rest_.remove_prefix(value_.size());
    for (size_t at = 0; (at = value_.find(kUnknownMark, at)) != std::string::npos;)
      value_.replace(at, kUnknownMark.size(), " ");
  }

 private:
  bool draw() {
    while (next_ < lines_.size() && needed_ > 0) {
      const auto there = static_cast<int64_t>(lines_.size() - next_);
      rest_ = lines_[next_++];
      if (random_.below(there) >= needed_) continue;
      --needed_;
      if (!rest_.empty()) return true;
    }
    return false;
  }
  static size_t cut(std::string_view line) {
    if (line.size() <= kMaxBytes) return line.size();
    for (size_t i = kMaxBytes; i > 0; --i)
      if (is_blank(line[i])) return i;
    size_t i = kMaxBytes;
    while ((static_cast<unsigned char>(line[i]) & 0xC0) == 0x80) --i;
    return i;
  }

  std::span<const std::string> lines_;
  int64_t needed_;
  Random random_;
  size_t next_ = 0;
  std::string_view rest_;
  std::string value_;
  bool done_ = false;
};

// The digits after `mark` in a message of SentencePiece, whose words are "file(line) [condition] message".
std::string number_after(std::string_view mark, std::string_view message) {
  const std::string_view digits = message.substr(message.find(mark) + mark.size());
  return std::string(digits.substr(0, digits.find_first_not_of("0123456789")));
}

// The most pieces that the text has, where SentencePiece refuses because it has fewer than were asked for.
std::optional<std::string> most_pieces(std::string_view message) {
  if (message.find("Vocabulary size too high") == std::string_view::npos) return {};
  return number_after("<= ", message);
}

// What to set when SentencePiece refuses.
[[noreturn]] void fail_training(int64_t vocab_size, std::string_view message) {
  if (message.find("smaller than required_chars") != std::string_view::npos)
    fail("tokenizer",
         "the text has more characters than spm's vocabulary of {} can hold: set --vocab-size to at least {}",
         vocab_size, number_after(" vs ", message));
  fail("tokenizer", "SentencePiece cannot learn from this text: {}", quote(message));
}

class SentencePieceTokenizer : public Tokenizer {
 public:
  SentencePieceTokenizer(std::string_view bytes, std::string_view source) : model_(bytes, source) {
    const int found[] = {model_.processor().pad_id(), model_.processor().unk_id(),
                         model_.processor().bos_id(), model_.processor().eos_id()};
    check(std::ranges::equal(found, std::array{kPad, kUnk, kSos, kEos}), "tokenizer",
          "{}: <pad> <unk> <s> </s> have the ids {}: expected 0, 1, 2, 3; train the model with --pad_id=0 "
          "--unk_id=1 "
          "--bos_id=2 --eos_id=3",
          source, fmt::join(found, ", "));
  }

  std::string_view kind() const override { return "spm"; }
  int64_t size() const override { return model_.processor().GetPieceSize(); }

  std::vector<int32_t> encode(std::string_view line) const override {
    std::vector<int32_t> ids;
    const auto status = model_.processor().Encode(line, &ids);
    check(status.ok(), "tokenizer", "SentencePiece cannot read the line {}: {}", quote(line),
          status.message());
    return ids;
  }
  std::string decode(std::span<const int32_t> ids) const override {
    std::vector<int> said;
    for (const int32_t id : ids) {
      check_id(id);
      if (!is_silent(id)) said.push_back(id);
    }
    std::string line;
    const auto status = model_.processor().Decode(said, &line);
    check(status.ok(), "tokenizer", "SentencePiece cannot write these ids: {}", status.message());
    return line;
  }
  std::vector<std::string> pieces(std::string_view line) const override {
    std::vector<std::string> pieces;
    model_.for_each_piece(line, [&](const std::string& piece, Span) { pieces.push_back(piece); });
    return pieces;
  }
  std::string piece(int32_t id) const override {
    check_id(id);
    return id == kSos ? "<sos>" : id == kEos ? "<eos>" : model_.processor().IdToPiece(id);
  }
  std::vector<Span> spans(std::string_view line) const override {
    std::vector<Span> spans;
    model_.for_each_piece(line, [&](const std::string&, Span place) { spans.push_back(place); });
    return spans;
  }
  std::string serialized() const override { return model_.bytes(); }
  // As MarianMT has them: one model for both sides, and the ids of its pieces.
  std::vector<std::pair<std::string, std::string>> hf_files() const override {
    nlohmann::json ids;
    for (int32_t id = 0; id < size(); ++id) ids[model_.processor().IdToPiece(id)] = marian_id(id, size());
    const nlohmann::json config = {{"tokenizer_class", "MarianTokenizer"},
                                   {"source_lang", "source"},
                                   {"target_lang", "target"},
                                   {"separate_vocabs", false},
                                   {"eos_token", "</s>"},
                                   {"unk_token", "<unk>"},
                                   {"pad_token", "<pad>"}};
    return {{"source.spm", model_.bytes()},
            {"target.spm", model_.bytes()},
            {"vocab.json", ids.dump() + "\n"},
            {"tokenizer_config.json", config.dump(2) + "\n"}};
  }

 private:
  void check_id(int32_t id) const {
    check(id >= 0 && id < size(), "tokenizer", "id {}: expected 0 to {}", id, size() - 1);
  }

  SpmModel model_;
};

}  // namespace

std::unique_ptr<Tokenizer> train_sentencepiece(std::span<const std::string> lines,
                                               const TokenizerOptions& options) {
  check(options.vocab_size > 0, "tokenizer", "spm needs a size: set --vocab-size, 8000 for instance");
  check(options.max_lines > 0, "tokenizer", "spm cannot learn from {} lines", options.max_lines);
  std::string bytes;
  const auto train = [&](const std::string& size) {
    Lines sample(lines, options.max_lines, options.seed);
    return SentencePieceTrainer::Train({{"model_type", "bpe"},
                                        {"vocab_size", size},
                                        {"character_coverage", "1.0"},
                                        {"pad_id", std::to_string(kPad)},
                                        {"unk_id", std::to_string(kUnk)},
                                        {"bos_id", std::to_string(kSos)},
                                        {"eos_id", std::to_string(kEos)},
                                        {"minloglevel", "2"}},
                                       &sample, &bytes);
  };
  auto status = train(std::to_string(options.vocab_size));
  if (!status.ok())
    if (const auto most = most_pieces(status.message())) status = train(*most);
  if (!status.ok()) fail_training(options.vocab_size, status.message());
  return sentencepiece_from(bytes, "the new model");
}

std::unique_ptr<Tokenizer> sentencepiece_from(std::string_view bytes, std::string_view source) {
  return std::make_unique<SentencePieceTokenizer>(bytes, source);
}

}  // namespace fovea::data
