#include "fovea/run/linear.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/parallel.h"
#include "fovea/base/scratch.h"
#include "fovea/kernels/packed.h"
#include "fovea/kernels/quantized.h"

namespace fovea::run {
namespace {

// Row r of all parts together: the part it is of, and its number there.
std::pair<const WeightPart*, int64_t> find_row(const std::vector<WeightPart>& parts, int64_t r) {
  for (const WeightPart& part : parts) {
    if (r < part.rows) return {&part, r};
    r -= part.rows;
  }
  fail("linear", "row {} beyond the weights", r);
}

// Panels are packed in groups, after each of which what was read is given back: a file never lies in memory beside its packed form.
constexpr int64_t kGroupBytes = int64_t{4} << 20;

// Calls pack(panel) for all panels on all threads, and gives back the rows of each group of panels.
template <typename F>
void in_groups(int64_t panels, int64_t panel_rows, int64_t row_bytes, const std::vector<WeightPart>& parts,
               const Weights* from, F&& pack) {
  const int64_t group = std::max<int64_t>(2, kGroupBytes / std::max<int64_t>(1, panel_rows * row_bytes));
  for (int64_t begin = 0; begin < panels; begin += group) {
    const int64_t end = std::min(panels, begin + group);
    parallel_for(end - begin, [&](int64_t i) { pack(begin + i); });
    if (!from) continue;
    int64_t first = 0;
    for (const WeightPart& part : parts) {
      const int64_t from_row = std::clamp<int64_t>(begin * panel_rows - first, 0, part.rows),
                    to_row = std::clamp<int64_t>(end * panel_rows - first, 0, part.rows);
      if (!part.transposed && to_row > from_row) {
        WeightPart done = part;
        const auto bytes = static_cast<int64_t>(part.bytes()) / part.rows;
        done.data += from_row * bytes;
        done.rows = to_row - from_row;
        from->release(done);
      } else if (part.transposed && to_row == part.rows && from_row < to_row) {
        from->release(part);
      }
      first += part.rows;
    }
  }
}

}  // namespace

Linear::Linear(Weights& weights, const std::string& name, int64_t in, int64_t out, Precision precision)
    : Linear(weights, name + ".weight", weights.contains(name + ".bias") ? name + ".bias" : "", in, out,
             precision) {}

Linear::Linear(Weights& weights, const std::string& weight, const std::string& bias, int64_t in, int64_t out,
               Precision precision)
    : in_(in), out_(out), precision_(precision) {
  if (!bias.empty()) bias_ = weights.tensor(bias, {out});
  packed_ = weights.packed().take(packed_bytes());
  pack(weights.parts(weight, out, in), &weights);
}

Linear Linear::stacked(Weights& weights, const std::string& first, const std::string& second, int64_t in,
                       int64_t out, Precision precision) {
  Linear both;
  both.in_ = in;
  both.out_ = 2 * out;
  both.precision_ = precision;
  std::vector<WeightPart> parts = weights.parts(first + ".weight", out, in);
  for (const WeightPart& part : weights.parts(second + ".weight", out, in)) parts.push_back(part);
  if (weights.contains(first + ".bias")) {
    both.bias_ = Tensor::empty({2 * out});
    int64_t at = 0;
    for (const std::string& name : {first, second}) {
      const Tensor bias = weights.tensor(name + ".bias", {out});
      std::copy_n(bias.data<float>(), out, both.bias_.data<float>() + at);
      at += out;
    }
  }
  both.packed_ = weights.packed().take(both.packed_bytes());
  both.pack(parts, &weights);
  return both;
}

Linear::Linear(const Tensor& weight, const Tensor& bias, Precision precision)
    : in_(weight.dim(1)), out_(weight.dim(0)), precision_(precision), bias_(bias) {
  packed_ = Piece::alone(packed_bytes());
  pack({{.data = weight.bytes_data(), .rows = out_, .cols = in_}}, nullptr);
}

size_t Linear::packed_bytes() const {
  return precision_ == Precision::kInt8
             ? static_cast<size_t>(kernels::quantized_size(out_, in_))
             : static_cast<size_t>(kernels::packed_size(in_, out_)) * sizeof(float);
}

void Linear::pack(const std::vector<WeightPart>& parts, const Weights* from) {
  if (precision_ == Precision::kInt8)
    pack_int8(parts, from);
  else
    pack_f32(parts, from);
}

void Linear::pack_f32(const std::vector<WeightPart>& parts, const Weights* from) {
  using kernels::kPanel;
  auto* to = packed_.as<float>();
  in_groups((out_ + kPanel - 1) / kPanel, kPanel, in_ * 4, parts, from, [&](int64_t panel) {
    const int64_t first = panel * kPanel, count = std::min(kPanel, out_ - first);
    float* packed = to + first * in_;
    const auto [part, row] = find_row(parts, first);
    const float* in_place = part->in_place();
    if (in_place && row + count <= part->rows) {
      if (part->transposed)
        kernels::pack(false, in_, count, in_place + row, part->rows, packed);
      else
        kernels::pack(true, in_, count, in_place + row * in_, in_, packed);
      return;
    }
    Scratch scratch;
    auto* rows = scratch.take<float>(count * in_);
    for (int64_t r = 0; r < count; ++r) {
      const auto [of, at] = find_row(parts, first + r);
      of->row(at, rows + r * in_);
    }
    kernels::pack(true, in_, count, rows, in_, packed);
  });
}

void Linear::pack_int8(const std::vector<WeightPart>& parts, const Weights* from) {
  kernels::QuantizedPacker packer(out_, in_, packed_.as<int8_t>());
  in_groups(packer.panels(), kernels::kQuantizedPanel, in_, parts, from, [&](int64_t panel) {
    const int64_t first = panel * kernels::kQuantizedPanel,
                  count = std::min(kernels::kQuantizedPanel, out_ - first);
    Scratch scratch;
    auto* q = scratch.take<int8_t>(count * in_);
    auto* row = scratch.take<float>(in_);
    float scale[kernels::kQuantizedPanel];
    for (int64_t r = 0; r < count; ++r) {
      const auto [part, at] = find_row(parts, first + r);
      if (part->type == Element::kU8) {
        scale[r] = part->quantized_row(at, q + r * in_);
        continue;
      }
      part->row(at, row);
      scale[r] = kernels::quantize_row(in_, row, q + r * in_);
    }
    packer.pack(panel, q, scale);
  });
  packer.finish();
}

Held Linear::held() const {
  Held held;
  (precision_ == Precision::kInt8 ? held.int8_bytes : held.f32_bytes) += static_cast<int64_t>(packed_.bytes);
  if (bias_.defined()) held.f32_bytes += bias_.bytes();
  return held;
}

Tensor Linear::operator()(const Tensor& x) const {
  Tensor y = Tensor::empty({x.dim(0), out_});
  run(x.data<float>(), in_, x.dim(0), 0, y.data<float>(), out_);
  return y;
}

void Linear::add_to(const Tensor& y, const Tensor& x) const {
  run(x.data<float>(), in_, x.dim(0), 1, y.data<float>(), out_);
}

void Linear::run(const float* x, int64_t x_stride, int64_t rows, float beta, float* y,
                 int64_t y_stride) const {
  const float* bias = bias_.defined() ? bias_.data<float>() : nullptr;
  if (precision_ == Precision::kInt8)
    kernels::gemm_quantized(rows, out_, in_, x, x_stride, packed_.as<int8_t>(), bias, beta, y, y_stride);
  else
    kernels::gemm_packed(false, rows, out_, in_, x, x_stride, packed_.as<float>(), bias, beta, y, y_stride);
}

}  // namespace fovea::run
