#include "fovea/decode/choices.h"

#include <algorithm>

namespace fovea::decode {
namespace {

void sort_once_each(std::vector<int32_t>& ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

}  // namespace

Choices::Choices(const run::DecoderInfo& info, const Options& options)
    : min_tokens_(options.min_tokens), never_ends_(options.ignore_end), ends_(info.ends) {
  const auto vocab = static_cast<int32_t>(info.vocab),
             usable = options.usable_ids > 0 ? static_cast<int32_t>(std::min(options.usable_ids, info.vocab))
                                             : vocab;
  ends_.insert(ends_.end(), options.ends.begin(), options.ends.end());
  // A config may name ids that the model has not.
  std::erase_if(ends_, [&](int32_t id) { return id < 0 || id >= usable; });
  sort_once_each(ends_);

  const auto hide = [&](int32_t id) {
    if (id >= 0 && id < usable && !ends(id)) hidden_.push_back(id);
  };
  if (info.reads_source) {
    hide(info.ids.pad);
    hide(info.ids.sos);
    if (!options.allow_unk) hide(info.ids.unk);
  }
  for (int32_t id = usable; id < vocab; ++id) hidden_.push_back(id);
  sort_once_each(hidden_);
  hidden_with_ends_ = hidden_;
  hidden_with_ends_.insert(hidden_with_ends_.end(), ends_.begin(), ends_.end());
  sort_once_each(hidden_with_ends_);
}

bool Choices::ends(int32_t token) const { return std::binary_search(ends_.begin(), ends_.end(), token); }

}  // namespace fovea::decode
