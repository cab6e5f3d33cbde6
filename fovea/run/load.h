// Models made ready to run: from a directory, whose files are mapped and packed, or from a net, whose weights are copied.
//
//   const run::LoadedDecoder model = run::load_decoder("en-ko");
//   run::Session session(*model.decoder);
#pragma once

#include <optional>
#include <string>

#include "fovea/models/model_dir.h"
#include "fovea/run/encoder.h"
#include "fovea/run/loaded.h"
#include "fovea/run/matcher.h"
#include "fovea/run/picture_encoder.h"

namespace fovea::run {

struct LoadOptions {
  std::optional<Precision> precision = {};  // as the directory has it where it is not given
};

// Any model. `dir` is as models/model_dir.h says. Every tensor must be there with its shape, and no other; special ids are checked
// against the vocabularies.
struct Loaded {
  std::shared_ptr<const Runner> runner;
  std::shared_ptr<const data::Tokenizer> source,
      target;                         // may be one and the same; null where it has no text
  std::vector<std::string_view> can;  // what it is for: "generate", "score", "look"
  std::string what;                   // "continues texts: fovea generate, score, look"
};
Loaded load(const std::string& dir, const LoadOptions& options = {});
Loaded load(models::ModelFiles files, const LoadOptions& options = {});
// The same; throws for a model of another kind, and says which verbs are for it.
LoadedDecoder load_decoder(const std::string& dir, const LoadOptions& options = {});
LoadedDecoder load_translator(const std::string& dir, const LoadOptions& options = {});  // reads a source
LoadedDecoder load_captioner(const std::string& dir, const LoadOptions& options = {});   // looks at pictures
LoadedDecoder load_language_model(const std::string& dir, const LoadOptions& options = {});  // does not
LoadedEncoder load_encoder(const std::string& dir, const LoadOptions& options = {});
LoadedEncoder as_encoder(const Loaded& loaded, const std::string& dir);
std::shared_ptr<const PictureEncoder> load_picture_encoder(const std::string& dir,
                                                           const LoadOptions& options = {});
// What reads texts, or looks at pictures, be it the whole model or a part of it; null where nothing does.
std::shared_ptr<const Encoder> as_text_encoder(const std::shared_ptr<const Runner>& runner);
std::shared_ptr<const PictureEncoder> as_picture_encoder(const std::shared_ptr<const Runner>& runner);
std::shared_ptr<const Matcher> as_matcher(const Loaded& loaded, const std::string& dir);
// The model alone, where nobody asks for text.
std::shared_ptr<const Runner> load_runner(const std::string& dir, const LoadOptions& options = {});

// A net as it is now.
std::shared_ptr<const Runner> runner_of(models::Net& net, Precision precision = Precision::kF32);
std::shared_ptr<const Decoder> decoder_of(models::Net& net, Precision precision = Precision::kF32);
std::shared_ptr<const Encoder> encoder_of(models::Net& net, Precision precision = Precision::kF32);
std::shared_ptr<const PictureEncoder> picture_encoder_of(models::Net& net,
                                                         Precision precision = Precision::kF32);

}  // namespace fovea::run
