// A scene of a few shapes, what can be said about it, and whether that is true.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::data {

enum class ShapeKind : uint8_t { kCircle, kSquare, kTriangle, kStar };
enum class Colour : uint8_t { kRed, kGreen, kBlue, kYellow, kPurple, kOrange };
enum class ShapeSize : uint8_t { kSmall, kLarge };
enum class Relation : uint8_t { kLeftOf, kRightOf, kAbove, kBelow };
inline constexpr int64_t kShapeKinds = 4, kColours = 6, kShapeSizes = 2, kRelations = 4;

std::string_view name_of(ShapeKind kind);     // "circle", "square", "triangle", "star"
std::string_view name_of(Colour colour);      // "red", "green", "blue", "yellow", "purple", "orange"
std::string_view name_of(ShapeSize size);     // "small", "large"
std::string_view name_of(Relation relation);  // "left of", "right of", "above", "below"
Relation opposite(Relation relation);         // a REL b says the same as b opposite(REL) a

struct SceneObject {
  ShapeKind kind{};
  Colour colour{};
  ShapeSize size{};
  float x = 0, y = 0;               // the centre, in pixels, y down
  float radius = 0, turn = 0;       // in pixels and radians
  std::array<uint8_t, 3> rgb = {};  // the shade of its colour
};

// One to three objects; no two agree in kind, colour and size.
struct Scene {
  std::vector<SceneObject> objects;
};

// Where a lies as seen from b: left of or right of where |dx| >= clear |dy|, above or below where |dy| >= clear |dx|, otherwise none:
// too nearly diagonal to say.
inline constexpr float kClearEnough = 1.25f;
std::optional<Relation> relation_between(const SceneObject& a, const SceneObject& b,
                                         float clear = kClearEnough);

// What a sentence says, whatever its wording.
struct Description {
  struct Object {
    ShapeKind kind{};
    std::optional<Colour> colour;   // none: not said
    std::optional<ShapeSize> size;  // none: not said
    // Words [first_word, first_word + words) of the sentence name it; the article is none of them.
    int64_t first_word = 0, words = 0;
  };
  struct Statement {
    size_t subject, other;  // objects[subject] is `relation` objects[other]
    Relation relation;
  };
  std::vector<Object> objects;
  std::vector<Statement> statements;
};

// Reads a sentence. None where it is not one of
//   sentence = [ "there is" | "only" | "in the picture is" ] object tail...     a tail may lack its "and" right after the first object
//            | RELATION object "is" object tail...
//   object   = "a" [ SIZE ] [ COLOUR ] KIND
//   tail     = "and" RELATION object               the first object of the sentence is RELATION this one
//            | "which is" RELATION object          the object named last is RELATION this one
//            | "and" RELATION "it" [ "is" ] object this one is RELATION the object named last
// Words are separated by blanks; a full stop at the end, on its own or not, is left aside.
std::optional<Description> parse_scene(std::string_view sentence);

// For each object of the description the object of the scene that it is, all different, so that everything said is true; none where
// something is not. Of several ways the first.
std::optional<std::vector<size_t>> match(const Description& description, const Scene& scene);
// Everything that is said is true of the scene.
bool holds(const Description& description, const Scene& scene);
// It holds, and it is the whole scene: all objects with kind, colour and size, and each connected with the others by statements.
bool says_all(const Description& description, const Scene& scene);

// A sentence, and for each of its words the object of the scene that it names (its size, colour or kind), or -1.
struct Sentence {
  std::string text;
  std::vector<int> object_of_word;
};
// In one of kWordings wordings; scene.objects[i] and [i + 1] must have a relation. Wordings differ in the order in which objects are named:
//   0  a small red circle left of a large blue square which is above a small green star
//   1  there is a large blue square right of a small red circle and above a small green star
//   2  a small red circle and right of it a large blue square and below it a small green star
//   3  above a small green star is a large blue square and left of it is a small red circle
inline constexpr int kWordings = 4;
Sentence say_scene(const Scene& scene, int wording);

}  // namespace fovea::data
