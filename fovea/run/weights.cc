#include "fovea/run/weights.h"

#include <algorithm>
#include <cstring>

#include "fovea/base/error.h"
#include "fovea/base/quote.h"
#include "fovea/models/layouts/layout.h"
#include "fovea/tensor/encoding.h"

namespace fovea::run {
namespace {

size_t size_of(Element type) {
  switch (type) {
    case Element::kF32:
      return 4;
    case Element::kF64:
      return 8;
    case Element::kF16:
    case Element::kBF16:
      return 2;
    default:
      return 1;
  }
}

template <typename T>
T load(const std::byte* at) {
  T x;
  std::memcpy(&x, at, sizeof(T));
  return x;
}

// n elements, `apart` bytes from each other.
template <typename T, typename F>
void convert(const std::byte* from, size_t apart, int64_t n, float* to, F&& f) {
  for (int64_t i = 0; i < n; ++i, from += apart) to[i] = f(load<T>(from));
}

Element element_of(const Safetensors::Entry& entry, const std::string& file) {
  constexpr std::pair<std::string_view, Element> kTypes[] = {{"F32", Element::kF32},
                                                             {"F64", Element::kF64},
                                                             {"F16", Element::kF16},
                                                             {"BF16", Element::kBF16},
                                                             {"U8", Element::kU8}};
  for (const auto& [name, type] : kTypes)
    if (entry.dtype == name) return type;
  fail("model", "{}: tensor {} is {}: weights are F32, F16, BF16 or F64", file, quote(entry.name),
       entry.dtype);
}

std::string shape_text(int64_t rows, int64_t cols) { return Shape{rows, cols}.str(); }

}  // namespace

size_t WeightPart::bytes() const { return static_cast<size_t>(rows * cols) * size_of(type); }

void WeightPart::row(int64_t r, float* to) const {
  if (channels > 0) {
    WeightPart plain = *this;
    plain.channels = 0;
    std::vector<float> lies(static_cast<size_t>(cols));
    plain.row(r, lies.data());
    const int64_t places = cols / channels;
    for (int64_t i = 0; i < cols; ++i) to[i % places * channels + i / places] = lies[static_cast<size_t>(i)];
    return;
  }
  const size_t size = size_of(type), apart = transposed ? static_cast<size_t>(rows) * size : size;
  const std::byte* from = data + static_cast<size_t>(transposed ? r : r * cols) * size;
  switch (type) {
    case Element::kF32:
      if (!transposed) {
        std::memcpy(to, from, static_cast<size_t>(cols) * size);
        return;
      }
      return convert<float>(from, apart, cols, to, [](float x) { return x; });
    case Element::kF64:
      return convert<double>(from, apart, cols, to, [](double x) { return static_cast<float>(x); });
    case Element::kF16:
      return convert<uint16_t>(from, apart, cols, to, half_to_float);
    case Element::kBF16:
      return convert<uint16_t>(from, apart, cols, to,
                               [](uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); });
    case Element::kU8: {
      const auto unit = load<float>(scale + static_cast<size_t>(r) * sizeof(float));
      return convert<uint8_t>(from, apart, cols, to,
                              [&](uint8_t x) { return static_cast<float>(int{x} - 128) * unit; });
    }
  }
}

float WeightPart::quantized_row(int64_t r, int8_t* to) const {
  const std::byte* from = data + r * cols;
  for (int64_t c = 0; c < cols; ++c) to[c] = static_cast<int8_t>(std::to_integer<uint8_t>(from[c]) ^ 0x80);
  return load<float>(scale + static_cast<size_t>(r) * sizeof(float));
}

const float* WeightPart::in_place() const {
  const bool fits =
      channels == 0 && type == Element::kF32 && reinterpret_cast<uintptr_t>(data) % alignof(float) == 0;
  return fits ? reinterpret_cast<const float*>(data) : nullptr;
}

Tensor Weights::tensor(const std::string& name, const Shape& shape) {
  const int64_t cols = shape.rank() > 1 ? shape.product(1, shape.rank()) : 1,
                rows = shape.rank() > 0 ? shape[0] : 1;
  Tensor whole = Tensor::empty(shape);
  float* to = whole.data<float>();
  for (const WeightPart& part : parts(name, rows, cols))
    for (int64_t r = 0; r < part.rows; ++r, to += cols) part.row(r, to);
  return whole;
}

NetWeights::NetWeights(models::Net& net) {
  for (const nn::Parameter* parameter : net.parameters()) tensors_[parameter->name] = parameter->value;
  for (const NamedTensor& buffer : net.buffers()) tensors_[buffer.name] = buffer.tensor;
}

std::vector<WeightPart> NetWeights::parts(const std::string& name, int64_t rows, int64_t cols) {
  const auto found = tensors_.find(name);
  check(found != tensors_.end(), "model", "the net has no tensor {}", quote(name));
  const Tensor& x = found->second;
  check(x.size() == rows * cols && x.dim(0) == rows, "model", "tensor {} has shape {}: expected {}",
        quote(name), x.shape().str(), shape_text(rows, cols));
  return {{.data = x.bytes_data(),
           .type = x.dtype() == DType::kF64 ? Element::kF64 : Element::kF32,
           .rows = rows,
           .cols = cols}};
}

FileWeights::FileWeights(std::shared_ptr<const models::WeightFiles> files, const models::Layout* layout)
    : files_(std::move(files)), layout_(layout) {}

bool FileWeights::contains(const std::string& name) const {
  for (const models::FilePart& piece : models::file_parts(layout_, name))
    if (!files_->contains(models::name_in(*files_, layout_, piece.name))) return false;
  return true;
}

WeightPart FileWeights::part(const models::FilePart& piece, int64_t rows, int64_t cols) {
  const std::string theirs = models::name_in(*files_, layout_, piece.name);
  check(files_->contains(theirs), "model", "{}: tensor '{}' is missing", files_->name(), piece.name);
  const Safetensors::Entry& entry = files_->entries().at(theirs).of;
  const std::string scale = theirs + ".scale";
  const bool matrix = cols > 1 || entry.shape.rank() > 1;
  WeightPart part{.data = files_->bytes(theirs).data(),
                  .type = element_of(entry, files_->name()),
                  .rows = rows,
                  .cols = cols};
  if (part.type == Element::kU8) {
    check(files_->contains(scale), "model",
          "{}: '{}' is U8, and there is no '{}': weights in 8 bits need their scales", files_->name(), theirs,
          scale);
    const Safetensors::Entry& units = files_->entries().at(scale).of;
    check(units.dtype == "F32" && units.shape == Shape{rows}, "model", "{}: '{}' is {} {}: expected F32 [{}]",
          files_->name(), scale, units.dtype, units.shape.str(), rows);
    part.scale = files_->bytes(scale).data();
    used_.insert(scale);
  } else {
    part.transposed = piece.transposed && matrix;
  }
  const int64_t first = part.transposed ? cols : rows, all = entry.shape.size();
  const bool leads = piece.lead < 0 ? first == 1 && entry.shape.rank() == (cols > 1 ? 1 : 0)
                                    : entry.shape.rank() > 0 && (entry.shape[0] == first ||
                                                                 (piece.lead > 0 && entry.shape[0] == 1));
  if (piece.patches) part.channels = patch_channels_;
  const bool squares =
      !piece.patches || (part.type != Element::kU8 && entry.shape.rank() == 4 &&
                         entry.shape[1] == patch_channels_ && entry.shape[2] == entry.shape[3]);
  check(leads && all == rows * cols && squares, "model", "{}: tensor '{}' has shape {}: expected {}",
        files_->name(), theirs, entry.shape.str(),
        cols == 1         ? Shape{rows}.str()
        : part.transposed ? shape_text(cols, rows)
                          : shape_text(rows, cols));
  used_.insert(theirs);
  return part;
}

std::vector<WeightPart> FileWeights::parts(const std::string& name, int64_t rows, int64_t cols) {
  std::vector<WeightPart> parts;
  const std::vector<models::FilePart> pieces = models::file_parts(layout_, name);
  for (const models::FilePart& piece : pieces) {
    const int64_t own = piece.part == models::NameRule::kWhole   ? rows
                        : piece.part == models::NameRule::kQuery ? joint_.query
                                                                 : joint_.key;
    parts.push_back(part(piece, own, cols));
  }
  return parts;
}

void FileWeights::release(const WeightPart& part) const { files_->release({part.data, part.bytes()}); }

void FileWeights::skip(const std::string& name) {
  if (!layout_) {
    for (const auto& [theirs, entry] : files_->entries())
      if (theirs.starts_with(name)) used_.insert(theirs);
    return;
  }
  for (const models::FilePart& piece : models::file_parts(layout_, name))
    used_.insert(models::name_in(*files_, layout_, piece.name));
}

void FileWeights::check_all_used() const {
  for (const auto& [name, entry] : files_->entries()) {
    if (used_.contains(name) || models::may_be_left_out(layout_, name)) continue;
    if (layout_ && layout_->zero_biases && name.ends_with(".bias")) {
      const Tensor bias = files_->read(name);
      const bool zero = bias.dtype() == DType::kF32 &&
                        std::ranges::all_of(bias.span<float>(), [](float x) { return x == 0; });
      check(zero, "model",
            "{}: tensor '{}' is not zero, and config.json says that the model has none (\"bias\": false)",
            files_->name(), name);
      continue;
    }
    fail("model", "{}: tensor {} is not part of this model", files_->name(), quote(name));
  }
}

}  // namespace fovea::run
