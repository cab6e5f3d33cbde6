// Where a model looked in a picture: attentions whose keys are the places of a grid that lies over it, patches say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/picture.h"
#include "fovea/look/atlas.h"

namespace fovea::look {

struct PictureMap {
  data::Picture picture;                // all of what the grid lies over
  int grid_height = 0, grid_width = 0;  // places
  Atlas atlas;                          // columns of every stack are the places, row by row

  int places() const { return grid_height * grid_width; }
  // Throws unless picture, grid and attentions fit each other.
  void check() const;
};

// Throws for a picture without all of its pixels.
void check_shown(const data::Picture& picture);

// "0,0", "0,1", ...: row and column of each place.
std::vector<std::string> place_names(int grid_height, int grid_width);

// One attention over the picture, as it is drawn.
struct Tile {
  std::string label;           // a word, "head 3", "layer 2"
  std::vector<float> weights;  // by place
  int chosen = -1;             // hard attention: the place that was read; -1: soft, or none was
  bool hard = false;
  float most = 0;  // the largest weight, where the colours of this tile end
};
// Tiles that stand together: the words of a caption, the heads of a layer.
struct TileGroup {
  std::string name;  // empty where there is one attention alone
  std::vector<Tile> tiles;
};
// Stacks of several rows have a group for each head, with a tile for each row; those of one row (or with a chosen row) have a group for
// each layer, with a tile for each head; of one head alone one group, with a tile for each layer.
std::vector<TileGroup> tile_groups(const PictureMap& map);

// A picture that is embedded: its bytes as the address of an image. What is larger than `longest` on a side is made smaller.
std::string data_uri(const data::Picture& picture, int longest);

// An SVG <image> at (x, y) with these attributes beside its place and size. What is enlarged has sharp pixels in every program.
std::string svg_image(const data::Picture& picture, std::string_view attributes, double x, double y,
                      double width, double height);

}  // namespace fovea::look
