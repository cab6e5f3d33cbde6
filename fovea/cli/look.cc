// fovea look: what a model says of a sentence, and where it looked for each word.
#include <algorithm>
#include <optional>
#include <utility>

#include "fovea/base/quote.h"
#include "fovea/base/utf8.h"
#include "fovea/cli/look_request.h"
#include "fovea/cli/look_text.h"
#include "fovea/cli/look_words.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/terminal.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/blanks.h"
#include "fovea/decode/alignment.h"
#include "fovea/decode/looks.h"
#include "fovea/decode/score.h"
#include "fovea/decode/translate.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "look";

// --head is about a map; a model with many layers has an atlas.
void expect_one_map(const LookRequest& r) {
  expect_usage(r.map.head == look::kEveryHead,
               "--head is about models with one attention: choose with --layers and --heads");
}

// What was said of one sentence, by the model or by the user.
struct Said {
  std::string text;
  std::vector<std::string> source_pieces, pieces;  // with <eos>; that of the target, where it ended
  look::Merge target_words;
  Tensor weights;            // [H, T, S]; undefined where the model does not look
  std::vector<int32_t> ids;  // of the text
};

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
    const Said said = r_.target ? taught(line, *r_.target) : translated(line);
    PendingFiles files;
    std::string shown = terminal_text(said.text);
    looks_ = said.weights.defined();
    if (looks_) {
      if (std::optional<look::Atlas> atlas = atlas_of(line, said)) {
        expect_one_map(r_);
        stage_atlas(*atlas, r_.atlas, files);
        atlas->title.clear();  // it is what stands above it
        shown += "\n" + terminal_atlas(*atlas, r_.atlas);
      } else {
        look::Map map = map_of(line, said);
        static_cast<PictureFiles&>(r_.map) = r_.atlas;
        stage_map(map, r_.map, files);
        map.title.clear();
        shown += "\n" + terminal_map(map, r_.map);
      }
    }
    files.commit();
    write_output(shown);
  }

  // More than a person could look at, and a map too large to draw.
  void check_length(std::string_view what, size_t pieces) const {
    const int64_t most = translator_.options().max_length;
    check(static_cast<int64_t>(pieces) <= most, kWho, "{} has {} pieces: expected {} or fewer", what, pieces,
          most);
  }

  Said translated(const std::string& line) const {
    const decode::Candidate best = translator_.translate(line).best();
    if (!best.ended)
      fmt::print(stderr, "[look] the translation has no end, and was cut after {} pieces\n", best.ids.size());
    return {best.text,
            source_labels(line),
            best.pieces,
            words_of_pieces(decode::words_of_ids(*model().target, best.ids), best.text, best.pieces),
            best.weights,
            best.ids};
  }

  std::vector<std::string> source_labels(const std::string& line) const {
    std::vector<std::string> labels = labels_of(*model().source, line);
    labels.emplace_back("<eos>");
    return labels;
  }
  look::Merge source_words(const std::string& line, const Said& said) const {
    return words_of_pieces(model().source->words_of(line), line, said.source_pieces);
  }

  // The user's own translation: the model reads it word by word, and looks as it would have to say it.
  Said taught(const std::string& line, const std::string& target) const {
    UnknownTokens unknown(*model().target, "target tokens");
    unknown.add(target);
    unknown.say(kWho);
    Said said;
    said.text = target;
    said.source_pieces = source_labels(line);
    said.pieces = labels_of(*model().target, target);
    said.pieces.emplace_back("<eos>");
    said.target_words = words_of_pieces(model().target->words_of(target), target, said.pieces);
    said.ids = model().target->encode(target);
    said.weights =
        decode::last_layer(scored(line, said.ids, decode::look_at_source()).looked, run::Site::kCross);
    return said;
  }

  // What the model sees while it reads these ids as its translation of a line.
  decode::Scored scored(const std::string& line, const std::vector<int32_t>& ids,
                        const run::LookAt& at) const {
    const decode::ScoreRequest request{.source = model().source->encode(line), .target = ids};
    decode::Scored result;
    decode::score_all(*model().decoder, {&request, 1}, 1, at,
                      [&](size_t, decode::Scored one) { result = std::move(one); });
    return result;
  }

  look::Map map_of(const std::string& line, const Said& said) const {
    look::Map map;
    map.rows = said.pieces;
    map.columns = said.source_pieces;
    map.weights = said.weights;
    map.row_name = "target";
    map.column_name = "source";
    map.title = fmt::format("{} → {}", line, said.text);
    if (model().decoder->info().hard) map.chosen = choices(map);
    return r_.words ? look::merged(map, said.target_words, source_words(line, said)) : map;
  }

  // Every layer and head of a model that has several, or what was chosen of one.
  std::optional<look::Atlas> atlas_of(const std::string& line, const Said& said) const {
    const look::Selection& s = r_.atlas.selection;
    const bool chosen =
        !s.attention.empty() || !s.layers.empty() || !s.heads.empty() || !s.token.empty() || r_.atlas.grid;
    const bool layered = model().decoder->info().encoder_layers > 0;
    if (!layered && !chosen) return {};
    look::Atlas atlas;
    if (!layered) {
      look::Map map = map_of(line, said);
      atlas.title = map.title;
      atlas.stacks.push_back(look::stack_of(map));
      return atlas;
    }
    atlas.title = fmt::format("{} → {}", line, said.text);
    // The decoder reads what was written before: <sos> first, and not the <eos> that it ends with.
    std::vector<std::string> read = {"<sos>"};
    read.insert(read.end(), said.pieces.begin(),
                said.pieces.begin() + static_cast<std::ptrdiff_t>(said.ids.size()));
    std::vector<std::string> written = said.pieces;
    written.resize(read.size(), "<eos>");
    const decode::Scored seen = scored(line, said.ids, {.encoder = true, .self = true, .cross = true});
    atlas.stacks.push_back(stack_of_layers("cross", written, said.source_pieces, seen.looked,
                                           run::Site::kCross, "target", "source"));
    atlas.stacks.push_back(stack_of_layers("encoder self", said.source_pieces, said.source_pieces,
                                           seen.encoder, run::Site::kEncoder, "source", "source"));
    atlas.stacks.push_back(
        stack_of_layers("decoder self", read, read, seen.looked, run::Site::kSelf, "target", "target"));
    if (r_.words) {
      look::Merge words = said.target_words, before{{0}, {"<sos>"}};
      const auto pieces = static_cast<size_t>(said.ids.size());
      if (words.into.size() == pieces) {  // it was cut before its <eos>
        words.into.push_back(static_cast<int>(words.labels.size()));
        words.labels.emplace_back("<eos>");
      }
      for (size_t i = 0; i < pieces; ++i) before.into.push_back(words.into[i] + 1);
      before.labels.insert(before.labels.end(), words.labels.begin(), words.labels.end() - 1);
      const look::Merge source = source_words(line, said);
      atlas.stacks[0] = look::merged(atlas.stacks[0], words, source);
      atlas.stacks[1] = look::merged(atlas.stacks[1], source, source);
      atlas.stacks[2] = look::merged(atlas.stacks[2], before, before);
    }
    return atlas;
  }

  // Hard attention reads one position: the only one with a weight.
  static std::vector<int> choices(const look::Map& map) {
    std::vector<int> chosen;
    const auto weights = map.weights.span<float>();
    for (auto row = weights.begin(); row != weights.end(); row += map.breadth()) {
      const auto most = std::max_element(row, row + map.breadth());
      chosen.push_back(*most > 0 ? static_cast<int>(most - row) : -1);
    }
    return chosen;
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
      "texts, for each word it read.",
      "fovea look");
  add_look_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  if (r.target) expect_usage(find_invalid_utf8(*r.target) == std::string_view::npos, "--target is not UTF-8");
  Sentences sentences(r.sentence, kWho);
  const run::Loaded any = run::load(r.model);
  if (auto decoder = std::dynamic_pointer_cast<const run::Decoder>(any.runner);
      decoder && decoder->info().reads_source) {
    Run(std::move(r), {std::move(decoder), any.source, any.target})(sentences);
    return 0;
  }
  expect_usage(!r.target, "--target is about models that translate");
  expect_one_map(r);
  for_each_sentence(r, sentences, [&](const std::string& line) {
    look::Atlas atlas = atlas_of_text(any, line, r.words);
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
