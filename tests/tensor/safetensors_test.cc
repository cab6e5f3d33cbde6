#include "fovea/tensor/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

#include "fovea/base/error.h"
#include "fovea/base/random.h"
#include "fovea/tensor/array_file.h"
#include "fovea/tensor/encoding.h"
#include "fovea/tensor/npy.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string packed(const std::string& header, const std::string& data = "") {
  std::string out(8, '\0');
  for (size_t i = 0; i < 8; ++i) out[i] = static_cast<char>(header.size() >> (8 * i) & 255);
  return out + header + data;
}
// One tensor named "a".
std::string one(const std::string& dtype, const std::string& shape, const std::string& offsets,
                const std::string& data) {
  return packed(
      R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}", data);
}
Tensor read_one(const std::string& file) {
  return Safetensors::parse(bytes_of(file), "m.safetensors").read("a");
}
template <typename F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string fault_of(const std::string& file) {
  return message_of([&] { Safetensors::parse(bytes_of(file), "m.safetensors"); });
}

// Every number of 16 bits is itself again, and what lies between two of them goes to the nearer, or to the even one.
template <typename Widen>
void expect_nearest(Widen widen, uint16_t (*narrow)(float), uint32_t infinity) {
  for (const uint32_t sign : {0u, 0x8000u}) {
    for (uint32_t i = 0; i < infinity; ++i) {
      const auto at = static_cast<uint16_t>(sign | i), next = static_cast<uint16_t>(at + 1);
      const float a = widen(at);
      ASSERT_EQ(narrow(a), at);
      if (i + 1 == infinity) continue;
      const float b = widen(next), middle = a + (b - a) / 2;
      ASSERT_EQ(narrow(middle), i % 2 == 0 ? at : next) << a << " " << b;
      ASSERT_EQ(narrow(std::nextafter(middle, a)), at) << a << " " << b;
      ASSERT_EQ(narrow(std::nextafter(middle, b)), next) << a << " " << b;
    }
    ASSERT_EQ(narrow(widen(static_cast<uint16_t>(sign | infinity))), sign | infinity);
  }
  EXPECT_TRUE(std::isnan(widen(narrow(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Safetensors, SixteenBitsAreTheNearest) {
  expect_nearest(half_to_float, float_to_half, 0x7c00);
  expect_nearest([](uint16_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x) << 16); },
                 float_to_bfloat, 0x7f80);
  EXPECT_EQ(float_to_half(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_half(-65520.0f), 0xfc00);
}

TEST(Safetensors, WritesSixteenBits) {
  const std::string path = fs::temp_directory_path() / ("fovea-halves-" + std::to_string(getpid()));
  const Tensor x = Tensor::empty({40000});
  for (int64_t i = 0; i < x.size(); ++i) x.data<float>()[i] = static_cast<float>(i) * 0.25f;
  const Tensor ids = Tensor::of<int32_t>({2}, {7, 8});
  write_safetensors(path,
                    std::vector<NamedTensor>{
                        {"b", x, FileDType::kBF16}, {"h", x, FileDType::kF16}, {"i", ids, FileDType::kF16}});
  const Safetensors file = Safetensors::open(path);
  EXPECT_EQ(file.entries()[0].dtype, "BF16");
  EXPECT_EQ(file.entries()[1].dtype, "F16");
  EXPECT_EQ(file.read("i").values<int32_t>(), ids.values<int32_t>());
  const auto halves = file.read("h").values<float>(), brains = file.read("b").values<float>();
  for (size_t i = 0; i < halves.size(); ++i) {
    const auto want = static_cast<double>(i) * 0.25;
    ASSERT_NEAR(halves[i], want, want / 2048);
    ASSERT_NEAR(brains[i], want, want / 256);
  }
  fs::remove(path);
}

TEST(Safetensors, ReadsEveryTypeItKnows) {
  using namespace std::string_literals;
  EXPECT_THAT(read_one(one("F32", "[1]", "[0,4]", "\0\0\x80\x3f"s)).values<float>(), ElementsAre(1.0f));
  EXPECT_THAT(read_one(one("F64", "[1]", "[0,8]", "\0\0\0\0\0\0\xf0\x3f"s)).values<double>(),
              ElementsAre(1.0));
  EXPECT_THAT(read_one(one("F16", "[2]", "[0,4]", "\0\x3c\0\xc0"s)).values<float>(),
              ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(read_one(one("BF16", "[2]", "[0,4]", "\x80\x3f\0\xc0"s)).values<float>(),
              ElementsAre(1.0f, -2.0f));
  EXPECT_THAT(read_one(one("I8", "[1]", "[0,1]", "\xff")).values<int32_t>(), ElementsAre(-1));
  EXPECT_THAT(read_one(one("I16", "[1]", "[0,2]", "\xfe\xff")).values<int32_t>(), ElementsAre(-2));
  EXPECT_THAT(read_one(one("I32", "[]", "[0,4]", "\3\0\0\0"s)).values<int32_t>(), ElementsAre(3));
  EXPECT_THAT(read_one(one("I64", "[1,1]", "[0,8]", std::string(8, '\xff'))).values<int32_t>(),
              ElementsAre(-1));
  EXPECT_THAT(read_one(one("U8", "[2]", "[0,2]", "\1\xff")).values<uint8_t>(), ElementsAre(1, 255));
  EXPECT_THAT(read_one(one("BOOL", "[2]", "[0,2]", "\0\1"s)).values<uint8_t>(), ElementsAre(0, 1));
  EXPECT_EQ(message_of([] { read_one(one("U64", "[1]", "[0,8]", std::string(8, '\xff'))); }),
            "[safetensors] m.safetensors: 'a': holds the integer 18446744073709551615, which does not fit in "
            "32 bits");
  EXPECT_THAT(message_of([] { read_one(one("F8_E4M3", "[2]", "[0,2]", "ab")); }),
              HasSubstr("'a' has elements of type 'F8_E4M3': expected F16 BF16 F32 F64"));
}

TEST(Safetensors, ListsTensorsInOrderAndAcceptsMetadata) {
  const std::string file = packed(
      R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"__metadata__":{"format":"pt","é":"\u0000"},)"
      R"("a":{"shape":[0,3],"data_offsets":[2,2],"dtype":"F32"}}   )",
      "xy");
  const Safetensors parsed = Safetensors::parse(bytes_of(file), "f");
  ASSERT_EQ(parsed.entries().size(), 2u);
  EXPECT_EQ(parsed.entries()[0].name, "a");
  EXPECT_EQ(parsed.entries()[0].shape, (Shape{0, 3}));
  EXPECT_EQ(parsed.metadata().at("format"), "pt");
  EXPECT_TRUE(parsed.contains("b"));
  EXPECT_FALSE(parsed.contains("__metadata__"));
  EXPECT_EQ(Safetensors::parse(bytes_of(packed("{}")), "f").entries().size(), 0u);
}

TEST(Safetensors, EveryMalformedFileIsOneClearLine) {
  const std::string entry = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is empty"},
      {"1234567", "cut short: 7 bytes, fewer than the 8 of the header's length"},
      {std::string(7, '\xff') + "\x0f{}",
       "the header claims 1152921504606846975 bytes, and the file holds 2 more"},
      {packed("{}").substr(0, 9), "the header claims 2 bytes, and the file holds 1 more"},
      {packed(""), "the header is no valid JSON at byte 1"},
      {packed("{"), "the header is no valid JSON at byte 2"},
      {packed("{} x"), "the header is no valid JSON at byte 4"},
      {packed("{\"\xff\":1}"), "the header is no valid JSON at byte 3"},
      {packed("[]"), "the header is a list: expected an object"},
      {packed("3"), "the header is a number: expected an object"},
      {packed(std::string(100'000, '[')), "the header is a list: expected an object"},
      {packed("{\"a\":" + std::string(100'000, '[')), "'a': met a list, expected an object"},
      {packed(R"({"a":{"b":{"c":1}}})"), "'a': met an object in 'b'"},
      {packed(R"({"a":{"shape":[[1]]}})"), "'a': met a list in 'shape'"},
      {packed("{" + entry + "," + entry + "}", "x"), "the key 'a' occurs twice in the header"},
      {packed(R"({"a":{"dtype":"U8","dtype":"U8"}})"), "the key 'dtype' occurs twice in the header"},
      {packed(R"({"a":{"data_offsets":[0,1],"data_offsets":[0,1]}})"), "the key 'data_offsets' occurs twice"},
      {packed(R"({"__metadata__":{"k":"1","k":"2"}})"), "the key 'k' occurs twice in the header"},
      {packed(R"({"__metadata__":{},"__metadata__":{}})"),
       "the key '__metadata__' occurs twice in the header"},
      {packed(R"({"__metadata__":{"k":1}})"), "'__metadata__': met a number in 'k'"},
      {packed(R"({"a":{"dtype":"U8","shape":[1]}})"), "'a': expected dtype, shape and two data_offsets"},
      {packed(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})"),
       "'a': expected dtype, shape and two"},
      {packed(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})"),
       "'a': more than two data_offsets"},
      {packed(R"({"a":{"dtype":7}})"), "'a': met a number in 'dtype'"},
      {packed(R"({"a":{"dtype":null}})"), "'a': met null in 'dtype'"},
      {packed(R"({"a":{"extra":true}})"), "'a': met a truth value in 'extra'"},
      {one("U8", "[-1]", "[0,1]", "x"), "'a': met the number -1 in 'shape'"},
      {one("U8", "[1.5]", "[0,1]", "x"), "'a': met the number '1.5' in 'shape'"},
      {one("U8", "[99999999999999999999]", "[0,1]", "x"),
       "'a': met the number '99999999999999999999' in 'shape'"},
      {one("U8", "[18446744073709551615]", "[0,1]", "x"), "'a': the number 18446744073709551615 in shape"},
      {one("U8", "[1,1,1,1,1,1,1]", "[0,1]", "x"), "'a': more than 6 axes"},
      {one("U8", "[4294967296,4294967296,0]", "[0,0]", ""),
       "'a': shape [4294967296, 4294967296, 0] has too many"},
      {one("U8", "[1]", "[1,0]", "x"), "'a': data_offsets [1, 0] run backwards"},
      {one("U8", "[2]", "[0,2]", "x"), "'a': data_offsets [0, 2] pass the 1 bytes of data"},
      {one("F32", "[2]", "[0,4]", "abcd"),
       "'a': shape [2] of F32 takes 8 bytes, and its data_offsets [0, 4] hold 4"},
      {one("U8", "[1]", "[0,1]", "xy"), "bytes 1 to 2 of the data belong to no tensor"},
      {one("U8", "[1]", "[1,2]", "xy"), "bytes 0 to 1 of the data belong to no tensor"},
      {packed("{" + entry + R"(,"b\n":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"),
       "its data overlaps that of another tensor"},
  };
  for (const auto& [file, message] : cases) {
    const std::string met = fault_of(file);
    EXPECT_THAT(met, HasSubstr(message));
    EXPECT_THAT(met, testing::StartsWith("[safetensors] m.safetensors: "));
    EXPECT_EQ(met.find('\n'), std::string::npos) << met;
  }
}

TEST(Safetensors, AHeaderThatClaimsTooMuchAllocatesNothing) {
  pool::reset_peak();
  const auto before = pool::stats();
  EXPECT_THAT(fault_of(one("U8", "[1152921504606846976]", "[0,1152921504606846976]", "x")),
              HasSubstr("pass the 1 bytes"));
  EXPECT_THAT(fault_of(one("U8", "[1152921504606846976]", "[0,1]", "x")), HasSubstr("too many elements"));
  EXPECT_EQ(pool::stats().bytes_peak, before.bytes_peak);
  EXPECT_EQ(pool::stats().system_allocations, before.system_allocations);
}

TEST(Safetensors, WhatIsWrittenIsReadAndAligned) {
  const std::string path =
      (fs::temp_directory_path() / ("fovea-" + std::to_string(getpid()) + ".safetensors")).string();
  const std::vector<NamedTensor> tensors = {
      {"mask", Tensor::of<uint8_t>({3}, std::vector<uint8_t>{1, 0, 1})},
      {"b.weight", Tensor::of<float>({2, 1}, std::vector<float>{0.5f, -3})},
      {"a \"é\"", Tensor::of<double>({1}, std::vector<double>{0.1})},
      {"ids", Tensor::of<int32_t>({}, std::vector<int32_t>{-9})},
      {"none", Tensor::zeros({0, 4})}};
  write_safetensors(path, tensors, {{"format", "pt"}});
  {
    const Safetensors file = Safetensors::open(path);
    EXPECT_EQ(file.entries().size(), 5u);
    EXPECT_EQ(file.metadata().at("format"), "pt");
    for (const auto& [name, tensor, as] : tensors) {
      const Tensor back = file.read(name);
      EXPECT_EQ(back.shape(), tensor.shape());
      EXPECT_EQ(back.dtype(), tensor.dtype());
      EXPECT_EQ(std::memcmp(back.bytes_data(), tensor.bytes_data(), static_cast<size_t>(tensor.bytes())), 0);
    }
    for (const auto& entry : file.entries())
      EXPECT_EQ(entry.begin % (entry.dtype == "F64" ? 8 : entry.dtype == "U8" ? 1 : 4), 0u) << entry.name;
    EXPECT_EQ(static_cast<unsigned char>(read_file(path)[0]) % 8, 0);
  }
  const std::string before = read_file(path);
  const Tensor x = Tensor::zeros({1});
  EXPECT_THAT(message_of([&] {
                write_safetensors(path, std::vector<NamedTensor>{{"x", x}, {"x", x}});
              }),
              HasSubstr("two tensors are named 'x'"));
  EXPECT_THAT(message_of([&] {
                write_safetensors(path, std::vector<NamedTensor>{{"\xff", x}});
              }),
              HasSubstr("no valid UTF-8"));
  EXPECT_EQ(read_file(path), before);
  fs::remove(path);
}

TEST(ArrayFile, ReadsNpyAndSafetensorsAndNamesWhatIsMissing) {
  std::string dir = (fs::temp_directory_path() / "fovea-array-XXXXXX").string();
  ASSERT_NE(mkdtemp(dir.data()), nullptr);
  const std::string npy = dir + "/q.npy", many = dir + "/m.safetensors", single = dir + "/s.safetensors";
  const Tensor x = Tensor::of<float>({2}, std::vector<float>{1, 2});
  write_npy(npy, x);
  std::vector<NamedTensor> tensors;
  for (const char* name : {"query", "key", "value", "enc.0.w", "enc.1.w", "enc.2.w", "with:colon"})
    tensors.push_back({name, x});
  write_safetensors(many, tensors);
  write_safetensors(single, std::vector<NamedTensor>{{"only", x}});
  for (const std::string& spec : {npy, many + ":key", many + ":with:colon", single})
    EXPECT_THAT(read_array(spec).values<float>(), ElementsAre(1, 2)) << spec;
  EXPECT_THAT(message_of([&] { read_array(many + ":qeury"); }),
              HasSubstr("no tensor 'qeury': it has 'query', "));
  EXPECT_THAT(message_of([&] { read_array(many + ":qeury"); }), HasSubstr(" and 2 more"));
  EXPECT_THAT(message_of([&] { read_array(many); }),
              HasSubstr("holds 7 tensors: name one, as " + many + ":enc.0.w"));
  EXPECT_THAT(message_of([&] { read_array(dir + "/no.npy"); }),
              HasSubstr("no.npy: No such file or directory"));
  EXPECT_THAT(message_of([&] { read_array(dir + "/no.safetensors:x"); }),
              HasSubstr("no.safetensors: No such file"));
  EXPECT_THAT(message_of([&] { read_array(dir); }), HasSubstr(dir + ": Is a directory"));
  fs::remove_all(dir);
}

TEST(Safetensors, MutatedFilesParseOrThrowError) {
  constexpr uint64_t kSeed = 20'001;
  SCOPED_TRACE(kSeed);
  const std::vector<std::string> seeds = {
      one("F32", "[2,1]", "[0,8]", "12345678"), one("BOOL", "[]", "[0,1]", "1"),
      packed(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"I64","shape":[1],"data_offsets":[2,10]},)"
             R"("a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}})",
             "1234567890")};
  const std::string alphabet = "{}[]\",:0123456789.-eE\\u FIBU tn";
  Random random(kSeed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random.below(static_cast<int64_t>(n))); };
  int parsed = 0, thrown = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::string& original = seeds[below(seeds.size())];
    std::string file = original;
    for (size_t changes = 1 + below(3); changes > 0 && file.size() > 8; --changes) {
      const size_t at = 8 + below(file.size() - 8);
      switch (below(5)) {
        case 0:
          file[at] = static_cast<char>(random.bits());
          break;
        case 1:
          file[at] = alphabet[below(alphabet.size())];
          break;
        case 2:
          file.erase(at, below(8));
          break;
        case 3:
          file.insert(at, file.substr(below(file.size()), 6));
          break;
        default:
          file[below(8)] = static_cast<char>(random.bits());
      }
    }
    // Half of the time the length follows the change, so that the header itself is reached.
    if (below(2))
      file[0] = static_cast<char>(static_cast<size_t>(original[0]) + file.size() - original.size());
    try {
      const Safetensors mutated = Safetensors::parse(bytes_of(file), "fuzz");
      for (const auto& entry : mutated.entries()) mutated.read(entry.name);
      ++parsed;
    } catch (const Error&) {
      ++thrown;
    }
  }
  EXPECT_GT(parsed, 100);
  EXPECT_GT(thrown, 10'000);
}

}  // namespace
}  // namespace fovea
