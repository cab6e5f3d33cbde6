// fovea look: what a model says of a sentence, and where it looked for each word.
#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/cli/look_picture.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/terminal.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/decode/translate.h"
#include "fovea/library/attention_maps.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "look";

// --head is about a map; a model with many layers has an atlas.
void expect_one_map(const LookRequest& r) {
  expect_usage(r.map.head == look::kEveryHead,
               "--head is about models with one attention: choose with --layers and --heads");
}

class Run {
 public:
  Run(LookRequest request, run::LoadedDecoder model)
      : r_(std::move(request)),
        translator_(std::move(model),
                    {.search = {.beam_size = r_.beam_size, .look = decode::look_at_source()}}) {}

  void operator()(Sentences& sentences) {
    for_each_sentence(r_, sentences, [&](const std::string& line) { show(line); });
    check(looks_, kWho,
          "{} does not look: its decoder gets the source as one fixed vector; train with --attention "
          "bahdanau or luong",
          r_.model);
  }

 private:
  const run::LoadedDecoder& model() const { return translator_.model(); }

  void show(const std::string& line) {
    const size_t pieces = model().source->encode(line).size();
    check(pieces > 0, kWho, "{} has nothing that the model's tokenizer reads", quote(line));
    check_length("the sentence", pieces);
    if (r_.target) check_length("--target", model().target->encode(*r_.target).size());
    UnknownTokens unknown(*model().source, "source tokens");
    unknown.add(line);
    unknown.say(kWho);
    const library::Target target = r_.target ? forced(line) : translated(line);
    PendingFiles files;
    std::string shown = terminal_text(target.text);
    looks_ = target.weights.defined();
    if (looks_ && (library::has_layers(model()) || r_.atlas.chooses())) {
      expect_one_map(r_);
      look::Atlas atlas;
      if (library::has_layers(model())) {
        atlas = library::atlas_of_translation(model(), line, target, r_.words);
      } else {
        const look::Map map = library::map_of_translation(model(), line, target, r_.words);
        atlas.title = map.title;
        atlas.stacks.push_back(look::stack_of(map));
      }
      stage_atlas(atlas, r_.atlas, files);
      atlas.title.clear();  // it is what stands above it
      shown += "\n" + terminal_atlas(atlas, r_.atlas);
    } else if (looks_) {
      look::Map map = library::map_of_translation(model(), line, target, r_.words);
      static_cast<PictureFiles&>(r_.map) = r_.atlas;
      stage_map(map, r_.map, files);
      map.title.clear();
      shown += "\n" + terminal_map(map, r_.map);
    }
    files.commit();
    write_output(shown);
  }

  // More than a person could look at, and a map too large to draw.
  void check_length(std::string_view what, size_t pieces) const {
    const int64_t most = translator_.options().max_length;
    check(static_cast<int64_t>(pieces) <= most, kWho, "{} has {} tokens: expected {} or fewer", what, pieces,
          most);
  }

  library::Target translated(const std::string& line) const {
    const decode::Candidate best = translator_.translate(line).best();
    if (!best.ended)
      fmt::print(stderr, "[look] the translation has no end, and was cut after {} tokens\n", best.ids.size());
    return library::target_of(model(), best);
  }

  library::Target forced(const std::string& line) const {
    UnknownTokens unknown(*model().target, "target tokens");
    unknown.add(*r_.target);
    unknown.say(kWho);
    return library::forced_target(model(), line, *r_.target);
  }

  LookRequest r_;
  decode::Translator translator_;
  bool looks_ = true;
};

}  // namespace

int look(int argc, char** argv) {
  LookRequest r;
  Arguments app(
      "Shows where a model looked: for each word of a translation, or, in a model that reads or continues "
      "texts, for each word it read; and in a picture, for each word of a caption, or in every layer and "
      "head.",
      "fovea look");
  add_look_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  if (r.target) expect_usage(find_invalid_utf8(*r.target) == std::string_view::npos, "--target is not UTF-8");
  Sentences sentences(r.sentence, kWho);
  const run::Loaded any = run::load(r.model);
  if (reads_pictures(*any.runner)) {
    look_at_picture(any, r);
    return 0;
  }
  expect_usage(!r.rollout, "--rollout is about Transformers over patches of pictures");
  if (auto decoder = std::dynamic_pointer_cast<const run::Decoder>(any.runner);
      decoder && decoder->info().reads_source) {
    Run(std::move(r), {std::move(decoder), any.source, any.target})(sentences);
    return 0;
  }
  expect_usage(!r.target, "--target is about models that translate");
  expect_one_map(r);
  for_each_sentence(r, sentences, [&](const std::string& line) {
    look::Atlas atlas = library::atlas_of_text(any, line, r.words);
    UnknownTokens unknown(*any.source);
    unknown.add(line);
    unknown.say(kWho);
    PendingFiles files;
    stage_atlas(atlas, r.atlas, files);
    atlas.title.clear();
    const std::string shown = terminal_text(line) + "\n" + terminal_atlas(atlas, r.atlas);
    files.commit();
    write_output(shown);
  });
  return 0;
}

}  // namespace fovea::cli
