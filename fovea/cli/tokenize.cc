// fovea tokenize: lines as a model reads them.
#include <fmt/ranges.h>

#include <charconv>

#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/data/blanks.h"
#include "fovea/data/hf_tokenizer.h"
#include "fovea/data/text_file.h"
#include "fovea/models/model_dir.h"

namespace fovea::cli {
namespace {

struct Request {
  std::string model, input = "-", side = "source";
  bool ids = false, no_specials = false, decode = false;
};

void add_options(Arguments& app, Request& r) {
  app.take_last();
  app.add_option("-m,--model", r.model, "directory of a model, or one with tokenizer files of Hugging Face's")
      ->required()
      ->type_name("DIR");
  app.add_option("-i,--input", r.input, "lines, plain or gzip")->capture_default_str()->type_name("FILE");
  app.add_option("--side", r.side, "which tokenizer, where a model has two")
      ->capture_default_str()
      ->one_of({"source", "target"})
      ->type_name("source|target");
  auto* ids = app.add_flag("--ids", r.ids, "ids, with the special ones that the model reads around a line");
  app.add_flag("--no-specials", r.no_specials, "ids of the line alone")->needs(ids);
  app.add_flag("--decode", r.decode, "the other way: lines of ids in, text out")->excludes(ids);
  app.footer(
      "\nA line for each line: its tokens, or their ids, separated by blanks.\n"
      "\nExample:\n"
      "  fovea tokenize -m bert-base-uncased --ids < test.en > test.ids\n"
      "  echo 'I am a student .' | fovea tokenize -m en-ko\n"
      "  fovea tokenize -m bert-base-uncased --decode < test.ids");
}

std::vector<int32_t> parse_ids(std::string_view line, int64_t number) {
  std::vector<int32_t> ids;
  data::for_each_word(line, [&](std::string_view word) {
    int32_t id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || end != word.data() + word.size())
      fail("tokenize", "line {}: {} is no id: --decode expects numbers with blanks between them",
           grouped(number), quote(word));
    ids.push_back(id);
  });
  return ids;
}

std::string answer(const Request& r, const data::Tokenizer& tokenizer, std::string_view line,
                   int64_t number) {
  if (r.decode) return tokenizer.decode(parse_ids(line, number));
  if (!r.ids) return fmt::format("{}", fmt::join(tokenizer.pieces(line), " "));
  const std::vector<int32_t> ids = tokenizer.encode(line);
  return fmt::format("{}", fmt::join(r.no_specials ? ids : tokenizer.with_specials(ids), " "));
}

}  // namespace

int tokenize(int argc, char** argv) {
  Request r;
  Arguments app("Shows lines as a model reads them: tokens, or ids.", "fovea tokenize");
  add_options(app, r);
  if (!parse(app, argc, argv)) return 0;
  const data::TokenizerPair both =
      data::has_hf_tokenizer(r.model) ? data::read_hf_tokenizer(r.model) : models::load_tokenizers(r.model);
  const data::Tokenizer& tokenizer = r.side == "target" ? *both.target : *both.source;
  data::TextFile text(r.input, "tokenize");
  for (std::string line; text.next(line);) {
    write_output(answer(r, tokenizer, line, text.lines()) + '\n');
    if (!text.ready()) flush_output();
  }
  flush_output();
  return 0;
}

}  // namespace fovea::cli
