#include "fovea/data/pictures/scenes.h"

#include <cmath>
#include <numbers>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

constexpr auto kSide = static_cast<float>(kSceneSide);
constexpr float kClearWhenDrawn = 1.6f;
// In radii: no corner of any shape, however turned, is farther away along an axis.
constexpr float kExtent = 1.1f;
constexpr float kGap = 0.75f, kMostTurn = 0.12f;
constexpr int kTriesOfOne = 20, kTriesOfAll = 100;
constexpr int kShadeOfColour = 12;  // a channel differs from its colour by at most so much

// Colours as in the enum.
constexpr std::array<uint8_t, 3> kRgb[] = {{218, 42, 40},  {44, 166, 62},  {44, 84, 220},
                                           {238, 208, 42}, {142, 52, 172}, {243, 132, 32}};

SceneObject draw_object(Random& random) {
  SceneObject object;
  object.kind = static_cast<ShapeKind>(random.below(kShapeKinds));
  object.colour = static_cast<Colour>(random.below(kColours));
  object.size = static_cast<ShapeSize>(random.below(kShapeSizes));
  object.radius = object.size == ShapeSize::kSmall ? random.uniform(3.0f, 3.9f) : random.uniform(5.5f, 6.5f);
  object.turn = random.uniform(-kMostTurn, kMostTurn);
  for (size_t c = 0; c < 3; ++c)
    object.rgb[c] = static_cast<uint8_t>(std::clamp<int64_t>(
        kRgb[static_cast<size_t>(object.colour)][c] + random.below(2 * kShadeOfColour + 1) - kShadeOfColour,
        0, 255));
  return object;
}

bool alike(const SceneObject& a, const SceneObject& b) {
  return a.kind == b.kind && a.colour == b.colour && a.size == b.size;
}

bool apart(const SceneObject& a, const SceneObject& b) {
  const float least = kExtent * (a.radius + b.radius) + kGap;
  return std::abs(a.x - b.x) >= least || std::abs(a.y - b.y) >= least;
}

// A place for objects[i] beside those before it; false where none was found in some tries.
bool place_one(std::vector<SceneObject>& objects, size_t i, Random& random) {
  SceneObject& object = objects[i];
  const float margin = kExtent * object.radius + 0.25f;
  for (int attempt = 0; attempt < kTriesOfOne; ++attempt) {
    object.x = random.uniform(margin, kSide - margin);
    object.y = random.uniform(margin, kSide - margin);
    bool good = i == 0 || relation_between(object, objects[i - 1], kClearWhenDrawn);
    for (size_t j = 0; j < i; ++j) good = good && apart(object, objects[j]);
    if (good) return true;
  }
  return false;
}

bool place(std::vector<SceneObject>& objects, Random& random) {
  for (int attempt = 0; attempt < kTriesOfAll; ++attempt) {
    size_t placed = 0;
    while (placed < objects.size() && place_one(objects, placed, random)) ++placed;
    if (placed == objects.size()) return true;
  }
  return false;
}

// The corners at a radius of 1, y down; within kExtent when turned.
std::span<const Point> corners_of(ShapeKind kind) {
  static constexpr Point kSquare[] = {{-0.88f, -0.88f}, {0.88f, -0.88f}, {0.88f, 0.88f}, {-0.88f, 0.88f}};
  static constexpr Point kTriangle[] = {{0, -0.98f}, {0.98f, 0.74f}, {-0.98f, 0.74f}};
  // Points at 1.1 and 0.462, 36 degrees apart.
  static constexpr Point kStar[] = {
      {0, -1.1f},  {0.2716f, -0.3738f}, {1.0462f, -0.3399f}, {0.4394f, 0.1428f},   {0.6466f, 0.8899f},
      {0, 0.462f}, {-0.6466f, 0.8899f}, {-0.4394f, 0.1428f}, {-1.0462f, -0.3399f}, {-0.2716f, -0.3738f}};
  return kind == ShapeKind::kSquare     ? std::span<const Point>(kSquare)
         : kind == ShapeKind::kTriangle ? std::span<const Point>(kTriangle)
                                        : std::span<const Point>(kStar);
}

void add_shape(const SceneObject& object, Coverage& to) {
  if (object.kind == ShapeKind::kCircle) return to.add_disc({object.x, object.y}, object.radius);
  const float c = object.radius * std::cos(object.turn), s = object.radius * std::sin(object.turn);
  Point turned[10];
  size_t n = 0;
  for (const Point& p : corners_of(object.kind))
    turned[n++] = {object.x + c * p.x - s * p.y, object.y + s * p.x + c * p.y};
  to.add_polygon({turned, n});
}

// Lays a colour over the pixels as far as they are covered.
void lay(const Coverage& mask, const std::array<uint8_t, 3>& rgb, Picture& picture) {
  uint8_t* p = picture.pixels.data();
  for (const float a : mask.values()) {
    if (a > 0)
      for (size_t c = 0; c < 3; ++c) {
        const auto old = static_cast<float>(p[c]);
        p[c] = static_cast<uint8_t>(old + a * (static_cast<float>(rgb[c]) - old) + 0.5f);
      }
    p += 3;
  }
}

void add_clutter(int64_t pieces, Random& random, Picture& picture) {
  Coverage mask(kSceneSide, kSceneSide);
  for (int64_t i = 0; i < pieces; ++i) {
    const Point a{random.uniform(0, kSide), random.uniform(0, kSide)};
    const float angle = random.uniform(0, 2 * std::numbers::pi_v<float>), length = random.uniform(2, 7);
    const auto grey = static_cast<uint8_t>(90 + random.below(110));
    const Point line[] = {a, {a.x + length * std::cos(angle), a.y + length * std::sin(angle)}};
    mask.clear();
    mask.add_line(line, 0.5f);
    lay(mask, {grey, grey, grey}, picture);
  }
}

}  // namespace

void add_noise(Picture& picture, float deviation, Random& random) {
  // The sum of four bytes has mean 510 and variance 4 (256^2 - 1) / 12.
  const float scale = deviation * 255 / std::sqrt((256.0f * 256 - 1) / 3);
  for (uint8_t& value : picture.pixels) {
    const uint32_t bits = random.bits();
    const auto sum =
        static_cast<float>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24)) - 510;
    value = static_cast<uint8_t>(std::clamp(static_cast<float>(value) + scale * sum + 0.5f, 0.0f, 255.0f));
  }
}

Scene draw_scene(Random& random, const SceneOptions& options) {
  check(options.min_shapes >= 1 && options.min_shapes <= options.max_shapes && options.max_shapes <= 3,
        "scenes", "{} to {} shapes: expected a range within 1 to 3", options.min_shapes, options.max_shapes);
  const int64_t n = options.min_shapes + random.below(options.max_shapes - options.min_shapes + 1);
  Scene scene;
  auto& objects = scene.objects;
  objects.reserve(3);
  do {
    objects.clear();
    while (static_cast<int64_t>(objects.size()) < n) {
      const SceneObject object = draw_object(random);
      if (std::none_of(objects.begin(), objects.end(),
                       [&](const auto& other) { return alike(object, other); }))
        objects.push_back(object);
    }
  } while (!place(objects, random));
  return scene;
}

Picture paint_scene(const Scene& scene, Random& random, const SceneOptions& options,
                    std::vector<Coverage>* masks) {
  check(options.shade >= 0 && options.shade <= 1 && options.clutter >= 0 && options.noise >= 0, "scenes",
        "shade {}, clutter {} and noise {}: expected 0 to 1, and 0 or more", options.shade, options.clutter,
        options.noise);
  const auto ground = static_cast<uint8_t>(255 * (1 - options.shade * random.uniform()) + 0.5f);
  Picture picture(kSceneSide, kSceneSide, 3, ground);
  add_clutter(options.clutter, random, picture);
  if (masks) masks->clear();
  Coverage mask(kSceneSide, kSceneSide);
  for (const SceneObject& object : scene.objects) {
    mask.clear();
    add_shape(object, mask);
    lay(mask, object.rgb, picture);
    if (masks) masks->push_back(mask);
  }
  if (options.noise > 0) add_noise(picture, options.noise, random);
  return picture;
}

}  // namespace fovea::data
