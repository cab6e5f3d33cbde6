#include "fovea/tensor/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"
#include "fovea/tensor/encoding.h"
#include "fovea/tensor/safetensors_header.h"

namespace fovea {
namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little-endian; elements are copied as they lie");

struct Type {
  std::string_view name;
  Encoding encoding;
};
using Kind = Encoding::Kind;
constexpr std::array kTypes = {
    Type{"F32", {Kind::kFloat, 4}},    Type{"F64", {Kind::kFloat, 8}},    Type{"F16", {Kind::kFloat, 2}},
    Type{"BF16", {Kind::kBFloat, 2}},  Type{"I8", {Kind::kSigned, 1}},    Type{"I16", {Kind::kSigned, 2}},
    Type{"I32", {Kind::kSigned, 4}},   Type{"I64", {Kind::kSigned, 8}},   Type{"U8", {Kind::kUnsigned, 1}},
    Type{"U16", {Kind::kUnsigned, 2}}, Type{"U32", {Kind::kUnsigned, 4}}, Type{"U64", {Kind::kUnsigned, 8}},
    Type{"BOOL", {Kind::kBool, 1}},
};
const Type* type_of(std::string_view name) {
  const auto* found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& type) { return type.name == name; });
  return found == kTypes.end() ? nullptr : found;
}

bool is_rounded(const NamedTensor& each) {
  return each.as != FileDType::kAsIs && each.tensor.dtype() == DType::kF32;
}

int64_t written_size(const NamedTensor& each) { return is_rounded(each) ? 2 : size_of(each.tensor.dtype()); }

std::string_view written_type(const NamedTensor& each) {
  if (is_rounded(each)) return each.as == FileDType::kF16 ? "F16" : "BF16";
  switch (each.tensor.dtype()) {
    case DType::kF32:
      return "F32";
    case DType::kF64:
      return "F64";
    case DType::kI32:
      return "I32";
    case DType::kU8:
      return "U8";
    case DType::kNone:
      break;
  }
  return "";
}

}  // namespace

Safetensors Safetensors::open(const std::string& path) {
  MappedFile file(path, "safetensors");
  Safetensors result = parse(file.bytes(), path);
  result.file_ = std::move(file);  // the bytes stay where they are
  return result;
}

Safetensors Safetensors::parse(std::span<const std::byte> bytes, std::string_view source) {
  check(!bytes.empty(), "safetensors", "{}: the file is empty", source);
  check(bytes.size() >= 8, "safetensors", "{}: cut short: {} bytes, fewer than the 8 of the header's length", source,
        bytes.size());
  uint64_t length = 0;
  for (size_t i = 0; i < 8; ++i) length |= std::to_integer<uint64_t>(bytes[i]) << (8 * i);
  check(length <= bytes.size() - 8, "safetensors", "{}: the header claims {} bytes, and the file holds {} more",
        source, length, bytes.size() - 8);
  check(length <= kMaxHeader, "safetensors", "{}: a header of {} bytes: expected {} or less", source, length,
        kMaxHeader);
  const std::string_view header_text(reinterpret_cast<const char*>(bytes.data()) + 8, length);

  Safetensors result;
  result.source_ = source;
  result.data_ = bytes.subspan(8 + length);
  SafetensorsHeader header = parse_safetensors_header(header_text, source);
  result.metadata_ = std::move(header.metadata);
  for (auto& [name, entry] : header.tensors) result.entries_.push_back(std::move(entry));
  result.check_data();
  return result;
}

void Safetensors::release(std::span<const std::byte> bytes) const {
  if (file_) file_->release(bytes);
}

// Each tensor's bytes are in the data and as many as its shape takes; together they cover the data exactly
// once.
void Safetensors::check_data() const {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries_) {
    check(entry.begin <= entry.end, "safetensors", "{}: {}: data_offsets [{}, {}] run backwards", source_,
          quote(entry.name), entry.begin, entry.end);
    check(entry.end <= data_.size(), "safetensors", "{}: {}: data_offsets [{}, {}] pass the {} bytes of data", source_,
          quote(entry.name), entry.begin, entry.end, data_.size());
    const Type* type = type_of(entry.dtype);
    const int64_t needed = encoded_bytes(entry.shape, type ? type->encoding.bytes : 1);
    check(needed >= 0, "safetensors", "{}: {}: shape {} has too many elements", source_, quote(entry.name),
          entry.shape.str());
    check(!type || static_cast<size_t>(needed) == entry.end - entry.begin, "safetensors",
          "{}: {}: shape {} of {} takes {} bytes, and its data_offsets [{}, {}] hold {}", source_,
          quote(entry.name), entry.shape.str(), entry.dtype, needed, entry.begin, entry.end,
          entry.end - entry.begin);
    order.push_back(&entry);
  }
  std::sort(order.begin(), order.end(), [](const Entry* a, const Entry* b) {
    return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
  });
  size_t at = 0;
  for (const Entry* entry : order) {
    check(entry->begin >= at, "safetensors", "{}: {}: its data overlaps that of another tensor", source_,
          quote(entry->name));
    check(entry->begin == at, "safetensors", "{}: bytes {} to {} of the data belong to no tensor", source_, at,
          entry->begin);
    at = entry->end;
  }
  check(at == data_.size(), "safetensors", "{}: bytes {} to {} of the data belong to no tensor", source_, at,
        data_.size());
}

const Safetensors::Entry* Safetensors::find(std::string_view name) const {
  const auto found =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const Entry& entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries_.end() && found->name == name ? &*found : nullptr;
}

Tensor Safetensors::read(std::string_view name) const {
  const Entry* entry = find(name);
  if (!entry) {
    std::vector<std::string> names;
    for (const Entry& each : entries_) names.push_back(each.name);
    std::string listed;
    for (const std::string& near : nearest(name, names, 5))
      listed += (listed.empty() ? "" : ", ") + quote(near);
    if (names.size() > 5) listed += fmt::format(" and {} more", names.size() - 5);
    fail("safetensors", "{}: no tensor {}: it has {}", source_, quote(name), names.empty() ? "none" : listed);
  }
  const Type* type = type_of(entry->dtype);
  check(type != nullptr, "safetensors",
        "{}: {} has elements of type {}: expected F16 BF16 F32 F64, I8 to I64, U8 to U64 or BOOL", source_,
        quote(name), quote(entry->dtype));
  return decode(data_.subspan(entry->begin, entry->end - entry->begin), entry->shape, type->encoding, false,
                "safetensors", fmt::format("{}: {}", source_, quote(name)));
}

namespace {

void write_rounded(const ByteSink& sink, std::span<const float> numbers, FileDType as) {
  std::vector<uint16_t> some;
  for (constexpr size_t kSome = 1 << 14; !numbers.empty(); numbers = numbers.subspan(some.size())) {
    some.resize(std::min(kSome, numbers.size()));
    std::transform(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(some.size()), some.begin(),
                   as == FileDType::kF16 ? float_to_half : float_to_bfloat);
    sink(std::as_bytes(std::span(some)));
  }
}

}  // namespace

void write_safetensors(const ByteSink& sink, std::string_view target, std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  std::vector<const NamedTensor*> order;
  for (const NamedTensor& each : tensors) {
    check(each.tensor.defined(), "safetensors", "{}: {} is undefined and cannot be written", target, quote(each.name));
    check(each.name != "__metadata__", "safetensors", "{}: no tensor can be named __metadata__", target);
    order.push_back(&each);
  }
  std::sort(order.begin(), order.end(), [](const NamedTensor* a, const NamedTensor* b) {
    const int64_t size_a = written_size(*a), size_b = written_size(*b);
    return size_a != size_b ? size_a > size_b : a->name < b->name;
  });
  nlohmann::json header = nlohmann::json::object();
  int64_t at = 0;
  for (const NamedTensor* each : order) {
    const Tensor& tensor = each->tensor;
    check(!header.contains(each->name), "safetensors", "{}: two tensors are named {}", target, quote(each->name));
    const int64_t bytes = tensor.size() * written_size(*each);
    header[each->name] = {{"dtype", written_type(*each)},
                          {"shape", std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end())},
                          {"data_offsets", {at, at + bytes}}};
    at += bytes;
  }
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    fail("safetensors", "{}: a name or the metadata is no valid UTF-8", target);
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  check(text.size() <= Safetensors::kMaxHeader, "safetensors", "{}: a header of {} bytes: expected {} or less", target,
        text.size(), Safetensors::kMaxHeader);
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i) & 255);
  const std::string head = length + text;
  sink(std::as_bytes(std::span(head.data(), head.size())));
  for (const NamedTensor* each : order) {
    if (is_rounded(*each))
      write_rounded(sink, each->tensor.span<float>(), each->as);
    else
      sink({each->tensor.bytes_data(), static_cast<size_t>(each->tensor.bytes())});
  }
}

void write_safetensors(StagedFile& file, std::span<const NamedTensor> tensors, const Metadata& metadata) {
  write_safetensors([&](std::span<const std::byte> bytes) { file.write(bytes); }, file.target(), tensors,
                    metadata);
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const Metadata& metadata) {
  StagedFile file(path, "safetensors");
  write_safetensors(file, tensors, metadata);
  file.commit();
}

}  // namespace fovea
