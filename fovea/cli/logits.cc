// fovea logits: what a model computes from given ids, as numbers, for comparing with other programs.
#include <CLI/CLI.hpp>
#include <charconv>

#include "fovea/base/file.h"
#include "fovea/cli/options.h"
#include "fovea/cli/verbs.h"
#include "fovea/models/model_dir.h"
#include "fovea/tensor/npy.h"

namespace fovea::cli {
namespace {

// "1,2,3" as i32 [1, n].
Tensor ids_of(const std::string& text, const char* flag) {
  std::vector<int32_t> ids;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    int32_t id = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
    expect_usage(error == std::errc() && stop == text.data() + end && id >= 0,
                 "{}: '{}' is no list of ids such as 1,2,3", flag, text);
    ids.push_back(id);
    at = end + 1;
  }
  return Tensor::of<int32_t>({1, static_cast<int64_t>(ids.size())}, ids);
}

void check_ids(const Tensor& ids, int64_t vocab) {
  for (const int32_t id : ids.span<int32_t>())
    check(id < vocab, "logits", "id {}: this model has ids 0 to {}", id, vocab - 1);
}

data::SourceBatch source_of(const Tensor& ids) {
  return {ids, Tensor::full({1}, static_cast<double>(ids.dim(1)), DType::kI32)};
}

Tensor compute(models::Net& net, const Tensor& ids, const Tensor& source) {
  if (auto* text = dynamic_cast<models::LanguageModel*>(&net)) {
    check_ids(ids, text->vocab());
    const Tensor all = text->logits(ids);
    return all.reshape({all.dim(1), all.dim(2)});
  }
  if (auto* encoder = dynamic_cast<models::Encoder*>(&net)) {
    check_ids(ids, encoder->vocab());
    return encoder->head() == models::Encoder::Head::kNone ? encoder->states(source_of(ids))
                                                           : encoder->logits(source_of(ids));
  }
  auto& seq2seq = dynamic_cast<models::Seq2Seq&>(net);
  expect_usage(source.defined(),
               "this model turns one sequence into another: give its source by --source-ids");
  check_ids(source, seq2seq.source_vocab());
  check_ids(ids, seq2seq.target_vocab());
  const auto decoding = seq2seq.decode(source_of(source), 1);
  Tensor all = Tensor::empty({ids.dim(1), seq2seq.target_vocab()});
  for (int64_t t = 0; t < ids.dim(1); ++t) {
    const Tensor row = decoding->step(Tensor::full({1, 1}, ids.data<int32_t>()[t], DType::kI32));
    std::copy_n(row.data<float>(), row.size(), all.data<float>() + t * row.size());
  }
  return all;
}

}  // namespace

int logits(int argc, char** argv) {
  std::string model, ids, source, out;
  CLI::App app(
      "Writes what a model computes from ids: logits [T, V] of the word after each (of labels, for a model "
      "that "
      "classifies), or the last states [T, E] of a model without a head.",
      "fovea logits");
  app.add_option("-m,--model", model, "directory of the model")->required()->type_name("DIR");
  app.add_option("--ids", ids,
                 "what it reads: 1,2,3; of a model that translates, the target with its first mark")
      ->required()
      ->type_name("IDS");
  app.add_option("--source-ids", source, "the source, with its end mark, of a model that translates")
      ->type_name("IDS");
  app.add_option("--out", out, "array to write")->required()->type_name("FILE.npy");
  add_threads(app);
  app.footer(
      "Example:\n"
      "  fovea logits -m gpt2 --ids 464,3290 --out logits.npy\n"
      "  fovea logits -m opus-mt-en-de --source-ids 31,7,0 --ids 58100,12 --out logits.npy");
  if (!parse(app, argc, argv)) return 0;
  const Tensor read = ids_of(ids, "--ids"), from = source.empty() ? Tensor() : ids_of(source, "--source-ids");
  const std::shared_ptr<models::Net> net = models::load_net(model);
  write_npy(out, compute(*net, read, from));
  return 0;
}

}  // namespace fovea::cli
