// Pictures with attentions over them, for tests.
#pragma once

#include <string>
#include <vector>

#include "fovea/look/picture_map.h"

namespace fovea::look {

// Red grows to the right, green downwards; blue everywhere.
inline data::Picture made_picture(int64_t height, int64_t width) {
  data::Picture picture(height, width, 3);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      picture.at(y, x)[0] = static_cast<uint8_t>(255 * x / width);
      picture.at(y, x)[1] = static_cast<uint8_t>(255 * y / height);
      picture.at(y, x)[2] = 96;
    }
  return picture;
}

// Word r looks at place 3 r + 1, with a little left for the others.
inline PictureMap made_caption(int64_t side = 32, int grid = 8, bool hard = false,
                               const std::vector<std::string>& words = {"a", "small", "red", "circle",
                                                                        "<eos>"}) {
  PictureMap map;
  map.picture = made_picture(side, side);
  map.grid_height = map.grid_width = grid;
  map.atlas.title = "a small red circle";
  Stack stack;
  stack.name = "cross";
  stack.rows = words;
  stack.columns = place_names(grid, grid);
  stack.row_name = "word";
  stack.column_name = "place";
  const auto T = static_cast<int64_t>(words.size()), S = int64_t{grid} * grid;
  stack.weights = Tensor::full({1, 1, T, S}, hard ? 0 : 0.4 / static_cast<double>(S));
  for (int64_t r = 0; r < T; ++r) stack.weights.data<float>()[r * S + (3 * r + 1) % S] += hard ? 1 : 0.6f;
  if (hard) stack.chosen = chosen_columns(stack.weights);
  map.atlas.stacks.push_back(stack);
  return map;
}

// The class token of a Transformer over patches: head h of layer l looks at place 5 l + h. And what a rollout has.
inline PictureMap made_patches(int64_t side, int grid, int layers, int heads) {
  PictureMap map;
  map.picture = made_picture(side, side);
  map.grid_height = map.grid_width = grid;
  map.atlas.title = "7 (0.98)";
  const int64_t S = int64_t{grid} * grid;
  for (const char* name : {"class token", "rollout"}) {
    Stack stack;
    stack.name = name;
    stack.rows = {"class token"};
    stack.columns = place_names(grid, grid);
    const int64_t H = stack.name == "rollout" ? 1 : heads;
    stack.weights = Tensor::full({layers, H, 1, S}, 0.3 / static_cast<double>(S));
    for (int64_t l = 0; l < layers; ++l)
      for (int64_t h = 0; h < H; ++h) stack.weights.data<float>()[(l * H + h) * S + (5 * l + h) % S] += 0.5f;
    map.atlas.stacks.push_back(stack);
  }
  return map;
}

}  // namespace fovea::look
