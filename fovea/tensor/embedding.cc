#include "fovea/tensor/embedding.h"

#include "fovea/kernels/embedding.h"

namespace fovea::tensor {

Tensor embedding(const Tensor& table, const Tensor& ids) {
  if (!table.defined() || table.rank() != 2)
    fail("embedding", "the table has shape {}: expected [V, E]", table.shape().str());
  check(ids.defined() && ids.dtype() == DType::kI32, "embedding", "ids are not i32");
  const int32_t* id = ids.data<int32_t>();
  for (int64_t i = 0; i < ids.size(); ++i)
    if (id[i] < 0 || id[i] >= table.dim(0))
      fail("embedding", "id {} is {}: expected 0 to {}, the rows of the table", i, id[i], table.dim(0) - 1);
  Shape shape = ids.shape();
  shape.push_back(table.dim(1));
  Tensor y = Tensor::empty(shape, table.dtype());
  for_float(table.dtype(), "embedding", [&](auto t) {
    using T = decltype(t);
    kernels::gather_rows(table.data<T>(), id, y.data<T>(), ids.size(), table.dim(1));
  });
  return y;
}

}  // namespace fovea::tensor
