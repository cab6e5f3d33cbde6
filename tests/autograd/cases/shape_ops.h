#pragma once

#include "fovea/autograd/shape_ops.h"
#include "tests/autograd/op_cases.h"

namespace fovea::testing {

inline std::vector<OpCase> shape_ops_cases() {
  using namespace autograd;
  const std::vector<Shapes> cubes = {{{2, 3, 4}}, {{1, 1, 1}}, {{3, 5, 9}}, {{0, 3, 2}}},
                            large = {{{60, 50, 40}}};
  return {
      {"reshape",
       [](auto& in) {
         return reshape(in[0], {-1, 2});
       },
       {{{3, 4}}, {{2}}, {{0, 2}}}},
      {"transpose_last",
       [](auto& in) { return transpose(in[0], -1, -2); },
       cubes,
       {{{400, 1, 300}}, {{60, 50, 40}}}},
      {"transpose_first", [](auto& in) { return transpose(in[0], 0, 1); }, cubes, large},
      {"permute",
       [](auto& in) {
         return permute(in[0], {2, 0, 1});
       },
       cubes, large},
      {"permute_of_four",
       [](auto& in) {
         return permute(in[0], {0, 3, 1, 2});
       },
       {{{2, 3, 4, 2}}}},
      {"concat_first",
       [](auto& in) {
         return concat({in[0], in[1]}, 0);
       },
       {{{2, 3}, {4, 3}}, {{0, 3}, {1, 3}}}},
      {"concat_last",
       [](auto& in) {
         return concat({in[0], in[1], in[2]}, -1);
       },
       {{{2, 3}, {2, 1}, {2, 0}}},
       {{{300, 70}, {300, 90}, {300, 1}}}},
      {"concat_with_itself",
       [](auto& in) {
         return concat({in[0], in[0]}, 0);
       },
       {{{2, 3}}}},
      {"gather_first",
       [](auto& in) {
         return gather(in[0], 0, Tensor::of<int32_t>({4}, std::vector<int32_t>{1, 0, 1, 2}));
       },
       {{{3, 4}}, {{3}}, {{3, 2, 2}}}},
      {"gather_last",
       [](auto& in) {
         return gather(in[0], -1, Tensor::of<int32_t>({3}, std::vector<int32_t>{2, 0, 2}));
       },
       {{{2, 3}}, {{2, 3, 4}}},
       {{{70, 60, 50}}}},
      {"slice_first", [](auto& in) { return slice(in[0], 0, 1, 3); }, {{{4, 3}}, {{3, 1, 2}}}},
      {"slice_middle",
       [](auto& in) { return slice(in[0], 1, 1, 3); },
       {{{2, 4, 3}}, {{1, 3, 1}}},
       {{{300, 5, 70}}}},
      {"slice_of_nothing", [](auto& in) { return slice(in[0], 1, 2, 2); }, {{{2, 4, 3}}}},
      {"pad", [](auto& in) { return pad(in[0], 1, 2, 1, 0.5); }, {{{2, 4, 3}}, {{2, 0}}}, {{{300, 5, 70}}}},
  };
}

}  // namespace fovea::testing
