// Every row of the case table, family by family.
#pragma once

#include <iterator>
#include <vector>

#include "tests/autograd/cases/activations.h"
#include "tests/autograd/cases/arithmetic.h"
#include "tests/autograd/cases/attention.h"
#include "tests/autograd/cases/distribution.h"
#include "tests/autograd/cases/dropout.h"
#include "tests/autograd/cases/embedding.h"
#include "tests/autograd/cases/loss.h"
#include "tests/autograd/cases/mask.h"
#include "tests/autograd/cases/matmul.h"
#include "tests/autograd/cases/normalise.h"
#include "tests/autograd/cases/pictures.h"
#include "tests/autograd/cases/positions.h"
#include "tests/autograd/cases/recurrent.h"
#include "tests/autograd/cases/reduce.h"
#include "tests/autograd/cases/shape_ops.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> all_cases() {
  std::vector<OpCase> all;
  const auto add = [&](std::vector<OpCase> family) {
    std::move(family.begin(), family.end(), std::back_inserter(all));
  };
  add(activations_cases());
  add(distribution_cases());
  add(dropout_cases());
  add(embedding_cases());
  add(arithmetic_cases());
  add(attention_cases());
  add(loss_cases());
  add(mask_cases());
  add(matmul_cases());
  add(normalise_cases());
  add(pictures_cases());
  add(positions_cases());
  add(recurrent_cases());
  add(reduce_cases());
  add(shape_ops_cases());
  return all;
}

}  // namespace fovea::testing
