#include "fovea/cli/look_request.h"

#include <utility>

#include "fovea/base/error.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/data/blanks.h"

namespace fovea::cli {

void add_look_options(Arguments& app, LookRequest& r) {
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_option("sentence", r.sentence,
                 "what to translate, or to read; - reads sentences from standard input, one a line. For a "
                 "model that looks at pictures: a PNG or JPEG file")
      ->required()
      ->type_name("TEXT");
  auto* target =
      app.add_option("--target", r.target, "show the map of this translation instead of the model's own")
          ->type_name("TEXT");
  app.add_option("-b,--beam-size", r.beam_size, "beam size: hypotheses kept at each step; 1 is greedy search")
      ->capture_default_str()
      ->range(1, 10'000)
      ->excludes(target)
      ->type_name("N");
  app.add_flag("--words", r.words,
               "words instead of tokens: weights are summed over a source word's tokens, and averaged over a "
               "target word's");
  app.add_flag(
      "--rollout", r.rollout,
      "of a Transformer over patches: what reached its class token through all layers up to each, in "
      "place of what it looked at");
  add_atlas_options(app, r.atlas);
  add_head_option(app, r.map);
  add_threads(app);
  app.footer(
      "\nLabels that end in <unk> are tokens unknown to the model's vocabulary. Lines are as wide as the "
      "terminal, "
      "or COLUMNS, or 100.\n"
      "\nExample:\n"
      "  fovea look -m en-ko \"I am a student .\"\n"
      "  fovea look -m en-ko \"I am a student .\" --target \"나는 선생님 이다 .\"\n"
      "  fovea look -m en-de --words --html map.html --png map.png \"a dog runs across the grass .\"\n"
      "  head -n 3 source.txt | fovea look -m en-ko -\n"
      "  fovea look -m bert \"The animal didn't cross the street because it was too tired\" --token it "
      "--html it.html\n"
      "  fovea look -m gpt2 \"To be or not to be\" --layers 0-2 --heads 3 --svg heads.svg\n"
      "  fovea look -m scenes picture.png --html picture.html\n"
      "  fovea look -m vit digit.png --rollout --png rollout.png");
}

void for_each_sentence(const LookRequest& r, Sentences& sentences,
                       const std::function<void(const std::string&)>& show) {
  constexpr int64_t kMost = 1000;
  bool any = false;
  std::string line, second;
  for (bool more = sentences.next(line); more; line = std::exchange(second, {})) {
    const int64_t number = sentences.number();
    check(number <= kMost, "look", "more than {} lines: expected what a person can look at", kMost);
    const bool alone = r.files() || r.target;
    if (alone) more = sentences.next(second);
    expect_usage(!alone || !more,
                 "several sentences: files hold the map of one, and --target belongs to one");
    if (number > 1) write_output("\n");
    if (data::count_words(line) > 0) show(line);
    any = any || data::count_words(line) > 0;
    if (!alone) more = sentences.next(second);
  }
  expect_usage(any, "there is no sentence: nothing but blanks");
}

}  // namespace fovea::cli
