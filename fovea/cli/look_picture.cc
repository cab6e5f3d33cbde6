#include "fovea/cli/look_picture.h"

#include "fovea/base/error.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/picture_map_output.h"
#include "fovea/cli/terminal.h"
#include "fovea/data/pictures/read.h"
#include "fovea/decode/caption.h"
#include "fovea/library/picture_maps.h"

namespace fovea::cli {
namespace {

look::PictureMap looked_at(const run::Loaded& model, const LookRequest& r, const data::Picture& picture) {
  if (const auto* labels = dynamic_cast<const run::PictureEncoder*>(model.runner.get())) {
    expect_usage(!r.words, "--words is about models that write");
    check(labels->info().layers > 0, "look", "{} {}: it has no attention to look at", r.model, model.what);
    return library::map_of_patches(*labels, picture, "");
  }
  const auto decoder = std::dynamic_pointer_cast<const run::Decoder>(model.runner);
  decode::CaptionOptions options;
  options.search.beam_size = r.beam_size;
  options.search.look = decode::look_at_source();
  const run::LoadedDecoder captioner{decoder, model.source, model.target};
  const auto said = decode::caption_pictures(captioner, {&picture, 1}, options);
  return library::map_of_caption(captioner, picture, said.front().front(), "", r.words);
}

void show_path(const run::PictureEncoder& model, const LookRequest& r) {
  expect_usage(!r.words && !r.rollout && !r.atlas.chooses(),
               "an eye that moves has one path: leave out what chooses among attentions");
  const std::string& file = r.sentence.front();
  const look::GlimpsePath path =
      library::path_over(model, data::read_picture(file, data::Alpha::kOnWhite, "look"), file);
  PendingFiles files;
  stage_pictures(r.atlas,
                 {.svg = [&] { return look::to_svg(path); },
                  .html = [&] { return look::to_html(path); },
                  .json = [&] { return look::to_json(path); }},
                 files);
  const std::string shown =
      look::to_terminal(path, {.color = terminal_color(), .max_width = terminal_width()});
  files.commit();
  write_output(shown);
}

}  // namespace

bool reads_pictures(const run::Runner& model) {
  const auto* decoder = dynamic_cast<const run::Decoder*>(&model);
  return dynamic_cast<const run::PictureEncoder*>(&model) || (decoder && decoder->info().reads_pictures);
}

void look_at_picture(const run::Loaded& model, const LookRequest& r) {
  expect_usage(!r.target, "--target is about models that translate");
  expect_usage(r.map.head == look::kEveryHead, "--head is about text: choose with --layers and --heads");
  expect_usage(!r.atlas.grid && !r.atlas.shared_scale, "--grid and --same-scale are about text");
  if (const auto* eye = dynamic_cast<const run::PictureEncoder*>(model.runner.get());
      eye && eye->info().glimpses > 0)
    return show_path(*eye, r);
  const std::string& file = r.sentence.front();
  look::PictureMap held = looked_at(model, r, data::read_picture(file, data::Alpha::kOnWhite, "look"));
  const std::string said = held.atlas.title;
  held.atlas.title = fmt::format("{} → {}", file, said);
  look::Selection selection = r.atlas.selection;
  const bool patches = held.atlas.stacks.size() > 1;
  expect_usage(!r.rollout || patches, "--rollout is about Transformers over patches");
  if (r.rollout) selection.attention = "rollout";
  held.atlas = look::selected(std::move(held.atlas), selection);
  look::PictureMap drawn = held;
  if (patches && selection.attention.empty())
    drawn.atlas = look::selected(std::move(drawn.atlas), {.attention = "class token"});
  PendingFiles files;
  stage_picture_maps({&drawn, 1}, {&held, 1}, r.atlas, files);
  const std::string shown = terminal_text(said) + "\n" + terminal_picture_map(std::move(drawn));
  files.commit();
  write_output(shown);
}

}  // namespace fovea::cli
