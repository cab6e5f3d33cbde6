#include "fovea/decode/logits.h"

#include "fovea/base/error.h"
#include "fovea/run/matcher.h"
#include "fovea/run/session.h"

namespace fovea::decode {
namespace {

void check_ids(std::span<const int32_t> ids, int64_t vocab) {
  for (const int32_t id : ids)
    check(id >= 0 && id < vocab, "logits", "id {}: this model has ids 0 to {}", id, vocab - 1);
}

}  // namespace

Tensor logits_of(const run::Runner& runner, std::span<const int32_t> ids, std::span<const int32_t> source) {
  check(!ids.empty(), "logits", "there are no ids to read");
  const auto* decoder = dynamic_cast<const run::Decoder*>(&runner);
  const bool reads_source = decoder && decoder->info().reads_source;
  check(reads_source || source.empty(), "logits", "this model reads no source: leave out the source's ids");
  if (!decoder) {
    const auto* matcher = dynamic_cast<const run::Matcher*>(&runner);
    const auto* encoder = matcher ? &matcher->texts() : dynamic_cast<const run::Encoder*>(&runner);
    check(encoder != nullptr, "logits", "this model reads no text");
    check_ids(ids, encoder->info().vocab);
    const run::Text text{ids};
    return encoder->info().head == run::Head::kNone ? encoder->states({&text, 1})
                                                    : encoder->logits({&text, 1});
  }
  const run::DecoderInfo& info = decoder->info();
  check_ids(ids, info.vocab);
  std::vector<int32_t> read(source.begin(), source.end());
  if (reads_source) {
    check(!source.empty(), "logits",
          "this model turns one sequence into another: give its source's ids, too");
    check_ids(source, info.source_vocab);
    const int32_t eos = info.source_eos >= 0 ? info.source_eos : info.ids.eos;
    check(source.back() == eos, "logits", "the source ends with {}, its end-of-sequence token: add it", eos);
    read.pop_back();  // the session adds it
  }
  run::Session session(*decoder);
  const run::Feed feed{session.join({&read, 1}).front(), ids, run::Feed::kAll};
  return session.advance({&feed, 1});
}

Tensor logits_of_pictures(const run::PictureEncoder& model, const Tensor& pictures) {
  return model.info().labels.empty() ? model.states(pictures) : model.logits(pictures);
}

}  // namespace fovea::decode
