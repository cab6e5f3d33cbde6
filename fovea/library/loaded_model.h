// What a fovea::Model holds.
#pragma once

#include <memory>
#include <string>

#include "fovea/base/error.h"
#include "fovea/fovea.h"
#include "fovea/run/load.h"

namespace fovea {

struct Model::Loaded {
  run::Loaded model;
  ModelInfo info;
  std::shared_ptr<const run::Decoder> decoder;  // one of the three
  std::shared_ptr<const run::Encoder> encoder;
  std::shared_ptr<const run::PictureEncoder> pictures;

  static Model model_of(std::shared_ptr<const Loaded> loaded) { return Model(std::move(loaded)); }

  bool translates() const {
    return decoder && decoder->info().reads_source && !decoder->info().reads_pictures;
  }

  // Throws unless the model has this function.
  void expect(bool ok, const char* function) const {
    check(ok, function, "{} {}", info.directory, model.what);
  }
  run::LoadedDecoder translator(const char* who) const {
    expect(translates(), who);
    return {decoder, model.source, model.target};
  }
  run::LoadedDecoder language_model(const char* who) const {
    expect(decoder && !decoder->info().reads_source, who);
    return {decoder, model.source, model.target};
  }
  run::LoadedDecoder captioner(const char* who) const {
    expect(decoder && decoder->info().reads_pictures, who);
    return {decoder, model.source, model.target};
  }
  run::LoadedEncoder reader(const char* who) const {
    expect(encoder != nullptr, who);
    return {encoder, model.source};
  }
  const run::PictureEncoder& labeller(const char* who) const {
    expect(pictures != nullptr, who);
    return *pictures;
  }
  const data::Tokenizer& tokenizer(Side side) const {
    expect(model.source != nullptr, "tokenize");
    return side == Side::kSource ? *model.source : *model.target;
  }
};

}  // namespace fovea
