// fovea fill: words for the gaps of a sentence.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/sentences.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/blanks.h"
#include "fovea/decode/read_lines.h"
#include "fovea/kernels/softmax.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "fill";

struct Guess {
  int32_t id;
  float share;
};

// The most probable words of a row of logits.
std::vector<Guess> best_of(std::span<const float> logits, int64_t count) {
  std::vector<float> p(logits.size());
  kernels::softmax_rows(logits.data(), p.data(), 1, static_cast<int64_t>(p.size()));
  std::vector<int32_t> ids(p.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto end = ids.begin() + std::min<std::ptrdiff_t>(count, static_cast<std::ptrdiff_t>(ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), [&](int32_t a, int32_t b) {
    const float x = p[static_cast<size_t>(a)], y = p[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  });
  std::vector<Guess> best;
  for (auto id = ids.begin(); id != end; ++id) best.push_back({*id, p[static_cast<size_t>(*id)]});
  return best;
}

// The text of ids in which other gaps stay.
std::string text_with_gaps(const data::Tokenizer& tokenizer, const std::vector<int32_t>& ids, int32_t mask) {
  std::string text;
  for (auto begin = ids.begin();;) {
    const auto end = std::find(begin, ids.end(), mask);
    text += tokenizer.decode(std::vector<int32_t>(begin, end));
    if (end == ids.end()) return text;
    text += (text.empty() ? "" : " ") + tokenizer.piece(mask) + (end + 1 == ids.end() ? "" : " ");
    begin = end + 1;
  }
}

void fill_line(const run::LoadedEncoder& model, const std::string& line, int64_t number, int64_t count,
               bool json) {
  if (data::count_words(line) == 0) return print("{}\n", json ? "[]" : "");  // as many answers as lines
  const int32_t mask = model.tokenizer->special_ids().mask;
  const data::Reading readable = decode::readable(model, line, {}, false, {}, kWho, number);
  std::vector<int32_t> gaps;
  for (size_t i = 0; i < readable.ids.size(); ++i)
    if (readable.ids[i] == mask) gaps.push_back(static_cast<int32_t>(i));
  check(!gaps.empty(), kWho, "line {} has no gap: write {} where a word is missing", number,
        model.tokenizer->piece(mask));
  const run::Text text_read{readable.ids, readable.segments};
  const Tensor logits = model.encoder->logits({&text_read, 1}, gaps);
  decode::check_numbers(logits, kWho, number);
  const auto V = static_cast<size_t>(logits.dim(1)),
             known = std::min(V, static_cast<size_t>(model.tokenizer->size()));
  nlohmann::json all = nlohmann::json::array();
  for (size_t g = 0; g < gaps.size(); ++g) {
    nlohmann::json one = nlohmann::json::array();
    for (const Guess& guess : best_of(logits.span<float>().subspan(g * V, known), count)) {
      std::vector<int32_t> ids(readable.ids.begin() + 1, readable.ids.end() - 1);
      ids[static_cast<size_t>(gaps[g]) - 1] = guess.id;
      const std::string word = model.tokenizer->piece(guess.id),
                        text = text_with_gaps(*model.tokenizer, ids, mask);
      if (json)
        one.push_back({{"token", word}, {"id", guess.id}, {"score", guess.share}, {"sequence", text}});
      else
        print("{}{:>7.2f} %  {:<16} {}\n", gaps.size() > 1 ? fmt::format("gap {}  ", g + 1) : "",
              100 * guess.share, word, text);
    }
    all.push_back(one);
  }
  if (json) print("{}\n", all.dump());
}

}  // namespace

int fill(int argc, char** argv) {
  std::string model_dir;
  std::vector<std::string> words;
  int64_t count = 5;
  bool json = false;
  Arguments app("Says which words fit the gaps of a sentence, with their probabilities.", "fovea fill");
  app.add_option("-m,--model", model_dir, "directory of the model")->required()->type_name("DIR");
  app.add_option("sentence", words,
                 "a sentence with [MASK] for each missing word; - reads sentences from standard input")
      ->required()
      ->type_name("TEXT");
  app.add_option("-k,--top-k", count, "how many words for each gap")
      ->capture_default_str()
      ->range(int64_t{1}, int64_t{1} << 20)
      ->type_name("K");
  app.add_flag("--json", json, "one JSON array a sentence");
  add_threads(app);
  app.footer("Example:\n  fovea fill -m bert-base-uncased \"Paris is the [MASK] of France .\"");
  if (!parse(app, argc, argv)) return 0;
  Sentences sentences(words, kWho);
  const run::LoadedEncoder model = run::load_encoder(model_dir);
  check(model.encoder->info().head == run::Head::kTokens, kWho,
        "{} has no head for words: it was not trained to fill gaps, or that part was not saved", model_dir);
  check(model.tokenizer->special_ids().mask >= 0, kWho, "{}: its tokenizer has no mark for a gap", model_dir);
  UnknownTokens unknown(*model.tokenizer);
  for (std::string line; sentences.next(line);) {
    fill_line(model, line, sentences.number(), count, json);
    unknown.add(line);
  }
  unknown.say(kWho);
  return 0;
}

}  // namespace fovea::cli
