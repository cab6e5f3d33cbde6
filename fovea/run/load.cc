#include "fovea/run/load.h"

#include <fmt/ranges.h>

#include <future>

#include "fovea/base/error.h"
#include "fovea/run/table.h"

namespace fovea::run {
namespace {

struct Use {
  const char* what;
  std::vector<std::string_view> can;
};
Use use_of(const Runner& runner) {
  if (const auto* decoder = dynamic_cast<const Decoder*>(&runner)) {
    const DecoderInfo& info = decoder->info();
    Use use = info.reads_pictures ? Use{"looks at pictures, and says what it sees", {"caption"}}
              : info.reads_source ? Use{"turns one sequence into another", {"translate", "score"}}
                                  : Use{"continues texts", {"generate", "score"}};
    if (info.layers > 0) use.can.push_back("look");
    return use;
  }
  if (dynamic_cast<const Matcher*>(&runner))
    return {"reads texts, looks at pictures, and says how well they match", {"embed", "match", "look"}};
  if (const auto* pictures = dynamic_cast<const PictureEncoder*>(&runner)) {
    Use use{"looks at pictures", {"embed"}};
    if (!pictures->info().labels.empty()) use = {"looks at pictures, and labels them", {"classify", "embed"}};
    if (pictures->info().layers > 0 || pictures->info().glimpses > 0) use.can.push_back("look");
    return use;
  }
  switch (dynamic_cast<const Encoder&>(runner).info().head) {
    case Head::kTokens:
      return {"reads texts, and knows masked tokens", {"fill", "embed", "look"}};
    case Head::kLabels:
      return {"reads texts, and labels them", {"classify", "embed", "look"}};
    case Head::kTokenLabels:
      return {"reads texts, and labels their words", {"classify", "embed", "look"}};
    default:
      return {"reads texts", {"embed", "look"}};
  }
}

std::string what_of(const Runner& runner) {
  const Use use = use_of(runner);
  return fmt::format("{}: fovea {}", use.what, fmt::join(use.can, ", "));
}

Loaded loaded(std::shared_ptr<const Runner> runner, data::TokenizerPair tokenizers) {
  Use use = use_of(*runner);
  std::string what = what_of(*runner);
  return {std::move(runner), std::move(tokenizers.source), std::move(tokenizers.target), std::move(use.can),
          std::move(what)};
}

std::shared_ptr<const Runner> packed(const models::ModelFiles& files, const LoadOptions& options) {
  FileWeights weights(files.weights, files.layout);
  const Precision stored = files.quantized ? Precision::kInt8 : Precision::kF32;
  std::shared_ptr<const Runner> runner =
      make_runner(files.config, weights, options.precision.value_or(stored));
  weights.check_all_used();
  return runner;
}

template <typename Kind>
std::shared_ptr<const Kind> as(const std::shared_ptr<const Runner>& runner, const std::string& where,
                               const char* expected) {
  auto kind = std::dynamic_pointer_cast<const Kind>(runner);
  if (!kind) fail("model", "{} {}; expected one that {}", where, what_of(*runner), expected);
  return kind;
}

LoadedDecoder load_decoder_that(const std::string& dir, const LoadOptions& options, bool reads_source,
                                bool reads_pictures, const char* expected) {
  LoadedDecoder loaded = load_decoder(dir, options);
  const DecoderInfo& info = loaded.decoder->info();
  if (info.reads_source != reads_source || info.reads_pictures != reads_pictures)
    fail("model", "{} {}; expected one that {}", dir, what_of(*loaded.decoder), expected);
  return loaded;
}

}  // namespace

Loaded load(const std::string& dir, const LoadOptions& options) {
  return load(models::open_model(dir), options);
}

Loaded load(models::ModelFiles files, const LoadOptions& options) {
  if (models::lacks_special_ids(files)) {
    data::TokenizerPair tokenizers = models::load_tokenizers(files);
    models::add_special_ids(files, tokenizers);
    return loaded(packed(files, options), std::move(tokenizers));
  }
  // Vocabularies are read while weights are packed.
  std::future<data::TokenizerPair> reading =
      std::async(std::launch::async, [&] { return models::load_tokenizers(files); });
  std::shared_ptr<const Runner> runner;
  try {
    runner = packed(files, options);
  } catch (...) {
    reading.wait();
    throw;
  }
  return loaded(std::move(runner), reading.get());
}

LoadedDecoder load_decoder(const std::string& dir, const LoadOptions& options) {
  const Loaded any = load(dir, options);
  return {as<Decoder>(any.runner, dir, "writes text"), any.source, any.target};
}

LoadedDecoder load_translator(const std::string& dir, const LoadOptions& options) {
  return load_decoder_that(dir, options, true, false, "translates");
}

LoadedDecoder load_language_model(const std::string& dir, const LoadOptions& options) {
  return load_decoder_that(dir, options, false, false, "continues texts");
}

LoadedDecoder load_captioner(const std::string& dir, const LoadOptions& options) {
  return load_decoder_that(dir, options, true, true, "says what it sees in pictures");
}

LoadedEncoder load_encoder(const std::string& dir, const LoadOptions& options) {
  return as_encoder(load(dir, options), dir);
}

LoadedEncoder as_encoder(const Loaded& loaded, const std::string& dir) {
  if (std::shared_ptr<const Encoder> texts = as_text_encoder(loaded.runner))
    return {std::move(texts), loaded.source};
  return {as<Encoder>(loaded.runner, dir, "reads texts"), loaded.source};
}

std::shared_ptr<const PictureEncoder> load_picture_encoder(const std::string& dir,
                                                           const LoadOptions& options) {
  const Loaded any = load(dir, options);
  if (std::shared_ptr<const PictureEncoder> pictures = as_picture_encoder(any.runner)) return pictures;
  return as<PictureEncoder>(any.runner, dir, "labels pictures, or makes vectors of them");
}

std::shared_ptr<const Encoder> as_text_encoder(const std::shared_ptr<const Runner>& runner) {
  if (const auto* matcher = dynamic_cast<const Matcher*>(runner.get())) return {runner, &matcher->texts()};
  return std::dynamic_pointer_cast<const Encoder>(runner);
}

std::shared_ptr<const PictureEncoder> as_picture_encoder(const std::shared_ptr<const Runner>& runner) {
  if (const auto* matcher = dynamic_cast<const Matcher*>(runner.get())) return {runner, &matcher->pictures()};
  return std::dynamic_pointer_cast<const PictureEncoder>(runner);
}

std::shared_ptr<const Matcher> as_matcher(const Loaded& loaded, const std::string& dir) {
  return as<Matcher>(loaded.runner, dir, "compares texts and pictures");
}

std::shared_ptr<const Runner> load_runner(const std::string& dir, const LoadOptions& options) {
  return packed(models::open_model(dir), options);
}

std::shared_ptr<const Runner> runner_of(models::Net& net, Precision precision) {
  NetWeights weights(net);
  return make_runner(net.config(), weights, precision);
}

std::shared_ptr<const Decoder> decoder_of(models::Net& net, Precision precision) {
  return as<Decoder>(runner_of(net, precision), "the net", "writes text");
}

std::shared_ptr<const Encoder> encoder_of(models::Net& net, Precision precision) {
  return as<Encoder>(runner_of(net, precision), "the net", "reads texts");
}

std::shared_ptr<const PictureEncoder> picture_encoder_of(models::Net& net, Precision precision) {
  return as<PictureEncoder>(runner_of(net, precision), "the net", "labels pictures");
}

}  // namespace fovea::run
