// Scenes in words, and back.
#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/data/pictures/scene.h"

namespace fovea::data {
namespace {

class Writer {
 public:
  explicit Writer(const Scene& scene) : scene_(scene) {}

  void words(std::string_view text, int object = -1) {
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      if (!out_.text.empty()) out_.text += ' ';
      out_.text += text.substr(at, end - at);
      out_.object_of_word.push_back(object);
      at = end + 1;
    }
  }
  void object(size_t i) {
    const SceneObject& object = scene_.objects[i];
    words("a");
    for (const std::string_view word : {name_of(object.size), name_of(object.colour), name_of(object.kind)})
      words(word, static_cast<int>(i));
  }
  // How objects[i] lies as seen from objects[j].
  void relation(size_t i, size_t j) {
    const auto relation = relation_between(scene_.objects[i], scene_.objects[j]);
    check(relation.has_value(), "scenes", "objects {} and {} have no clear relation: nothing can be said", i,
          j);
    words(name_of(*relation));
  }
  Sentence done() { return std::move(out_); }

 private:
  const Scene& scene_;
  Sentence out_;
};

class Parser {
 public:
  explicit Parser(std::string_view sentence) {
    if (sentence.ends_with('.')) sentence.remove_suffix(1);
    for (size_t at = 0; at < sentence.size();) {
      const size_t end = std::min(sentence.find(' ', at), sentence.size());
      if (end > at) words_.push_back(sentence.substr(at, end - at));
      at = end + 1;
    }
  }

  std::optional<Description> parse() {
    if (const auto relation = take_relation()) {  // RELATION object "is" object
      if (!take_object() || !take({"is"}) || !take_object()) return {};
      out_.statements.push_back({1, 0, *relation});
    } else {
      if (!take({"there", "is"}) && !take({"only"})) take({"in", "the", "picture", "is"});
      if (!take_object()) return {};
      const size_t start = at_;
      if (const auto first = take_relation()) {
        at_ = start;
        if (!take_tail()) return {};
      }
    }
    while (at_ < words_.size()) {
      const bool and_more = take({"and"});
      if (!and_more && !at_which()) return {};
      if (!take_tail()) return {};
    }
    return std::move(out_);
  }

 private:
  bool at_which() const { return at_ < words_.size() && words_[at_] == "which"; }

  bool take(std::initializer_list<std::string_view> expected) {
    if (words_.size() - at_ < expected.size() ||
        !std::equal(expected.begin(), expected.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_)))
      return false;
    at_ += expected.size();
    return true;
  }
  // A word that one of the values of an enum is called by.
  template <typename T>
  std::optional<T> take_named(int64_t values) {
    if (at_ == words_.size()) return {};
    for (int64_t i = 0; i < values; ++i)
      if (words_[at_] == name_of(static_cast<T>(i))) {
        ++at_;
        return static_cast<T>(i);
      }
    return {};
  }
  std::optional<Relation> take_relation() {
    if (take({"left", "of"})) return Relation::kLeftOf;
    if (take({"right", "of"})) return Relation::kRightOf;
    if (take({"above"})) return Relation::kAbove;
    if (take({"below"})) return Relation::kBelow;
    return {};
  }
  bool take_object() {
    if (!take({"a"})) return false;
    Description::Object object;
    object.first_word = static_cast<int64_t>(at_);
    object.size = take_named<ShapeSize>(kShapeSizes);
    object.colour = take_named<Colour>(kColours);
    const auto kind = take_named<ShapeKind>(kShapeKinds);
    if (!kind) return false;
    object.kind = *kind;
    object.words = static_cast<int64_t>(at_) - object.first_word;
    out_.objects.push_back(object);
    return true;
  }
  // A tail without its "and".
  bool take_tail() {
    const bool which = take({"which", "is"});
    const auto relation = take_relation();
    if (!relation) return false;
    const size_t last = out_.objects.size() - 1;
    const bool it = !which && take({"it"});
    if (it) take({"is"});
    if (!take_object()) return false;
    if (it)
      out_.statements.push_back({last + 1, last, *relation});
    else
      out_.statements.push_back({which ? last : 0, last + 1, *relation});
    return true;
  }

  std::vector<std::string_view> words_;
  size_t at_ = 0;
  Description out_;
};

}  // namespace

std::optional<Description> parse_scene(std::string_view sentence) { return Parser(sentence).parse(); }

Sentence say_scene(const Scene& scene, int wording) {
  const size_t n = scene.objects.size();
  check(n >= 1 && n <= 3 && wording >= 0 && wording < kWordings, "scenes",
        "a scene of {} objects in wording {}: expected 1 to 3 objects and a wording of 0 to {}", n, wording,
        kWordings - 1);
  Writer write(scene);
  switch (wording) {
    case 0:
      for (size_t i = 0; i < n; ++i) {
        if (i == 2) write.words("which is");
        if (i > 0) write.relation(i - 1, i);
        write.object(i);
      }
      break;
    case 1:  // the one that has a relation to both others comes first
      write.words("there is");
      write.object(n > 1 ? 1 : 0);
      for (const size_t i : {size_t{0}, size_t{2}}) {
        if (n == 1 || i >= n) continue;
        if (i == 2) write.words("and");
        write.relation(1, i);
        write.object(i);
      }
      break;
    case 2:
      if (n == 1) write.words("only");
      for (size_t i = 0; i < n; ++i) {
        if (i > 0) {
          write.words("and");
          write.relation(i, i - 1);
          write.words("it");
        }
        write.object(i);
      }
      break;
    default:  // the last one first
      if (n == 1) {
        write.words("in the picture is");
        write.object(0);
        break;
      }
      write.relation(n - 2, n - 1);
      write.object(n - 1);
      write.words("is");
      write.object(n - 2);
      if (n == 3) {
        write.words("and");
        write.relation(0, 1);
        write.words("it is");
        write.object(0);
      }
  }
  return write.done();
}

}  // namespace fovea::data
