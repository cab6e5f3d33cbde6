#include "fovea/cli/score_text.h"

#include <cmath>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/cli/output.h"
#include "fovea/data/text_file.h"
#include "fovea/kernels/softmax.h"

namespace fovea::cli {

void score_texts(const models::TextModel& model, const std::string& path, bool words) {
  data::TextFile input(path, "score");
  const int64_t V = model.net->vocab(), most = model.net->longest();
  std::vector<float> row(static_cast<size_t>(V));
  for (std::string line; input.next(line);) {
    const std::vector<int32_t> ids = model.source->with_specials(model.source->encode(line));
    const auto length = static_cast<int64_t>(ids.size());
    check(most == 0 || length <= most, "score", "line {} has {} tokens, and this model reads {}: shorten it",
          grouped(input.lines()), grouped(length), grouped(most));
    std::vector<float> scores;
    double sum = 0;
    if (length > 1) {
      const Tensor logits = model.net->logits(Tensor::of<int32_t>({1, length}, ids));
      for (int64_t t = 0; t + 1 < length; ++t) {
        kernels::log_softmax_rows(logits.data<float>() + t * V, row.data(), 1, V);
        scores.push_back(row[static_cast<size_t>(ids[static_cast<size_t>(t) + 1])]);
        sum += static_cast<double>(scores.back());
      }
    }
    check(std::isfinite(sum), "score",
          "line {} has no log-probability that is finite: the model's training went wrong, or its files are "
          "damaged",
          grouped(input.lines()));
    std::string text = fmt::format("{:.6f}\t{}", sum, scores.size());
    if (words) {
      std::vector<std::string> pieces;
      for (size_t i = 1; i < ids.size(); ++i) pieces.push_back(model.source->piece(ids[i]));
      text += fmt::format("\t{}\t{:.4f}", fmt::join(pieces, " "), fmt::join(scores, " "));
    }
    write_output(text + "\n");
    flush_output();
  }
}

}  // namespace fovea::cli
