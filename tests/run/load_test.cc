// Directories as runners read them.
#include "fovea/run/load.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "fovea/base/error.h"
#include "fovea/base/file.h"
#include "fovea/models/model_dir.h"
#include "fovea/models/table.h"
#include "fovea/run/session.h"
#include "tests/models/kinds.h"

namespace fovea::run {
namespace {

namespace fs = std::filesystem;
using models::kSource;
using models::kTarget;

// A directory of its own, gone at the end.
class Load : public ::testing::Test {
 protected:
  Load() {
    std::string pattern = (fs::temp_directory_path() / "fovea-load-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  ~Load() override { fs::remove_all(dir_); }

  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(dir_ + "/" + name, std::ios::binary) << bytes;
  }
  // The net without tokenizers, which nobody asks for here.
  void save(models::Net& net, bool quantized = false, FileDType as = FileDType::kAsIs) const {
    nlohmann::json config = net.config();
    if (quantized) config["quantization"] = "int8";
    write("config.json", config.dump());
    write_safetensors(dir_ + "/model.safetensors",
                      quantized ? models::quantized_weights_of(net) : models::weights_of(net, as));
  }
  void change_weights(const std::function<void(std::vector<NamedTensor>&)>& f) const {
    std::vector<NamedTensor> tensors;
    {
      const Safetensors file = Safetensors::open(dir_ + "/model.safetensors");
      for (const Safetensors::Entry& entry : file.entries())
        tensors.push_back({entry.name, file.read(entry.name)});
    }
    f(tensors);
    write_safetensors(dir_ + "/model.safetensors", tensors);
  }
  std::string message() const {
    try {
      load_runner(dir_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  std::string dir_;
};

std::vector<models::Kind> decoders() {
  std::vector<models::Kind> all = models::translators();
  for (const models::Kind& kind : models::language_models()) all.push_back(kind);
  return all;
}

// Logits after some tokens.
std::vector<float> logits_of(const Decoder& decoder) {
  Session session(decoder);
  const std::vector<int32_t> source = decoder.info().reads_source ? std::vector<int32_t>{4, 7, 5, 9}
                                                                  : std::vector<int32_t>{},
                             tokens = {2, 5, 6, 12, 4};
  const Feed feed{session.join({&source, 1}).front(), tokens, Feed::kAll};
  return session.advance({&feed, 1}).values<float>();
}

std::shared_ptr<const Decoder> as_decoder(const std::shared_ptr<const Runner>& runner) {
  return std::dynamic_pointer_cast<const Decoder>(runner);
}

TEST_F(Load, EveryKindHasTheBitsOfItsNet) {
  for (const models::Kind& kind : decoders()) {
    SCOPED_TRACE(kind.name);
    const auto net = models::make_net(kind.config, 3);
    save(*net);
    EXPECT_EQ(logits_of(*as_decoder(load_runner(dir_))), logits_of(*decoder_of(*net)));
    EXPECT_EQ(logits_of(*as_decoder(load_runner(dir_, {.precision = Precision::kInt8}))),
              logits_of(*decoder_of(*net, Precision::kInt8)));
  }
}

TEST_F(Load, DirectoryIn8BitsRunsIn8Bits) {
  models::GptOptions o = models::gpt_defaults("llama");
  o.vocab = 40;
  o.n_layer = 2;
  o.n_head = 4;
  o.n_kv_head = 2;
  o.n_embd = 32;
  o.block_size = 16;
  const auto net = models::make_net(to_json(o), 3);
  save(*net, true);
  const auto runner = as_decoder(load_runner(dir_));
  EXPECT_EQ(runner->precision(), Precision::kInt8);
  EXPECT_EQ(runner->held().f32_bytes, 0);
  EXPECT_GT(runner->held().int8_bytes, 0);
  // All matrices are large enough to be stored in 8 bits, so that packing reads what quantising would have made. Embeddings are read
  // from their 8 bits, too: that is the only difference.
  const std::vector<float> got = logits_of(*runner), want = logits_of(*decoder_of(*net, Precision::kInt8));
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 0.02f);
}

TEST_F(Load, WeightsOf16BitsAreReadAsTheyLie) {
  for (const FileDType as : {FileDType::kF16, FileDType::kBF16}) {
    for (const models::Kind& kind : models::language_models()) {
      SCOPED_TRACE(kind.name);
      const auto net = models::make_net(kind.config, 3);
      for (nn::Parameter* p : net->parameters())  // numbers that both have
        for (float& x : p->value.span<float>()) x = std::round(x * 64) / 64;
      save(*net, false, as);
      EXPECT_EQ(logits_of(*as_decoder(load_runner(dir_))), logits_of(*decoder_of(*net)));
    }
  }
}

TEST_F(Load, TensorsThatDoNotFitAreNamed) {
  const auto net = models::make_net(models::language_models()[0].config, 3);
  save(*net);
  change_weights([](auto& tensors) {
    tensors.push_back({"transformer.h.7.ln_1.weight", Tensor::zeros({16})});
  });
  EXPECT_NE(message().find("'transformer.h.7.ln_1.weight' is not part of this model"), std::string::npos)
      << message();
  save(*net);
  change_weights([](auto& tensors) {
    std::erase_if(tensors, [](const NamedTensor& one) { return one.name == "transformer.h.1.ln_2.weight"; });
  });
  EXPECT_NE(message().find("transformer.h.1.ln_2.weight"), std::string::npos) << message();
  EXPECT_NE(message().find("is missing"), std::string::npos) << message();
  save(*net);
  change_weights([](auto& tensors) {
    for (NamedTensor& one : tensors)
      if (one.name == "transformer.h.1.attn.c_proj.weight") one.tensor = Tensor::zeros({8, 32});
  });
  EXPECT_NE(message().find("has shape [8, 32]: expected [16, 16]"), std::string::npos) << message();
}

TEST_F(Load, ModelOfAnotherKindSaysWhichVerbsAreForIt) {
  const auto net = models::make_net(models::language_models()[0].config, 3);
  try {
    encoder_of(*net);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("continues texts: fovea generate"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace fovea::run
