// fovea fill: words for the gaps of a sentence.
#include <nlohmann/json.hpp>

#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/sentences.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/decode/fill.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "fill";

void print_gaps(const std::vector<decode::Gap>& gaps) {
  if (gaps.empty()) return print("\n");  // as many answers as lines
  for (size_t g = 0; g < gaps.size(); ++g)
    for (const decode::Guess& guess : gaps[g].guesses)
      print("{}{:>7.2f} %  {:<16} {}\n", gaps.size() > 1 ? fmt::format("gap {}  ", g + 1) : "",
            100 * guess.probability, guess.token, guess.text);
}

void print_json(const std::vector<decode::Gap>& gaps) {
  nlohmann::json all = nlohmann::json::array();
  for (const decode::Gap& gap : gaps) {
    nlohmann::json& one = all.emplace_back(nlohmann::json::array());
    for (const decode::Guess& guess : gap.guesses)
      one.push_back(
          {{"token", guess.token}, {"id", guess.id}, {"score", guess.probability}, {"sequence", guess.text}});
  }
  print("{}\n", all.dump());
}

}  // namespace

int fill(int argc, char** argv) {
  std::string model_dir;
  std::vector<std::string> words;
  int64_t count = 5;
  bool json = false;
  Arguments app("Fills the gaps of a sentence: the most probable tokens for each [MASK].", "fovea fill");
  app.add_option("-m,--model", model_dir, "directory of the model")->required()->type_name("DIR");
  app.add_option("sentence", words,
                 "a sentence with [MASK] for each missing word; - reads sentences from standard input")
      ->required()
      ->type_name("TEXT");
  app.add_option("-k,--top-k", count, "how many tokens for each gap")
      ->capture_default_str()
      ->range(int64_t{1}, int64_t{1} << 20)
      ->type_name("K");
  app.add_flag("--json", json, "one JSON array a sentence");
  add_threads(app);
  app.footer("Example:\n  fovea fill -m bert-base-uncased \"Paris is the [MASK] of France .\"");
  if (!parse(app, argc, argv)) return 0;
  Sentences sentences(words, kWho);
  const run::LoadedEncoder model = run::load_encoder(model_dir);
  decode::check_fills(model, model_dir);
  UnknownTokens unknown(*model.tokenizer);
  for (std::string line; sentences.next(line);) {
    const std::vector<decode::Gap> gaps = decode::fill_gaps(model, line, count, sentences.number());
    json ? print_json(gaps) : print_gaps(gaps);
    unknown.add(line);
  }
  unknown.say(kWho);
  return 0;
}

}  // namespace fovea::cli
