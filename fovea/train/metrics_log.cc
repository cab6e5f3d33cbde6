#include "fovea/train/metrics_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/base/json.h"

namespace fovea::train {
namespace {

// How many bytes of the text are lines that the state knows of. A run may have been stopped between an update and its validation.
size_t bytes_known(std::string_view text, const RunState* state) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return begin;
    const std::optional<nlohmann::json> line = parse_json_line(text.substr(begin, end - begin));
    if (line && line->contains("update") && line->at("update").is_number()) {
      const bool validation = line->value("kind", nlohmann::json()) == "valid";
      if (state == nullptr || line->at("update") > (validation ? state->validated : state->update))
        return begin;
    }
    begin = end + 1;
  }
  return text.size();
}

}  // namespace

MetricsLog::MetricsLog(std::string path, const RunState* resumed)
    : path_(std::move(path)), file_(path_, O_RDWR | O_CREAT | O_APPEND, "metrics") {
  struct stat info {};
  check(::fstat(file_.fd(), &info) == 0 && S_ISREG(info.st_mode), "metrics", "{}: expected a plain file",
        path_);
  const size_t kept = bytes_known(MappedFile(path_, "metrics").text(), resumed);
  if (::ftruncate(file_.fd(), static_cast<off_t>(kept)) != 0) fail_on("metrics", path_, errno);
}

void MetricsLog::append(const nlohmann::ordered_json& line) { file_.write(line.dump() + "\n"); }

void MetricsLog::displayed(const RunState& state, const Updated& last) {
  append({{"kind", "train"},
          {"update", state.update},
          {"epoch", state.epoch()},
          {"sentences", state.sentences},
          {"tokens", state.tokens},
          {"cost", state.shown.cost()},
          {"seconds", state.shown.seconds},
          {"words_per_second", state.shown.words_per_second()},
          {"gradient_norm", last.gradient_norm},
          {"learn_rate", last.learning_rate},
          {"minutes", state.seconds / 60},
          {"skipped", state.skipped}});
}

void MetricsLog::validated(const RunState& state, const Validation& validation) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::object();
  for (const Measured& measured : validation.values) metrics[measured.metric] = measured.value;
  append({{"kind", "valid"},
          {"update", state.update},
          {"epoch", state.epoch()},
          {"minutes", state.seconds / 60},
          {"metrics", metrics},
          {"best", validation.best},
          {"stalled", validation.stalled},
          {"seconds", validation.seconds}});
}

void MetricsLog::saving(const RunState&) { file_.sync(); }

}  // namespace fovea::train
