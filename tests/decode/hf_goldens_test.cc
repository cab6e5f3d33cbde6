// Directories that Hugging Face transformers wrote compute here what they compute there, and go back to the same bytes.
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/decode/generate.h"
#include "fovea/decode/search.h"
#include "fovea/models/model_dir.h"
#include "tests/golden_file.h"
#include "tests/temporary_directory.h"

namespace fovea::decode {
namespace {

using fovea::testing::GoldenFile;

const GoldenFile& goldens() {
  static const GoldenFile file(FOVEA_TESTS_DIR "/goldens/hf.safetensors");
  return file;
}

struct Golden {
  std::string name;
  nlohmann::json config;

  bool has(const std::string& what) const { return goldens().has(name + "/" + what); }
  Tensor array(const std::string& what) const { return goldens().array(name + "/" + what); }
  std::vector<int32_t> ids(const std::string& what) const { return array(what).values<int32_t>(); }

  std::vector<NamedTensor> weights() const {
    std::vector<NamedTensor> list;
    const std::string prefix = name + "/weights/";
    const Safetensors file = Safetensors::open(FOVEA_TESTS_DIR "/goldens/hf.safetensors");
    for (const Safetensors::Entry& entry : file.entries())
      if (entry.name.starts_with(prefix))
        list.push_back({entry.name.substr(prefix.size()), file.read(entry.name)});
    return list;
  }
  // The directory, without a tokenizer.
  void write(const std::string& dir) const {
    std::ofstream(dir + "/config.json") << config.dump();
    write_safetensors(dir + "/model.safetensors", weights());
  }
};

// Those that have the array `with`, of one of these types where any are given.
std::vector<Golden> goldens_with(const std::string& with, const std::vector<std::string>& types = {}) {
  std::vector<Golden> list;
  for (const nlohmann::json& model : goldens().about("models")) {
    const Golden golden{model["name"], model["config"]};
    const bool of_type =
        types.empty() || std::find(types.begin(), types.end(), model["config"]["model_type"]) != types.end();
    if (golden.has(with) && of_type) list.push_back(golden);
  }
  return list;
}

std::string name_of(const ::testing::TestParamInfo<Golden>& info) {
  std::string name = info.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

double difference(const Tensor& got, const Tensor& want) {
  EXPECT_EQ(got.size(), want.size());
  double worst = 0;
  for (int64_t i = 0; i < std::min(got.size(), want.size()); ++i)
    worst = std::max(worst, std::abs(static_cast<double>(got.data<float>()[i]) -
                                     static_cast<double>(want.data<float>()[i])));
  return worst;
}

Tensor row(const std::vector<int32_t>& ids) {
  return Tensor::of<int32_t>({1, static_cast<int64_t>(ids.size())}, ids);
}
data::SourceBatch source(const std::vector<int32_t>& ids) {
  return {row(ids), Tensor::full({1}, static_cast<double>(ids.size()), DType::kI32)};
}

class HfGoldens : public ::testing::TestWithParam<Golden> {
 protected:
  HfGoldens() {
    GetParam().write(dir_.path());
    net_ = models::load_net(dir_.path());
  }
  template <typename Kind>
  Kind* as() const {
    return dynamic_cast<Kind*>(net_.get());
  }

  TemporaryDirectory dir_;
  std::shared_ptr<models::Net> net_;
};

constexpr double kClose = 1e-4;

TEST_P(HfGoldens, LogitsAreTheirs) {
  const Golden& golden = GetParam();
  const std::vector<int32_t> ids = golden.ids("ids");
  if (auto* text = as<models::LanguageModel>()) {
    EXPECT_LT(difference(text->logits(row(ids)), golden.array("logits")), kClose);
  } else if (auto* encoder = as<models::Encoder>()) {
    data::SourceBatch batch = source(ids);
    batch.segments = row(golden.ids("segments"));
    const bool bare = encoder->head() == models::Encoder::Head::kNone;
    EXPECT_LT(difference(bare ? encoder->states(batch) : encoder->logits(batch), golden.array("logits")),
              kClose);
  } else {
    auto* seq2seq = as<models::Seq2Seq>();
    ASSERT_TRUE(seq2seq);
    const auto decoding = seq2seq->decode(source(golden.ids("source")), 1);
    const Tensor want = golden.array("logits");
    for (size_t t = 0; t < ids.size(); ++t)
      EXPECT_LT(difference(decoding->step(Tensor::full({1, 1}, ids[t], DType::kI32)),
                           want.slice(static_cast<int64_t>(t), static_cast<int64_t>(t) + 1)),
                kClose);
  }
}

class HfTexts : public HfGoldens {};
class HfWriters : public HfGoldens {};

TEST_P(HfTexts, CachedAndUncachedPathsAgree) {
  auto* text = as<models::LanguageModel>();
  ASSERT_TRUE(text);
  const std::vector<int32_t> ids = GetParam().ids("ids");
  const Tensor all = text->logits(row(ids));
  const int64_t V = text->vocab();
  for (const size_t at_once : {size_t{1}, size_t{3}, ids.size()}) {
    const auto continuation = text->begin(2);  // the same text twice
    for (size_t begin = 0; begin < ids.size(); begin += at_once) {
      const size_t count = std::min(at_once, ids.size() - begin);
      std::vector<int32_t> both;
      for (int i = 0; i < 2; ++i) both.insert(both.end(), ids.begin() + begin, ids.begin() + begin + count);
      const Tensor logits = continuation->read(Tensor::of<int32_t>({2, static_cast<int64_t>(count)}, both));
      const auto last = static_cast<int64_t>(begin + count) - 1;
      for (int64_t b = 0; b < 2; ++b)
        EXPECT_LT(difference(logits.slice(b, b + 1), all.reshape({all.dim(1), V}).slice(last, last + 1)),
                  kClose)
            << "after " << last + 1;
    }
  }
}

TEST_P(HfWriters, GreedyAndBeamWriteWhatTheirsDo) {
  const Golden& golden = GetParam();
  SearchOptions options;
  options.allow_unk = true;
  options.normalize = 1;
  options.ended_places = EndedPlaces::kTaken;
  options.max_words = 10;
  for (const int64_t beams : {1, 4}) {
    options.beam_size = beams;
    std::vector<int32_t> want = golden.ids(beams == 1 ? "greedy" : "beam"), got;
    if (auto* text = as<models::LanguageModel>()) {
      const int32_t end = golden.config["eos_token_id"];
      const NBest best =
          continue_best(*text, golden.ids("ids"), {.pad = -1, .unk = -1, .sos = -1, .eos = end}, options);
      got = best.front().words;
      if (best.front().ended) got.push_back(end);
      while (!want.empty() && want.back() == 0) want.pop_back();  // padding
    } else {
      const int32_t end = golden.config["eos_token_id"];
      const Hypothesis best = search(*as<models::Seq2Seq>(), source(golden.ids("source")), options)[0][0];
      got = best.words;
      if (best.ended) got.push_back(end);
    }
    EXPECT_EQ(got, want) << beams << " beams";
  }
}

TEST_P(HfGoldens, WeightsGoBackToTheSameBytes) {
  std::map<std::string, Tensor> want;
  for (const NamedTensor& one : GetParam().weights()) want[one.name] = one.tensor;
  const std::vector<NamedTensor> got = models::weights_of(*net_);
  EXPECT_EQ(got.size(), want.size());
  for (const NamedTensor& one : got) {
    ASSERT_TRUE(want.contains(one.name)) << one.name;
    EXPECT_EQ(one.tensor.shape(), want[one.name].shape()) << one.name;
    EXPECT_EQ(one.tensor.values<float>(), want[one.name].values<float>()) << one.name;
  }
}

// What a config says is read again from what is written of it.
TEST_P(HfGoldens, TheConfigStaysTheSame) {
  const nlohmann::json written = net_->config();
  for (const auto& [key, value] : written.items())
    if (GetParam().config.contains(key) && GetParam().config[key] != "swish")
      EXPECT_EQ(GetParam().config[key], value) << key;
}

INSTANTIATE_TEST_SUITE_P(Models, HfGoldens, ::testing::ValuesIn(goldens_with("logits")), name_of);
INSTANTIATE_TEST_SUITE_P(Models, HfTexts, ::testing::ValuesIn(goldens_with("greedy", {"gpt2", "llama"})),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Models, HfWriters, ::testing::ValuesIn(goldens_with("greedy")), name_of);

}  // namespace
}  // namespace fovea::decode
