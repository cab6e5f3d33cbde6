#include "fovea/decode/caption.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/decode/search.h"

namespace fovea::decode {

std::optional<std::vector<std::vector<Candidate>>> caption_pictures(const run::LoadedDecoder& model,
                                                                    const Tensor& pictures,
                                                                    CaptionOptions options,
                                                                    const std::function<bool()>& stop) {
  const run::DecoderInfo& info = model.decoder->info();
  check(info.reads_pictures, "caption", "this model reads text, not pictures");
  data::check_prepared(pictures, info.input, "caption");
  options.search.tokenizer = model.target.get();
  options.search.usable_ids = std::min(model.target->size(), info.vocab);
  std::vector<Request> requests;
  for (int64_t i = 0; i < pictures.dim(0); ++i)
    requests.push_back({.line = i, .picture = pictures.slice(i, i + 1)});
  std::vector<std::vector<Candidate>> all(requests.size());
  const auto found = [&](size_t i, NBest n_best) {
    for (Hypothesis& one : n_best) all[i].push_back(candidate_of(model, options.search, std::move(one)));
  };
  if (!search(*model.decoder, requests, options.search, options.batch, {.found = found, .stop = stop}))
    return {};
  return all;
}

std::vector<std::vector<Candidate>> caption_pictures(const run::LoadedDecoder& model,
                                                     std::span<const data::Picture> pictures,
                                                     const CaptionOptions& options) {
  if (pictures.empty()) return {};
  const run::DecoderInfo& info = model.decoder->info();
  check(info.reads_pictures, "caption", "this model reads text, not pictures");
  return *caption_pictures(model, data::prepared(pictures, info.input), options);
}

}  // namespace fovea::decode
