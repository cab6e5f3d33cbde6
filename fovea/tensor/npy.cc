#include "fovea/tensor/npy.h"

#include <bit>

#include "fovea/base/quote.h"
#include "fovea/tensor/encoding.h"
#include "fovea/tensor/npy_header.h"

namespace fovea {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
static_assert(std::endian::native == std::endian::little,
              "write_npy says '<' and copies elements as they lie");

// '<f4': order, kind, bytes.
Encoding encoding_of(const std::string& descr, std::string_view source) {
  using Kind = Encoding::Kind;
  Encoding encoding;
  const std::string_view kinds = "fiub";
  const std::string_view orders = "<>|=";
  const size_t kind = descr.size() == 3 ? kinds.find(descr[1]) : std::string_view::npos;
  bool known = kind != std::string_view::npos && orders.find(descr[0]) != std::string_view::npos;
  if (known) {
    encoding.kind = std::array{Kind::kFloat, Kind::kSigned, Kind::kUnsigned, Kind::kBool}[kind];
    encoding.bytes = descr[2] - '0';
    encoding.big_endian = descr[0] == '>';
    const int n = encoding.bytes;
    const bool one = n == 1, more = n == 2 || n == 4 || n == 8;
    known = kind == 0 ? more : kind == 3 ? one : one || more;
    known = known && (descr[0] != '|' || one);
  }
  check(known, "npy", "{}: elements of type {}: expected f2 f4 f8, i1 i2 i4 i8, u1 u2 u4 u8 or b1", source,
        quote(descr));
  return encoding;
}

}  // namespace

Tensor parse_npy(std::span<const std::byte> bytes, std::string_view source) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check(!text.empty(), "npy", "{}: the file is empty", source);
  check(text.starts_with(kMagic), "npy", "{}: not a .npy file: it does not start with \\x93NUMPY", source);
  check(text.size() >= 10, "npy", "{}: cut short: {} bytes", source, text.size());
  const int version = static_cast<unsigned char>(text[6]);
  check(version >= 1 && version <= 3, "npy", "{}: format version {}: expected 1, 2 or 3", source, version);

  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t start = 8 + length_bytes;
  check(text.size() >= start, "npy", "{}: cut short: {} bytes", source, text.size());
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(text[8 + i])) << (8 * i);
  check(length <= text.size() - start, "npy", "{}: the header claims {} bytes, and the file holds {} more",
        source, length, text.size() - start);
  check(length <= 1 << 16, "npy", "{}: a header of {} bytes: expected 65536 or less", source, length);

  const NpyHeader header = parse_npy_header(text.substr(start, length), source);
  const Encoding encoding = encoding_of(header.descr, source);
  const int64_t needed = encoded_bytes(header.shape, encoding.bytes);
  check(needed >= 0, "npy", "{}: shape {} has too many elements", source, header.shape.str());
  const size_t held = text.size() - start - length;
  check(static_cast<size_t>(needed) <= held, "npy",
        "{}: cut short: shape {} of '{}' takes {} bytes, and the file holds {}", source, header.shape.str(),
        header.descr, needed, held);
  return decode(bytes.subspan(start + length, static_cast<size_t>(needed)), header.shape, encoding,
                header.fortran_order, "npy", source);
}

Tensor read_npy(const std::string& path) {
  const MappedFile file(path, "npy");
  return parse_npy(file.bytes(), path);
}

void write_npy(StagedFile& file, const Tensor& tensor, NpyU8 u8) {
  check(tensor.defined(), "npy", "{}: an undefined tensor has nothing to write", file.target());
  std::string_view descr;
  switch (tensor.dtype()) {
    case DType::kF32:
      descr = "<f4";
      break;
    case DType::kF64:
      descr = "<f8";
      break;
    case DType::kI32:
      descr = "<i4";
      break;
    case DType::kU8:
      descr = u8 == NpyU8::kBool ? "|b1" : "|u1";
      break;
    case DType::kNone:
      break;
  }
  std::string sizes;
  for (int64_t size : tensor.shape()) sizes += fmt::format("{}{}", sizes.empty() ? "" : " ", size) + ",";
  if (tensor.rank() > 1) sizes.pop_back();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, sizes);
  const size_t start = 10;
  header.append((64 - (start + header.size() + 1) % 64) % 64, ' ');  // the elements start at a multiple of 64
  header += '\n';
  std::string head(kMagic);
  head += {'\1', '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  file.write(head + header);
  file.write(std::span<const std::byte>(tensor.bytes_data(), static_cast<size_t>(tensor.bytes())));
}

void write_npy(const std::string& path, const Tensor& tensor, NpyU8 u8) {
  StagedFile file(path, "npy");
  write_npy(file, tensor, u8);
  file.commit();
}

}  // namespace fovea
