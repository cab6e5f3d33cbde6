// fovea embed: one vector a line, or one a picture.

#include <nlohmann/json.hpp>

#include "fovea/base/file.h"
#include "fovea/cli/classify_pictures.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/reading_options.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/cli/work_meter.h"
#include "fovea/data/text_file.h"
#include "fovea/decode/embed.h"
#include "fovea/decode/embed_pictures.h"
#include "fovea/run/load.h"
#include "fovea/tensor/npy.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "embed";

struct Request : ReadingOptions {
  std::string out;
  std::vector<std::string> pictures;
};

// {KEY: LINE, "embedding": [...]}
void write_lines(const char* key, std::span<const std::string> lines, const Tensor& vectors) {
  const int64_t width = vectors.dim(1);
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::span<const float> row(vectors.data<float>() + static_cast<int64_t>(i) * width,
                                     static_cast<size_t>(width));
    write_output(fmt::format("{{\"{}\":{},\"embedding\":[{}]}}\n", key, nlohmann::json(lines[i]).dump(),
                             fmt::join(row, ",")));
  }
}

// Vectors one below the other.
void write_array(const std::string& path, const std::vector<Tensor>& parts, int64_t rows, int64_t width) {
  Tensor all = Tensor::empty({rows, width});
  float* to = all.data<float>();
  for (const Tensor& part : parts) to = std::copy_n(part.data<float>(), part.size(), to);
  write_npy(path, all);
}

void embed_pictures(const Request& r, const run::PictureEncoder& model) {
  std::vector<Tensor> parts;
  const std::vector<std::string> files = picture_files(r.pictures, kWho);
  for_each_pictures(files, kWho, [&](auto names, auto pictures) {
    const Tensor vectors = decode::embed_pictures(model, pictures);
    if (r.out.empty()) {
      write_lines("file", names, vectors);
      flush_output();
    } else {
      parts.push_back(vectors);
    }
  });
  if (!r.out.empty()) write_array(r.out, parts, static_cast<int64_t>(files.size()), model.info().width);
}

}  // namespace

int embed(int argc, char** argv) {
  Request r;
  Arguments app(
      "Makes one vector of each line: sentences that mean the same have vectors that point the same way. Or "
      "one of "
      "each picture; those of a CLIP can be compared with those of lines.",
      "fovea embed");
  add_reading_options(app, r);
  app.add_option("-o,--out", r.out,
                 "array [lines, width] to write; without it, a JSON object a line goes to standard output")
      ->type_name("FILE.npy");
  app.add_option("--pictures", r.pictures, "pictures, or directories of them, in place of lines")
      ->type_name("FILE");
  app.footer(
      "Example:\n"
      "  fovea embed -m all-MiniLM-L6-v2 --out vectors.npy < sentences.txt\n"
      "  echo \"A dog runs.\" | fovea embed -m all-MiniLM-L6-v2\n"
      "  fovea embed -m clip-vit-base-patch32 --pictures photos/ --out photos.npy");
  if (!parse(app, argc, argv)) return 0;
  expect_usage(r.out.empty() || r.out.ends_with(".npy"), "--out {}: expected a name that ends in .npy",
               r.out);
  const run::Loaded loaded = run::load(r.model);
  const std::shared_ptr<const run::PictureEncoder> looks = run::as_picture_encoder(loaded.runner);
  if (!r.pictures.empty()) {
    expect_usage(looks != nullptr, "--pictures: {} looks at no pictures; it {}", r.model, loaded.what);
    embed_pictures(r, *looks);
    return 0;
  }
  expect_usage(looks == nullptr || loaded.source, "{} looks at pictures: give them by --pictures a.png",
               r.model);
  const run::LoadedEncoder model = run::as_encoder(loaded, r.model);
  data::TextFile input(r.input, kWho);
  WorkMeter meter(kWho);
  r.read.on_batch = [&](int64_t read, int64_t tokens) { meter.add(read, tokens); };
  UnknownTokens unknown(*model.tokenizer);
  std::vector<Tensor> parts;
  constexpr size_t kAtOnce = 4096;
  std::vector<std::string> lines;
  int64_t first = 0;
  while (input.next_lines(lines, kAtOnce)) {
    r.read.first_line = first;
    const Tensor vectors = decode::embed_lines(model, lines, r.read);
    first += static_cast<int64_t>(lines.size());
    for (const std::string& line : lines) unknown.add(line);
    if (r.out.empty()) {
      write_lines("text", lines, vectors);
      flush_output();
    } else {
      parts.push_back(vectors);
    }
  }
  meter.clear();
  if (!r.out.empty()) write_array(r.out, parts, first, model.encoder->info().width);
  flush_output();
  unknown.say(kWho);
  if (r.stats) fmt::print(stderr, "[embed] {}\n", meter.summary());
  return 0;
}

}  // namespace fovea::cli
