// Directories that Hugging Face transformers wrote compute here what they compute there, and go back to the same bytes.
#include <gtest/gtest.h>

#include <fstream>

#include "fovea/decode/search.h"
#include "fovea/models/model_dir.h"
#include "fovea/run/load.h"
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

// Those that have the array `with`.
std::vector<Golden> goldens_with(const std::string& with) {
  std::vector<Golden> list;
  for (const nlohmann::json& model : goldens().about("models")) {
    const Golden golden{model["name"], model["config"]};
    if (golden.has(with)) list.push_back(golden);
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

class HfGoldens : public ::testing::TestWithParam<Golden> {
 protected:
  HfGoldens() {
    GetParam().write(dir_.path());
    net_ = models::load_net(dir_.path());
    runner_ = run::load_runner(dir_.path());
  }
  TemporaryDirectory dir_;
  const run::Decoder* decoder() const { return dynamic_cast<const run::Decoder*>(runner_.get()); }
  // The source of one that reads one, without the end-of-sequence token that a session adds.
  std::vector<int32_t> source_ids() const {
    if (!decoder()->info().reads_source) return {};
    std::vector<int32_t> ids = GetParam().ids("source");
    EXPECT_EQ(ids.back(), decoder()->info().ids.eos);
    ids.pop_back();
    return ids;
  }

  std::shared_ptr<models::Net> net_;
  std::shared_ptr<const run::Runner> runner_;
};

constexpr double kClose = 1e-4;

TEST_P(HfGoldens, LogitsAreTheirs) {
  const Golden& golden = GetParam();
  const std::vector<int32_t> ids = golden.ids("ids");
  if (decoder()) {
    run::Session session(*decoder());
    const std::vector<int32_t> source = source_ids();
    const run::Feed feeds[] = {{session.join({&source, 1})[0], ids, run::Feed::kAll}};
    EXPECT_LT(difference(session.advance(feeds), golden.array("logits")), kClose);
  } else {
    const auto& encoder = dynamic_cast<const run::Encoder&>(*runner_);
    const std::vector<int32_t> segments = golden.ids("segments");
    const run::Text text{ids, segments};
    const bool bare = encoder.info().head == run::Head::kNone;
    EXPECT_LT(
        difference(bare ? encoder.states({&text, 1}) : encoder.logits({&text, 1}), golden.array("logits")),
        kClose);
  }
}

class HfWriters : public HfGoldens {};

TEST_P(HfWriters, TokensFedOneByOneInChunksOrAtOnceGiveTheSameLogits) {
  const std::vector<int32_t> ids = GetParam().ids("ids"), source = source_ids();
  const Tensor all =
      GetParam().array("logits").reshape({static_cast<int64_t>(ids.size()), decoder()->info().vocab});
  for (const size_t at_once : {size_t{1}, size_t{3}, ids.size()}) {
    run::Session session(*decoder());
    const std::vector<std::vector<int32_t>> twice(2, source);
    const std::vector<run::Sequence> both = session.join(twice);
    for (size_t begin = 0; begin < ids.size(); begin += at_once) {
      const auto chunk = std::span(ids).subspan(begin, std::min(at_once, ids.size() - begin));
      const run::Feed feeds[] = {{both[0], chunk}, {both[1], chunk}};
      const Tensor logits = session.advance(feeds);
      const auto last = static_cast<int64_t>(begin + chunk.size()) - 1;
      for (int64_t b = 0; b < 2; ++b)
        EXPECT_LT(difference(logits.slice(b, b + 1), all.slice(last, last + 1)), kClose)
            << "after " << last + 1;
    }
  }
}

TEST_P(HfWriters, GreedyAndBeamWriteWhatTheirsDo) {
  const Golden& golden = GetParam();
  Options options;
  options.allow_unk = true;
  options.normalize = 1;
  options.ended_places = EndedPlaces::kTaken;
  options.max_tokens = 10;
  const int32_t end = golden.config["eos_token_id"];
  Request request{.source = source_ids()};
  if (!decoder()->info().reads_source) request.prompt = golden.ids("ids");
  for (const int64_t beams : {1, 4}) {
    options.beam_size = beams;
    std::vector<int32_t> want = golden.ids(beams == 1 ? "greedy" : "beam");
    const Hypothesis best = search(*decoder(), request, options)[0];
    std::vector<int32_t> got = best.tokens;
    if (best.ended) got.push_back(end);
    if (!decoder()->info().reads_source)
      while (!want.empty() && want.back() == 0) want.pop_back();  // padding
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
    if (GetParam().config.contains(key) && GetParam().config[key] != "swish") {
      EXPECT_EQ(GetParam().config[key], value) << key;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, HfGoldens, ::testing::ValuesIn(goldens_with("logits")), name_of);
INSTANTIATE_TEST_SUITE_P(Models, HfWriters, ::testing::ValuesIn(goldens_with("greedy")), name_of);

}  // namespace
}  // namespace fovea::decode
