// fovea generate: continues a text.
#include "fovea/decode/generate.h"

#include <unistd.h>

#include <utility>

#include "fovea/base/grouped.h"
#include "fovea/cli/atlas_output.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/stop_signal.h"
#include "fovea/cli/unknown_tokens.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/text_file.h"
#include "fovea/library/attention_maps.h"
#include "fovea/run/load.h"

namespace fovea::cli {
namespace {

struct Request {
  std::string model, prompt, file, cache = "f32";
  bool no_prompt = false, stats = false, look = false, window = false, n_best = false;
  decode::Options options;
  AtlasOutputs atlas;
};

void add_options(Arguments& app, Request& r) {
  decode::Sampling& s = r.options.sampling;
  // As transformers searches.
  r.options.normalize = 1;
  r.options.ended_places = decode::EndedPlaces::kTaken;
  s.temperature = 0.8f;
  s.top_p = 0.95f;
  app.take_last();
  app.add_option("-m,--model", r.model, "directory of the model, or of its training run")
      ->required()
      ->type_name("DIR");
  auto* prompt = app.add_option("-p,--prompt", r.prompt, "text to continue; without it, a new text begins")
                     ->type_name("TEXT");
  app.add_option("-f,--file", r.file, "file with the text to continue; - is standard input")
      ->excludes(prompt)
      ->type_name("FILE");
  app.add_option("-n,--n-predict", r.options.max_tokens,
                 "tokens to write at the most; without it 128, or as many as the model can read")
      ->range(int64_t{1}, int64_t{1} << 30)
      ->type_name("N");
  app.add_option("-b,--beam-size", r.options.beam_size,
                 "beam size: search for the most probable text with N hypotheses, instead of sampling")
      ->capture_default_str()
      ->range(1, 10'000)
      ->type_name("N");
  app.add_flag("--n-best", r.n_best,
               "all that the beam found, best first: TEXT ||| LOG_PROB ||| SCORE, line ends written as \\n");
  app.add_option("--normalize", r.options.normalize, "score = log-probability / length^A; 0: the sum itself")
      ->needs("--beam-size")
      ->capture_default_str()
      ->range(0.0f, 100.0f)
      ->type_name("A");
  app.add_option("--temp", s.temperature, "temperature; 0: the most probable token each time")
      ->capture_default_str()
      ->range(0.0f, 1000.0f)
      ->type_name("T");
  app.add_option("--top-k", s.top_k, "draw from the K most probable tokens; 0: from all")
      ->capture_default_str()
      ->range(int64_t{0}, int64_t{1} << 30)
      ->type_name("K");
  app.add_option("--top-p", s.top_p, "draw from the fewest tokens whose probabilities add up to P")
      ->capture_default_str()
      ->range(0.0f, 1.0f)
      ->type_name("P");
  app.add_option("--min-p", s.min_p, "draw from tokens at least P times as probable as the most probable one")
      ->capture_default_str()
      ->range(0.0f, 1.0f)
      ->type_name("P");
  app.add_option("--repeat-penalty", r.options.repetition_penalty,
                 "above 1: tokens that are there already become less probable")
      ->capture_default_str()
      ->type_name("X");
  app.add_option("--stop", r.options.stop, "end before this text; may be given several times")
      ->take_all()
      ->expected(1)
      ->type_name("TEXT");
  app.add_flag("--ignore-eos", r.options.ignore_end, "go on where the model would end the text");
  app.add_option("-s,--seed", s.seed, "seed for sampling: the same seed writes the same text")
      ->capture_default_str()
      ->type_name("S");
  app.add_flag("--window", r.window, "read the newest part of a text that is longer than the model can read");
  app.add_flag("--no-display-prompt", r.no_prompt, "write what is new only");
  app.add_flag("--look", r.look, "show which tokens each new token looked at, in every layer and head");
  add_atlas_options(app, r.atlas);
  app.add_flag("--stats", r.stats, "say how fast it was");
  app.add_option("--cache", r.cache,
                 "keep keys and values in f32, or in f16: half the memory, and faster after a long text")
      ->capture_default_str()
      ->one_of({"f32", "f16"})
      ->type_name("TYPE");
  add_threads(app);
  app.footer(
      "\nExample:\n"
      "  fovea generate -m shakespeare --prompt \"ROMEO:\" -n 200 --temp 0.8 --seed 7 --window\n"
      "  fovea generate -m gpt2 --prompt \"The capital of France is\" -n 20 --temp 0\n"
      "  fovea generate -m gpt2 --prompt \"The capital of France is\" -n 20 --beam-size 5\n"
      "  fovea generate -m gpt2 --prompt \"The capital of France is\" -n 5 --look --html looks.html");
}

// A line of an n-best list.
std::string n_best_line(const decode::Generated& one) {
  std::string text;
  for (const char c : one.text) text += c == '\n' ? "\\n" : std::string(1, c);
  return fmt::format("{} ||| {:.6g} ||| {:.6g}\n", text, one.log_prob, one.score);
}

std::string text_of(const Request& r) {
  if (r.file.empty()) return r.prompt;
  constexpr size_t kMost = size_t{1} << 24;
  data::TextFile file(r.file, "generate");
  std::string text;
  for (std::string line; file.next(line);) {
    if (file.lines() > 1) text += '\n';
    text += line;
    check(text.size() <= kMost, "generate", "{}: a prompt of more than {} bytes", r.file, kMost);
  }
  return text;
}

}  // namespace

int generate(int argc, char** argv) {
  Request r;
  Arguments app("Continues a text, and writes it token by token.", "fovea generate");
  add_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  const bool beam = r.options.beam_size > 1, looks = r.look || r.atlas.files();
  for (const char* flag : {"--temp", "--top-k", "--top-p", "--min-p", "--seed"})
    expect_usage(!beam || app.count(flag) == 0, "{} is about drawing: a beam draws nothing", flag);
  expect_usage(!beam || !r.window, "--window and --beam-size: a window moves with one hypothesis");
  expect_usage(beam || !r.n_best, "--n-best is about a beam: give --beam-size, too");
  r.options.sample = !beam && r.options.sampling.temperature != 0;
  if (r.n_best) r.options.n_best = r.options.beam_size;
  if (looks) r.options.look = {.self = true};
  if (r.cache == "f16") r.options.session.cache = run::CacheType::kF16;
  r.options.full = r.window               ? decode::Full::kWindow
                   : app.count("-n") == 0 ? decode::Full::kEnd
                                          : decode::Full::kError;
  if (app.count("-n") == 0) r.options.max_tokens = 128;
  for (const char* flag : {"--attention", "--layers", "--heads", "--token", "--grid", "--same-scale"})
    expect_usage(looks || app.count(flag) == 0, "{} is about looking: give --look, too", flag);
  expect_usage(!looks || !r.window,
               "--look and --window: what has left the window cannot be looked at; give one of them");
  const std::string prompt = text_of(r);
  const decode::Generator generator(run::load_language_model(r.model), r.options);
  catch_stop_signals("");
  const std::vector<int32_t> ids =
      generator.prompt_ids(prompt);  // what is wrong with it is said before anything is written
  UnknownTokens unknown(*generator.model().source, "prompt tokens");
  unknown.add(prompt);
  unknown.say("generate");
  if (r.n_best) {
    for (const decode::Generated& one : generator.best(ids, {.stop = stop_signalled}))
      write_output(n_best_line(one));
    flush_output();
    return 0;
  }
  const bool watched = ::isatty(STDERR_FILENO) == 1;
  if (!watched && !r.no_prompt) write_output(prompt);
  flush_output();
  bool reading =
      watched;  // the prompt is written when it is read: until then there is a line that says how far it is
  const auto begin_text = [&] {
    if (!std::exchange(reading, false)) return;
    fmt::print(stderr, "\r\033[K");
    if (!r.no_prompt) write_output(prompt);
    flush_output();
  };
  decode::Generated made;
  try {
    const auto write = [&](std::string_view text) {
      begin_text();
      if (!text.empty()) {
        write_output(text);
        flush_output();
      }
      return true;
    };
    const auto read = [&](int64_t tokens, int64_t of) {
      if (reading && tokens < of)
        fmt::print(stderr, "\r\033[K[generate] reading the prompt: {} of {} tokens", grouped(tokens),
                   grouped(of));
    };
    made = generator(ids, {.text = write, .on_prefill = read, .stop = stop_signalled});
    begin_text();
  } catch (const Error&) {
    begin_text();
    write_output("\n");  // the message stands by itself
    flush_output();
    throw;
  }
  write_output("\n");
  if (looks && !made.ids.empty()) {
    look::Atlas atlas = library::atlas_of_generated(generator.model(), made, prompt);
    PendingFiles files;
    stage_atlas(atlas, r.atlas, files);
    atlas.title.clear();
    const std::string shown = r.look ? "\n" + terminal_atlas(atlas, r.atlas) : "";
    files.commit();
    write_output(shown);
  }
  flush_output();
  if (r.stats)
    fmt::print(stderr, "[generate] read {} tokens in {:.3f} s; wrote {} in {:.3f} s, {:.1f} tokens/s\n",
               made.prompt.size(), made.read_seconds, made.ids.size(), made.write_seconds,
               static_cast<double>(made.ids.size()) / std::max(made.write_seconds, 1e-9));
  return 0;
}

}  // namespace fovea::cli
