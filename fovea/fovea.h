// Fovea's public interface: models loaded from a directory and run, maps of where they looked, and attention on arrays of your own.
//
//   #include <fovea/fovea.h>
//
//   const fovea::Model model = fovea::load("en-ko");
//   const fovea::Translation said = model.translate("I am a student .", {.beam_size = 5, .look = true});
//   std::cout << said.text << '\n' << said.map;        // 나는 학생 이다 .   and where it looked
//
// Errors. Functions throw fovea::Error, whose message is one line: [who] what was met, what was expected, what to do. What a caller's own
// callback throws passes through. Nothing aborts, and an object that threw can be used again. Texts must be UTF-8.
//
// Threads. A Model is immutable: any number of threads may call any of its functions at the same time, and copies of it share its weights.
// A call spreads its work over set_threads() threads; of calls at the same time one does, and the others work on their own threads.
// Callbacks run on the thread that called. Results belong to their caller, and hold nothing of the model. A result has the same bits
// whatever runs beside it and on however many threads. A child of fork() may use a model of its parent.
//
// Until version 1.0, a minor version (0.3) may change this interface, and programs are built anew with its header; a patch (0.2.1) does not,
// not even by a field at the end of a struct.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fovea/base/exception.h"

namespace fovea {

// "0.2.0"
FOVEA_API std::string_view version();

// How many threads a call uses, in the whole process; 0: as many as OMP_NUM_THREADS says, or one for each core.
FOVEA_API void set_threads(int count);

// f32 numbers, contiguous and row-major. Copies share them; nobody changes them.
class Array {
 public:
  Array() = default;  // without numbers: empty() is true
  Array(std::vector<int64_t> shape, std::shared_ptr<const float> numbers)
      : shape_(std::move(shape)), numbers_(std::move(numbers)) {}

  bool empty() const { return numbers_ == nullptr; }
  const std::vector<int64_t>& shape() const& { return shape_; }
  std::vector<int64_t> shape() && { return std::move(shape_); }
  int64_t size() const {
    int64_t count = numbers_ ? 1 : 0;
    for (const int64_t n : shape_) count *= n;
    return count;
  }
  const float* data() const { return numbers_.get(); }
  std::span<const float> numbers() const& { return {data(), static_cast<size_t>(size())}; }
  // Of an array that nobody keeps (for (float x : model.embed(line).numbers())): a copy, which outlives it.
  std::vector<float> numbers() && { return {data(), data() + size()}; }
  const std::shared_ptr<const float>& shared() const { return numbers_; }

 private:
  std::vector<int64_t> shape_;
  std::shared_ptr<const float> numbers_;
};

// Where a model looked: one attention or several, each with layers and heads, rows (queries) and columns (keys) with the tokens they belong
// to. A value: copies share what it holds. Safe to use from several threads.
class FOVEA_API Map {
 public:
  struct Attention {
    std::string name;                        // "cross", "encoder self", "decoder self", "self", "class token"
    std::vector<std::string> rows, columns;  // tokens; unknown ones end in <unk>
    std::vector<int> layers, heads;          // the model's numbers
    Array weights;  // [layers, heads, rows, columns]; exactly 0 where a key is out of sight
    // Of a picture: columns are the places of a grid that lies over it, "row,column", row by row; 0: of text.
    int grid_height = 0, grid_width = 0;
  };

  Map() = default;
  bool empty() const { return contents_ == nullptr; }  // nobody looked, or the model does not look
  // A model that looked in one place (a recurrent decoder with one head, say) has one attention of one layer.
  std::vector<Attention> attentions() const;

  // A part of it. Throws for what is not there.
  struct Part {
    std::string attention = {};                // by its name, or a part of it; empty: all
    std::vector<int> layers = {}, heads = {};  // the model's numbers; empty: all
    std::string token =
        {};  // what this row looks at: "it", "it@2" for the second, "#7" for the seventh token
  };
  Map select(const Part& part) const;

  enum class Color { kNone, k256, kTrue };
  // For a terminal of this width: numbers, or shades where those do not fit. Pictures are shown in colours where there are such.
  std::string text(int columns = 80, Color color = Color::kNone) const;
  std::string svg() const;                  // a picture
  std::string png(double scale = 2) const;  // the same, as the bytes of a PNG file
  std::string html() const;                 // a page that needs nothing else, to look around in
  std::string json() const;

  struct Contents;  // the library's own

 private:
  friend struct Contents;
  explicit Map(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<const Contents> contents_;
};
FOVEA_API std::ostream& operator<<(std::ostream& out, const Map& map);  // map.text()

// What a model wrote.
struct Hypothesis {
  std::string text;
  std::vector<std::string>
      tokens;  // a label for each id; those of a stop string, which the text ends before, are among them
  std::vector<int32_t> ids;  // without an end-of-sequence token
  double log_prob = 0;       // of the tokens, and of the end-of-sequence token where it ended with one
  double score = 0;          // normalised by length: what hypotheses are ranked by
  bool ended = false;        // by the model or a stop string; false: a limit of length cut it
};

// How tokens are drawn.
struct Sampling {
  float temperature = 1;  // below 1, probable tokens are drawn more often
  int64_t top_k = 0;      // draw from the k most probable tokens; 0: from all
  float top_p = 1;        // draw from the fewest most probable tokens that have this share
  float min_p = 0;        // draw from tokens with at least this share of the most probable one's probability
  uint64_t seed = 1;      // of the draws
};

// A picture: a PNG or JPEG file, or pixels of your own. Any size; a model makes of it what it reads.
struct Picture {
  std::string path = {};                        // of the file; empty: the pixels below
  int64_t height = 0, width = 0, channels = 3;  // channels: 1, grey; 3, red, green, blue
  std::vector<uint8_t> pixels = {};             // height * width * channels, row-major
};

struct TranslateOptions {
  int64_t beam_size = 5;        // 1: greedy search
  int64_t n_best = 1;           // hypotheses to return, at most beam_size
  float normalize = 0.6f;       // score = log_prob / length^normalize
  float max_length_factor = 3;  // a target has at most so many times the tokens of its source, and 10 more
  int64_t max_length = 1000;    // tokens of a source; more are an error,
  bool crop = false;            // or are cut off
  bool sample = false;          // draw the tokens, with beam_size 1; line i of a call draws with seed and i
  Sampling sampling = {};
  float repetition_penalty = 1;          // above 1, tokens that were written become less probable
  std::vector<std::string> stop = {};    // a translation ends before one of these
  bool allow_unk = false;                // the unknown token may be written
  int64_t batch = 32;                    // lines side by side; changes the speed alone
  bool look = false;                     // map and alignment of the best hypothesis
  bool words = false;                    // the map has words in place of tokens
  std::function<bool()> cancelled = {};  // asked before each step; where it says true, Cancelled is thrown
};

struct Translation : Hypothesis {  // the best
  std::vector<std::string> source_tokens;
  std::vector<Hypothesis> n_best;              // the best among them, best first
  Map map;                                     // with look; empty where the model does not look
  std::vector<std::pair<int, int>> alignment;  // with look: (source word, target word), counted from 0
};

struct CaptionOptions {
  int64_t beam_size = 1;                 // 1: greedy search
  int64_t n_best = 1;                    // hypotheses to return, at most beam_size
  float normalize = 0.6f;                // score = log_prob / length^normalize
  int64_t batch = 32;                    // pictures side by side; changes the speed alone
  bool look = false;                     // map of the best hypothesis
  bool words = false;                    // the map has words in place of tokens
  std::function<bool()> cancelled = {};  // asked before each step; where it says true, Cancelled is thrown
};

struct Caption : Hypothesis {      // the best
  std::vector<Hypothesis> n_best;  // the best among them, best first
  Map map;                         // with look: where each token looked in the picture
};

struct GenerateOptions {
  int64_t max_tokens = 128;  // at least 1
  bool window =
      false;  // where the text is longer than the model can read: go on with its newest part, instead of ending
  float temperature = 0.8f;  // 0: the most probable token each time
  int64_t top_k = 0;
  float top_p = 0.95f, min_p = 0;
  uint64_t seed = 1;
  float repetition_penalty = 1;        // above 1, tokens that are there already become less probable
  std::vector<std::string> stop = {};  // the text ends before one of these
  bool ignore_eos = false;             // go on where the model would end
  int64_t beam_size = 1;               // above 1: find the most probable text; nothing is drawn
  int64_t n_best = 1;                  // with a beam: texts to return
  float normalize = 1;                 // of a beam's scores
  std::string cache = "f32";  // or f16: half the memory for keys and values, and faster after a long text
  bool look = false;          // map: where each new token looked. Not with window
  // Text as it comes, in whole characters (of a beam: all of it, once it is found); false ends it there, and what was written so far is
  // returned.
  std::function<bool(std::string_view)> on_text = {};
  std::function<void(int64_t tokens, int64_t of)> on_prompt = {};  // how much of the prompt was read
  std::function<bool()> cancelled =
      {};  // asked before each step; true ends it as on_text does, a beam without a text
};

struct Generation : Hypothesis {  // the text does not repeat the prompt
  std::vector<std::string> prompt_tokens;
  std::vector<Hypothesis> n_best;          // with a beam, best first
  Map map;                                 // with look
  double prompt_seconds = 0, seconds = 0;  // reading the prompt, and writing
};

struct Guess {
  std::string token;
  int32_t id = 0;
  float probability = 0;
  std::string text;  // the line with this token in the gap
};
struct Gap {
  int64_t position = 0;  // its token, special tokens counted
  std::vector<Guess> guesses;
};

struct LabelProbability {
  std::string label;
  float probability = 0;  // where the model's labels are numbers (a regression), the number
};
struct Classification : LabelProbability {  // the most probable label
  std::vector<LabelProbability> all;        // in the model's order
  struct Word : LabelProbability {
    std::string word;
  };
  std::vector<Word> words;  // of a model that labels words, which has no label for the whole
};

struct ReadOptions {
  int64_t batch = 32;  // lines side by side; changes the speed alone
  bool crop = false;   // a line longer than the model can read is cut; without it, it is an error
};

struct Score {
  double log_prob = 0;
  std::vector<std::string> tokens;
  std::vector<float> token_log_probs;  // as many; the end-of-sequence token's last, for a translation
};

struct Tokens {
  std::vector<int32_t> ids;         // with the special ones that the model reads around a text
  std::vector<std::string> tokens;  // labels of the text's own, without special ones; a blank shows as ▁
  int64_t unknown = 0;              // how many of them the vocabulary does not have
};
enum class Side { kSource, kTarget };

struct LookOptions {
  std::string target = {};  // of a translator: look as it would for this translation; empty: for its own
  int64_t beam_size = 5;    // for its own
  bool words = false;       // words in place of tokens
};

struct ModelInfo {
  std::string directory, model_type;  // "rnn", "gpt2"
  std::vector<std::string> can;       // "translate", "score", "look", ...: the functions below that it has
  std::string what;                   // the same in words
  int64_t parameters = 0;
  std::string precision;     // "f32" or "int8": what products run in
  int64_t weight_bytes = 0;  // of packed weights
  int64_t source_vocabulary = 0, vocabulary = 0;
  int32_t source_eos = -1, sos = -1, eos = -1;  // special tokens; -1: there is none
  int64_t longest = 0;                          // tokens that it can read; 0: any number
  std::vector<std::string> labels;
  bool reads_pictures = false;  // and no text
  std::string config;           // config.json, as text
};

// A call was ended by its `cancelled`.
class FOVEA_API Cancelled : public Error {
 public:
  using Error::Error;
};

// A model that is ready to run. A value: copies share it. Functions that it cannot do throw, and say what it can.
class FOVEA_API Model {
 public:
  ModelInfo info() const;
  bool can(std::string_view function) const;

  Translation translate(std::string_view text, const TranslateOptions& options = {}) const;
  std::vector<Translation> translate(std::span<const std::string> lines,
                                     const TranslateOptions& options = {}) const;
  std::vector<Translation> translate(std::initializer_list<std::string> lines,
                                     const TranslateOptions& options = {}) const {
    return translate(std::span(lines.begin(), lines.size()), options);
  }

  // Continues a prompt; an empty one begins a text.
  Generation generate(std::string_view prompt, const GenerateOptions& options = {}) const;

  // The most probable tokens for each [MASK] (the tokenizer's mask token) of a line.
  std::vector<Gap> fill(std::string_view line, int64_t count = 5) const;

  // One vector a line: [width], and [lines, width].
  Array embed(std::string_view line, const ReadOptions& options = {}) const;
  Array embed(std::span<const std::string> lines, const ReadOptions& options = {}) const;
  Array embed(std::initializer_list<std::string> lines, const ReadOptions& options = {}) const {
    return embed(std::span(lines.begin(), lines.size()), options);
  }

  Classification classify(std::string_view line, const ReadOptions& options = {}) const;
  std::vector<Classification> classify(std::span<const std::string> lines,
                                       const ReadOptions& options = {}) const;
  std::vector<Classification> classify(std::initializer_list<std::string> lines,
                                       const ReadOptions& options = {}) const {
    return classify(std::span(lines.begin(), lines.size()), options);
  }
  // Two sentences that belong together.
  std::vector<Classification> classify(std::span<const std::pair<std::string, std::string>> pairs,
                                       const ReadOptions& options = {}) const;

  // What is seen in a picture.
  Caption caption(const Picture& picture, const CaptionOptions& options = {}) const;
  std::vector<Caption> caption(std::span<const Picture> pictures, const CaptionOptions& options = {}) const;
  // Labels of pictures.
  Classification classify(const Picture& picture) const;
  std::vector<Classification> classify(std::span<const Picture> pictures) const;

  // Log-probability of a target given its source; and of a text, by a model that continues texts (of all tokens but the first).
  Score score(std::string_view source, std::string_view target) const;
  std::vector<Score> score(std::span<const std::pair<std::string, std::string>> pairs,
                           int64_t batch = 32) const;
  Score score(std::string_view text) const;

  // What the model computes from ids: logits [T, V] of the token after each (of a masked-token model, of each itself), of labels [1, labels]
  // or [T, labels]; the last hidden states [T, width] of an encoder without a head. A translator reads source_ids, too, the last of which
  // is info().source_eos.
  Array logits(std::span<const int32_t> ids, std::span<const int32_t> source_ids = {}) const;

  Tokens tokenize(std::string_view text, Side side = Side::kSource) const;
  std::string detokenize(std::span<const int32_t> ids, Side side = Side::kTarget) const;

  // Where it looks: for each token of its translation, or for each token of a text that it reads. Throws for a model that does not look.
  Map look(std::string_view text, const LookOptions& options = {}) const;
  // Where it looks in a picture: for each token of its caption (options.beam_size), or the class token of a Transformer over patches in
  // every layer and head, with its attention rollout.
  Map look(const Picture& picture, const LookOptions& options = {}) const;

  struct Loaded;  // the library's own

 private:
  friend struct Loaded;
  explicit Model(std::shared_ptr<const Loaded> loaded) : loaded_(std::move(loaded)) {}
  const Loaded& loaded() const;  // throws for a Model that was moved from

  std::shared_ptr<const Loaded> loaded_;
};

struct LoadOptions {
  std::string precision = {};  // "f32" or "int8"; empty: as the directory has it
};
// A model's directory, that of its training run, or one of Hugging Face's. Weights are packed straight from the mapped files.
FOVEA_API Model load(const std::string& directory, const LoadOptions& options = {});

// Numbers that somebody else holds, at least until the call returns: as many as the shape says. Without shape and data: not given.
struct ArrayView {
  std::vector<int64_t> shape = {};
  const float* data = nullptr;
};

struct AttendOptions {
  std::string score = "scaled_dot";  // dot, scaled_dot, mean_dot, general, additive, concat, location
  std::map<std::string, ArrayView> params =
      {};  // of the score: {"W", ...}; for all heads, or with the heads in front
  bool causal = false;
  std::string mask = {};              // by names, which combine: "window:8", "alibi+window:64", "local-m:2"
  ArrayView visible = {};             // [T, S], [B, T, S] or [B, H, T, S]; not 0: visible
  ArrayView bias = {};                // added to the scores; shapes as those of visible
  ArrayView relative = {};            // [buckets, H]: a number for each bucket of distance and head
  std::vector<int64_t> lengths = {};  // keys of each batch entry
  int64_t heads = 1, kv_heads = 0;    // the last axis is split into heads; kv_heads 0: as heads
  bool rope = false;                  // rotary positions
  std::string hard = {};              // read one position: "sample", "argmax", ...; empty: soft
  uint64_t seed = 1;                  // of draws
  bool plain = false;                 // the four steps one by one, without a fused kernel
  bool weights = false;               // keep the weights
  ArrayView upstream = {};            // the context's gradient: compute gradients
};

struct Attended {
  Array context;                // [T, width] or [B, T, width], as the query is
  Array weights;                // [B, H, T, S]; where wanted
  std::vector<int32_t> chosen;  // hard: the position that was read, [B, H, T]
  std::map<std::string, Array>
      gradients;  // where upstream was given: query, key, value, bias, relative, and params by their names
};

// Attention on arrays of your own: query [T, n], key [S, n], value [S, m], or each with a batch in front.
//   context = weigh(mask(score(query, key))) value
FOVEA_API Attended attend(const ArrayView& query, const ArrayView& key, const ArrayView& value,
                          const AttendOptions& options = {});

// A map of given weights [T, S] or [H, T, S], with a label for each row and column.
FOVEA_API Map map_of(const ArrayView& weights, std::vector<std::string> rows,
                     std::vector<std::string> columns, std::string title = {});

}  // namespace fovea
