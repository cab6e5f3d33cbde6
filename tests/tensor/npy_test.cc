#include "fovea/tensor/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "fovea/base/error.h"
#include "fovea/base/random.h"

namespace fovea {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string out = "\x93NUMPY";
  out += {static_cast<char>(version), '\0'};
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(header.size() >> (8 * i) & 255);
  return out + header + data;
}
std::string dict(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}
template <typename T>
std::string raw(std::initializer_list<T> values, bool swap = false) {
  std::string out;
  for (T value : values) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (swap) std::reverse(one.begin(), one.end());
    out += one;
  }
  return out;
}
Tensor parse(const std::string& file) { return parse_npy(bytes_of(file), "x.npy"); }
std::string message_of(const std::string& file) {
  try {
    parse(file);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Npy, ReadsFloatsOfEverySizeAndByteOrder) {
  const Tensor f4 = parse(npy(dict("<f4", "(2, 1)"), raw<float>({1.5f, -2.0f})));
  EXPECT_EQ(f4.shape(), (Shape{2, 1}));
  EXPECT_THAT(f4.values<float>(), ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(parse(npy(dict(">f4", "(2,)"), raw<float>({1.5f, -2.0f}, true))).values<float>(),
              ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(parse(npy(dict("=f8", "(1,)"), raw<double>({0.1}))).values<double>(), ElementsAre(0.1));
  EXPECT_THAT(parse(npy(dict(">f8", "()"), raw<double>({0.1}, true))).values<double>(), ElementsAre(0.1));
  const Tensor half =
      parse(npy(dict("<f2", "(6,)"), raw<uint16_t>({0x3C00, 0xC000, 0x0001, 0x7BFF, 0xFC00, 0x7E00})));
  const auto h = half.values<float>();
  EXPECT_THAT(std::vector<float>(h.begin(), h.begin() + 5),
              ElementsAre(1.0f, -2.0f, 0x1p-24f, 65504.0f, -INFINITY));
  EXPECT_TRUE(std::isnan(h[5]));
}

TEST(Npy, ReadsIntegersAndTruthValues) {
  EXPECT_THAT(parse(npy(dict("<i4", "(2,)"), raw<int32_t>({7, -7}))).values<int32_t>(), ElementsAre(7, -7));
  EXPECT_THAT(parse(npy(dict(">i8", "(1,)"), raw<int64_t>({-2147483648}, true))).values<int32_t>(),
              ElementsAre(INT32_MIN));
  EXPECT_THAT(parse(npy(dict("<i2", "(1,)"), raw<int16_t>({-3}))).values<int32_t>(), ElementsAre(-3));
  EXPECT_THAT(parse(npy(dict("|i1", "(1,)"), raw<int8_t>({-3}))).values<int32_t>(), ElementsAre(-3));
  EXPECT_THAT(parse(npy(dict("<u2", "(1,)"), raw<uint16_t>({65535}))).values<int32_t>(), ElementsAre(65535));
  EXPECT_THAT(parse(npy(dict("<u4", "(1,)"), raw<uint32_t>({9}))).values<int32_t>(), ElementsAre(9));
  EXPECT_THAT(parse(npy(dict("|u1", "(2,)"), raw<uint8_t>({0, 255}))).values<uint8_t>(), ElementsAre(0, 255));
  EXPECT_THAT(parse(npy(dict("|b1", "(2,)"), raw<uint8_t>({0, 2}))).values<uint8_t>(), ElementsAre(0, 1));
  EXPECT_EQ(message_of(npy(dict("<i8", "(2,)"), raw<int64_t>({1, 2147483648}))),
            "[npy] x.npy: holds the integer 2147483648, which does not fit in 32 bits");
  EXPECT_EQ(message_of(npy(dict("<u4", "(1,)"), raw<uint32_t>({4294967295}))),
            "[npy] x.npy: holds the integer 4294967295, which does not fit in 32 bits");
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  const Tensor t = parse(npy(dict("<i4", "(2, 3)", "True"), raw<int32_t>({0, 3, 1, 4, 2, 5})));
  EXPECT_THAT(t.values<int32_t>(), ElementsAre(0, 1, 2, 3, 4, 5));
  const Tensor cube = parse(npy(dict("|i1", "(2, 2, 2)", "True"), raw<int8_t>({0, 4, 2, 6, 1, 5, 3, 7})));
  EXPECT_THAT(cube.values<int32_t>(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Npy, ReadsVersionsTwoAndThreeAndOtherSpellingsOfTheHeader) {
  for (int version : {2, 3})
    EXPECT_THAT(parse(npy(dict("<f4", "(1,)"), raw<float>({4}), version)).values<float>(), ElementsAre(4.0f));
  EXPECT_EQ(parse(npy("{\"shape\":(2L,),\"descr\":\"|u1\",\"fortran_order\":True}  \n", "ab")).shape(),
            Shape{2});
  EXPECT_EQ(parse(npy(dict("<f4", "(0, 3)"), "")).shape(), (Shape{0, 3}));
  EXPECT_EQ(parse(npy(dict("|u1", "(1,)"), "a and more")).size(), 1);
}

TEST(Npy, EveryMalformedFileIsOneClearLine) {
  const std::string good = npy(dict("<f4", "(2,)"), raw<float>({1, 2}));
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is empty"},
      {"PK\3\4 a zip file", "not a .npy file: it does not start with \\x93NUMPY"},
      {"\x93NUMPY", "cut short: 6 bytes"},
      {"\x93NUMPY" + std::string("\1\0\x76", 3), "cut short: 9 bytes"},
      {"\x93NUMPY" + std::string("\2\0\x76\0", 4), "cut short: 10 bytes"},
      {npy(dict("<f4", "(1,)"), "abcd", 4), "format version 4: expected 1, 2 or 3"},
      {good.substr(0, 40), "the header claims 58 bytes, and the file holds 30 more"},
      {good.substr(0, good.size() - 1), "cut short: shape [2] of '<f4' takes 8 bytes, and the file holds 7"},
      {npy(std::string(70'000, ' '), "", 2), "a header of 70000 bytes: expected 65536 or less"},
      {npy("", ""), "malformed header at byte 0: expected '{'"},
      {npy("{'descr': '<f4'}", ""),
       "malformed header at byte 16: expected the keys descr, fortran_order and shape"},
      {npy("{'descr': '<f4', 'descr': '<f4'}", ""), "at byte 25: the key 'descr', unknown or a second time"},
      {npy("{'descr': '<f4', 'fortran_order': 0}", ""), "at byte 34: expected True or False"},
      {npy("{'descr': '<f4", ""), "a string without an end"},
      {npy("{descr: 1}", ""), "at byte 1: expected a key in quotes"},
      {npy("{'des\\'cr': 1}", ""), "a backslash in a string"},
      {npy(dict("<f4", "(2,)") + "x", ""), "more after the dict"},
      {npy(dict("<f4", "(2,)") + std::string(1, '\0'), ""), "more after the dict"},
      {npy(dict("<f4", "(2)"), "12345678"), "the shape is no tuple: expected (n,)"},
      {npy(dict("<f4", "(2 3)"), "12345678"), "expected ',' or ')'"},
      {npy(dict("<f4", "(,)"), "1234"), "expected a size"},
      {npy(dict("<f4", "(-1,)"), "1234"), "a negative size"},
      {npy(dict("<f4", "(1.0,)"), "1234"), "expected ',' or ')'"},
      {npy(dict("<f4", "(99999999999999999999,)"), "1234"), "a size beyond 64 bits"},
      {npy(dict("<f4", "(1, 1, 1, 1, 1, 1, 1)"), "1234"), "more than 6 axes, which is the most a tensor has"},
      {npy(dict("<f4", "(4294967296, 4294967296)"), "1234"),
       "shape [4294967296, 4294967296] has too many elements"},
      {npy(dict("<f4", "(0, 4294967296, 4294967296)"), ""), "has too many elements"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"),
       "a structured type"},
  };
  for (const auto& [file, message] : cases) {
    const std::string met = message_of(file);
    EXPECT_THAT(met, HasSubstr(message));
    EXPECT_THAT(met, testing::StartsWith("[npy] x.npy: "));
    EXPECT_EQ(met.find('\n'), std::string::npos) << met;
  }
  for (const std::string type :
       {"|O", "<c8", "<U3", "|S4", "|V8", "<M8[ns]", "<f3", "<f1", "|f4", "<f16", "f4", "", "?", "|b2"})
    EXPECT_THAT(message_of(npy(dict(type, "(1,)"), "12345678")),
                HasSubstr("elements of type '" + type + "': expected f2 f4 f8"));
}

TEST(Npy, AHeaderThatClaimsTooMuchAllocatesNothing) {
  pool::reset_peak();
  const auto before = pool::stats();
  EXPECT_THAT(message_of(npy(dict("|u1", "(1152921504606846976,)"), "1234")), HasSubstr("too many elements"));
  EXPECT_THAT(message_of(npy(dict("|u1", "(1099511627776,)"), "1234")),
              HasSubstr("takes 1099511627776 bytes, and the file holds 4"));
  EXPECT_THAT(message_of("\x93NUMPY" + std::string("\2\0\xff\xff\xff\xff", 6) + "x"),
              HasSubstr("claims 4294967295 bytes"));
  EXPECT_EQ(pool::stats().bytes_peak, before.bytes_peak);
  EXPECT_EQ(pool::stats().system_allocations, before.system_allocations);
}

TEST(Npy, WhatIsWrittenIsReadAndAligned) {
  const std::string path =
      (fs::temp_directory_path() / ("fovea-npy-" + std::to_string(getpid()) + ".npy")).string();
  for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 5}, Shape{1, 2, 1, 2, 1, 2}}) {
    for (DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kU8}) {
      const Tensor t = Tensor::full(shape, 7, type);
      write_npy(path, t);
      EXPECT_EQ((read_file(path).size() - static_cast<size_t>(t.bytes())) % 64, 0u);
      const Tensor back = read_npy(path);
      EXPECT_EQ(back.shape(), shape);
      EXPECT_EQ(back.dtype(), type);
      EXPECT_EQ(std::memcmp(back.bytes_data(), t.bytes_data(), static_cast<size_t>(t.bytes())), 0);
    }
  }
  write_npy(path, Tensor::of<uint8_t>({2}, std::vector<uint8_t>{0, 1}), NpyU8::kBool);
  EXPECT_THAT(read_file(path), HasSubstr("'descr': '|b1', 'fortran_order': False, 'shape': (2,), }"));
  EXPECT_THAT(read_npy(path).values<uint8_t>(), ElementsAre(0, 1));
  fs::remove(path);
  EXPECT_THROW(write_npy(path, Tensor()), Error);
  EXPECT_FALSE(fs::exists(path));
  EXPECT_THROW(read_npy(path), Error);
  EXPECT_THROW(read_npy("/"), Error);
}

TEST(Npy, MutatedFilesParseOrThrowError) {
  constexpr uint64_t kSeed = 20'000;
  SCOPED_TRACE(kSeed);
  const std::vector<std::string> seeds = {npy(dict("<f4", "(2, 3)"), raw<float>({1, 2, 3, 4, 5, 6})),
                                          npy(dict(">i8", "(2,)"), raw<int64_t>({1, 2}), 2),
                                          npy(dict("<f2", "(2, 2)", "True"), "12345678", 3),
                                          npy(dict("|b1", "()"), "1")};
  const std::string alphabet = "{}()[]'\",:0123456789<>|=fiubLTrue \n-\\";
  Random random(kSeed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random.below(static_cast<int64_t>(n))); };
  int parsed = 0, thrown = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string file = seeds[below(seeds.size())];
    for (size_t changes = 1 + below(4); changes > 0 && !file.empty(); --changes) {
      const size_t at = below(file.size());
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
          file.resize(at);
      }
    }
    try {
      parse_npy(bytes_of(file), "fuzz");
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
