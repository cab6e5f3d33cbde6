#include "fovea/data/pictures/handwriting.h"

#include <cmath>

#include "fovea/base/error.h"

namespace fovea::data {
namespace {

// A point that the pen goes through, in a box of 1 x 1, y down. At a corner it changes its direction at once; elsewhere it goes in
// a smooth curve. `lift` begins a new stroke.
struct Knot {
  float x, y;
  bool corner = false, lift = false;
};
constexpr bool kCorner = true, kLift = true;
using Way = std::vector<Knot>;

// The ways to write each digit.
const std::vector<Way>& ways_of(int digit) {
  static const std::vector<Way> kWays[10] = {
      // 0
      {{{.52f, .02f},
        {.24f, .16f},
        {.10f, .5f},
        {.22f, .84f},
        {.5f, .98f},
        {.78f, .84f},
        {.9f, .5f},
        {.78f, .16f},
        {.5f, .02f}},
       {{.66f, .06f},
        {.34f, .06f},
        {.12f, .34f},
        {.1f, .68f},
        {.32f, .96f},
        {.68f, .94f},
        {.9f, .62f},
        {.86f, .26f},
        {.58f, .03f},
        {.44f, .1f}}},
      // 1
      {{{.5f, .02f}, {.5f, .5f}, {.5f, .98f}},
       {{.26f, .26f}, {.54f, .03f, kCorner}, {.54f, .98f}},
       {{.28f, .24f}, {.52f, .03f, kCorner}, {.52f, .97f}, {.22f, .97f, kCorner, kLift}, {.82f, .97f}}},
      // 2
      {{{.14f, .27f},
        {.3f, .07f},
        {.6f, .03f},
        {.82f, .22f},
        {.72f, .48f},
        {.42f, .76f},
        {.12f, .97f, kCorner},
        {.5f, .95f},
        {.9f, .96f}},
       {{.16f, .22f},
        {.36f, .04f},
        {.66f, .05f},
        {.8f, .26f},
        {.64f, .56f},
        {.36f, .86f},
        {.14f, .94f},
        {.1f, .82f},
        {.28f, .76f},
        {.56f, .9f},
        {.94f, .9f}}},
      // 3
      {{{.14f, .14f},
        {.42f, .02f},
        {.76f, .12f},
        {.74f, .36f},
        {.4f, .46f, kCorner},
        {.78f, .56f},
        {.86f, .8f},
        {.52f, .98f},
        {.12f, .86f}},
       {{.14f, .05f},
        {.8f, .04f, kCorner},
        {.44f, .4f, kCorner},
        {.78f, .5f},
        {.84f, .8f},
        {.48f, .98f},
        {.12f, .86f}}},
      // 4
      {{{.34f, .03f},
        {.2f, .34f},
        {.08f, .62f, kCorner},
        {.5f, .6f},
        {.94f, .58f},
        {.68f, .28f, kCorner, kLift},
        {.64f, .62f},
        {.6f, .98f}},
       {{.66f, .03f},
        {.36f, .36f},
        {.06f, .68f, kCorner},
        {.94f, .68f},
        {.66f, .03f, kCorner, kLift},
        {.66f, .98f}},
       {{.14f, .06f},
        {.1f, .34f},
        {.2f, .52f},
        {.5f, .52f},
        {.8f, .42f},
        {.84f, .04f, kCorner, kLift},
        {.82f, .5f},
        {.78f, .98f}}},
      // 5
      {{{.84f, .05f},
        {.24f, .05f, kCorner},
        {.2f, .46f, kCorner},
        {.5f, .36f},
        {.82f, .52f},
        {.82f, .82f},
        {.48f, .98f},
        {.12f, .88f}},
       {{.26f, .08f},
        {.18f, .46f, kCorner},
        {.54f, .38f},
        {.86f, .58f},
        {.76f, .88f},
        {.42f, .98f},
        {.12f, .9f},
        {.26f, .07f, kCorner, kLift},
        {.56f, .06f},
        {.88f, .03f}}},
      // 6
      {{{.74f, .03f},
        {.4f, .2f},
        {.16f, .54f},
        {.18f, .86f},
        {.48f, .98f},
        {.8f, .84f},
        {.8f, .62f},
        {.52f, .5f},
        {.2f, .68f}},
       {{.5f, .02f},
        {.26f, .34f},
        {.14f, .7f},
        {.34f, .97f},
        {.7f, .94f},
        {.84f, .72f},
        {.6f, .54f},
        {.3f, .62f},
        {.2f, .8f}}},
      // 7
      {{{.1f, .06f}, {.5f, .05f}, {.88f, .05f, kCorner}, {.62f, .46f}, {.42f, .98f}},
       {{.12f, .08f},
        {.86f, .05f, kCorner},
        {.56f, .5f},
        {.44f, .98f},
        {.26f, .52f, kCorner, kLift},
        {.78f, .5f}},
       {{.12f, .2f}, {.14f, .07f, kCorner}, {.88f, .06f, kCorner}, {.68f, .36f}, {.56f, .98f}}},
      // 8
      {{{.74f, .14f},
        {.48f, .02f},
        {.22f, .16f},
        {.34f, .38f},
        {.68f, .58f},
        {.8f, .82f},
        {.5f, .98f},
        {.18f, .82f},
        {.32f, .58f},
        {.68f, .36f},
        {.76f, .14f}},
       {{.5f, .46f},
        {.24f, .3f},
        {.32f, .06f},
        {.66f, .05f},
        {.76f, .28f},
        {.5f, .46f},
        {.18f, .66f},
        {.24f, .94f},
        {.72f, .95f},
        {.82f, .68f},
        {.5f, .46f}}},
      // 9
      {{{.8f, .24f},
        {.58f, .03f},
        {.26f, .1f},
        {.16f, .34f},
        {.36f, .5f},
        {.66f, .42f},
        {.8f, .2f, kCorner},
        {.76f, .6f},
        {.66f, .98f}},
       {{.78f, .2f},
        {.5f, .02f},
        {.2f, .16f},
        {.2f, .42f},
        {.5f, .52f},
        {.78f, .34f},
        {.8f, .2f, kCorner},
        {.84f, .62f},
        {.64f, .94f},
        {.24f, .92f}}},
  };
  check(digit >= 0 && digit <= 9, "digits", "the digit {}: expected 0 to 9", digit);
  return kWays[digit];
}

constexpr float kJitter = 0.036f;
constexpr int kSteps = 6;  // lines for the curve from one knot to the next

// Catmull and Rom's curve from b to c, with its neighbours a and d.
Point curve(Point a, Point b, Point c, Point d, float t) {
  const auto mix = [t](float p, float q, float r, float s) {
    return 0.5f * (2 * q + t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p))));
  };
  return {mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y)};
}

// The curve through knots, none of which but the first and the last is a corner.
void add_curve(std::span<const Point> through, Stroke& stroke) {
  const size_t n = through.size();
  if (stroke.empty()) stroke.push_back(through[0]);
  for (size_t i = 0; i + 1 < n; ++i) {
    const Point b = through[i], c = through[i + 1];
    const Point a = i > 0 ? through[i - 1] : Point{2 * b.x - c.x, 2 * b.y - c.y};
    const Point d = i + 2 < n ? through[i + 2] : Point{2 * c.x - b.x, 2 * c.y - b.y};
    const int steps = n == 2 ? 1 : kSteps;
    for (int k = 1; k <= steps; ++k)
      stroke.push_back(curve(a, b, c, d, static_cast<float>(k) / static_cast<float>(steps)));
  }
}

}  // namespace

int ways_to_write(int digit) { return static_cast<int>(ways_of(digit).size()); }

std::vector<Stroke> write_digit(int digit, Random& random) {
  const std::vector<Way>& ways = ways_of(digit);
  const Way& way = ways[static_cast<size_t>(random.below(static_cast<int64_t>(ways.size())))];
  const float width = random.uniform(0.48f, 0.9f), slant = 0.05f + 0.2f * random.normal();
  const float turn = 0.11f * random.normal(), c = std::cos(turn), s = std::sin(turn);
  const auto placed = [&](const Knot& knot) {
    const float x = (knot.x - 0.5f + kJitter * random.normal()) * width;
    const float y = knot.y - 0.5f + kJitter * random.normal();
    const float leaning = x - slant * y;
    return Point{c * leaning - s * y, s * leaning + c * y};
  };
  std::vector<Stroke> strokes;
  std::vector<Point> through;
  const auto end_curve = [&] {
    if (through.size() > 1) add_curve(through, strokes.back());
    through.clear();
  };
  for (const Knot& knot : way) {
    const Point p = placed(knot);
    if (strokes.empty() || knot.lift) {
      end_curve();
      strokes.emplace_back();
    }
    through.push_back(p);
    if (knot.corner && !knot.lift) {
      end_curve();
      through.push_back(p);
    }
  }
  end_curve();
  return strokes;
}

}  // namespace fovea::data
