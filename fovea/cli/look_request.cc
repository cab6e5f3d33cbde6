#include "fovea/cli/look_request.h"

#include <algorithm>

#include "fovea/base/utf8.h"
#include "fovea/cli/options.h"
#include "fovea/data/blanks.h"
#include "fovea/data/text_file.h"

namespace fovea::cli {

void add_look_options(Arguments& app, LookRequest& r) {
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  app.add_option("sentence", r.sentence,
                 "what to translate, or to read; - reads sentences from standard input, one a line")
      ->required()
      ->type_name("TEXT");
  auto* target =
      app.add_option("--target", r.target, "show the map of this translation instead of the model's own")
          ->type_name("TEXT");
  app.add_option("-b,--beam-size", r.beam_size, "hypotheses that go on together; 1: greedy search")
      ->capture_default_str()
      ->range(1, 10'000)
      ->excludes(target)
      ->type_name("N");
  app.add_flag("--words", r.words,
               "words instead of pieces: sums over the source's pieces, means over the target's");
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
      "  fovea look -m gpt2 \"To be or not to be\" --layers 0-2 --heads 3 --svg heads.svg");
}

std::vector<std::string> look_sentences(const LookRequest& r) {
  std::vector<std::string> lines;
  if (r.sentence == std::vector<std::string>{"-"}) {
    constexpr size_t kMost = 1000;
    data::TextFile input("-", "look");
    for (std::string line; input.next(line); lines.push_back(line))
      check(lines.size() < kMost, "look", "more than {} lines: expected what a person can look at", kMost);
  } else {
    lines = {fmt::format("{}", fmt::join(r.sentence, " "))};
    expect_usage(find_invalid_utf8(lines[0]) == std::string_view::npos, "the sentence is not UTF-8");
  }
  expect_usage(std::any_of(lines.begin(), lines.end(), data::count_words),
               "there is no sentence: nothing but blanks");
  expect_usage(lines.size() == 1 || !(r.files() || r.target),
               "{} sentences: files hold the map of one, and --target belongs to one", lines.size());
  return lines;
}

}  // namespace fovea::cli
