#include <array>

#include "fovea/decode/generate.h"
#include "fovea/decode/method.h"

namespace fovea::decode {
namespace {

// Continuations of one text as prefixes of a search.
class Continued final : public models::Decoding {
 public:
  Continued(models::LanguageModel& model, std::span<const int32_t> prompt)
      : continuation_(model.begin(1)),
        prompt_(Tensor::of<int32_t>({1, static_cast<int64_t>(prompt.size())}, prompt)) {}

  int64_t sentences() const override { return 1; }
  int64_t beams() const override { return beams_; }
  // The first step reads the prompt, whatever word it is given.
  Tensor step(const Tensor& words, Tensor*) override {
    const Tensor logits =
        continuation_->read(continuation_->length() == 0 ? prompt_ : words.reshape({beams_, 1}));
    return logits.reshape({1, beams_, logits.dim(1)});
  }
  void reorder(const Tensor& parents) override {
    continuation_->choose(parents.reshape({parents.size()}));
    beams_ = parents.dim(1);
  }
  void keep(const Tensor&) override {}

 private:
  std::unique_ptr<models::Continuation> continuation_;
  Tensor prompt_;
  int64_t beams_ = 1;
};

}  // namespace

NBest continue_best(models::LanguageModel& model, std::span<const int32_t> prompt,
                    const data::SpecialIds& ids, const SearchOptions& options) {
  check_options(options, "generate");
  check(!prompt.empty(), "generate", "there is nothing to continue");
  check(options.max_words > 0, "generate", "a search needs a limit of words");
  const auto length = static_cast<int64_t>(prompt.size());
  const data::SourceBatch batch{Tensor::of<int32_t>({1, length}, prompt),
                                Tensor::full({1}, static_cast<double>(length), DType::kI32)};
  const std::array<int64_t, 1> lines = {0};
  const Sources sources{batch, lines, 0, ids};
  return std::move(beam(std::make_unique<Continued>(model, prompt), sources, options).front());
}

}  // namespace fovea::decode
