#include "fovea/tensor/convolution.h"

#include "fovea/tensor/picture.h"

namespace fovea::tensor {
namespace {

constexpr const char* kConvolution = "convolution";

kernels::WindowAxis axis_of(int64_t size, int64_t kernel, const ConvolutionOptions& o, const char* what) {
  const kernels::WindowAxis axis{size, kernel, o.stride, o.padding, o.dilation};
  check(kernel >= 1, kConvolution, "the kernel has a {} of {}: expected 1 or more", what, kernel);
  check(axis.out() >= 1, kConvolution,
        "a kernel that reaches over {} does not fit into a {} of {} with a padding of {}: give more padding "
        "or a smaller kernel",
        axis.reach(), what, size, o.padding);
  return axis;
}

}  // namespace

kernels::ConvolutionSize convolution_size(const Tensor& x, const Tensor& w, const Tensor& bias,
                                          const ConvolutionOptions& o) {
  check_picture(x, kConvolution);
  if (!w.defined() || w.rank() != 4)
    fail(kConvolution,
         "the weights have shape {}: expected [channels out, kernel height, kernel width, channels in / "
         "groups]",
         w.defined() ? w.shape().str() : "none");
  check(o.stride >= 1 && o.dilation >= 1 && o.groups >= 1 && o.padding >= 0, kConvolution,
        "stride {}, dilation {}, groups {}, padding {}: expected 1 or more, and 0 or more for the padding",
        o.stride, o.dilation, o.groups, o.padding);
  const int64_t in = x.dim(3), out = w.dim(0);
  check(in % o.groups == 0 && out % o.groups == 0, kConvolution,
        "{} groups do not divide {} channels in and {} out evenly", o.groups, in, out);
  if (w.dim(3) != in / o.groups)
    fail(kConvolution, "the weights {} read {} channels and the picture {} has {}{}", w.shape().str(),
         w.dim(3), x.shape().str(), in, o.groups > 1 ? " in " + std::to_string(o.groups) + " groups" : "");
  check(w.dtype() == x.dtype(), kConvolution, "the weights are {} and the picture {}", name_of(w.dtype()),
        name_of(x.dtype()));
  if (bias.defined() && (bias.rank() != 1 || bias.dim(0) != out || bias.dtype() != x.dtype()))
    fail(kConvolution, "the bias is {} {}: expected {} [{}], the channels out", name_of(bias.dtype()),
         bias.shape().str(), name_of(x.dtype()), out);
  return {.B = x.dim(0),
          .y = axis_of(x.dim(1), w.dim(1), o, "height"),
          .x = axis_of(x.dim(2), w.dim(2), o, "width"),
          .in = in,
          .out = out,
          .groups = o.groups};
}

Tensor convolution(const Tensor& x, const Tensor& w, const Tensor& bias, const ConvolutionOptions& options) {
  const kernels::ConvolutionSize size = convolution_size(x, w, bias, options);
  Tensor y = Tensor::empty({size.B, size.y.out(), size.x.out(), size.out}, x.dtype());
  for_float(x.dtype(), kConvolution, [&](auto t) {
    using T = decltype(t);
    kernels::convolution(size, x.data<T>(), w.data<T>(), bias.defined() ? bias.data<T>() : nullptr,
                         y.data<T>());
  });
  return y;
}

}  // namespace fovea::tensor
