#include "fovea/run/table.h"

#include "fovea/base/error.h"
#include "fovea/models/table.h"
#include "fovea/run/bert.h"
#include "fovea/run/captioner.h"
#include "fovea/run/clip.h"
#include "fovea/run/cnn.h"
#include "fovea/run/glimpse.h"
#include "fovea/run/gpt.h"
#include "fovea/run/rnn.h"
#include "fovea/run/rowrnn.h"
#include "fovea/run/transformer.h"
#include "fovea/run/vit.h"

namespace fovea::run {
namespace {

template <typename Model, auto kOptionsFrom>
std::unique_ptr<Runner> make(const nlohmann::json& config, Weights& weights, Precision precision) {
  return std::make_unique<Model>(kOptionsFrom(config), weights, precision);
}

constexpr RunnerKind kTable[] = {
    {"rnn", make<Rnn, models::rnn_options_from>},
    {"transformer", make<Transformer, models::transformer_options_from>},
    {"gpt", make<Gpt, models::gpt_options_from>},
    {"bert", make<Bert, models::bert_options_from>},
    {"cnn", make<Cnn, models::cnn_options_from>},
    {"vit", make<Vit, models::vit_options_from>},
    {"rowrnn", make<RowRnn, models::rowrnn_options_from>},
    {"glimpse", make<Glimpse, models::glimpse_options_from>},
    {"captioner", make<Captioner, models::captioner_options_from>},
    {"clip", make<Clip, models::clip_options_from>},
};

}  // namespace

std::unique_ptr<Runner> make_runner(const nlohmann::json& config, Weights& weights, Precision precision) {
  const std::string_view name = models::model_kind_of(config).name;
  for (const RunnerKind& kind : kTable)
    if (kind.model == name) return kind.make(config, weights, precision);
  fail("model", "a {} cannot be run", name);
}

}  // namespace fovea::run
