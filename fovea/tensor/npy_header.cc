#include "fovea/tensor/npy_header.h"

#include "fovea/base/quote.h"

namespace fovea {
namespace {

// Reads the dict from left to right. Every function skips spaces first.
class Parser {
 public:
  Parser(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  NpyHeader header() {
    NpyHeader header;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string("a key");
      expect(':');
      if (key == "descr" && !descr) {
        if (next() == '[')
          fail("npy", "{}: a structured type, which has no tensor: save its fields one by one", source_);
        header.descr = string("the type string");
        descr = true;
      } else if (key == "fortran_order" && !order) {
        header.fortran_order = boolean();
        order = true;
      } else if (key == "shape" && !shape) {
        header.shape = tuple();
        shape = true;
      } else {
        malformed(fmt::format("the key {}, unknown or a second time", quote(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (next() != '\0' || at_ < text_.size()) malformed("more after the dict");
    if (!descr || !order || !shape) malformed("expected the keys descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void malformed(std::string_view what) const {
    fail("npy", "{}: malformed header at byte {}: {}", source_, at_, what);
  }

  char next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (next() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) malformed(fmt::format("expected '{}'", c));
  }

  std::string string(std::string_view what) {
    const char mark = next();
    if (mark != '\'' && mark != '"') malformed(fmt::format("expected {} in quotes", what));
    const size_t end = text_.find(mark, at_ + 1);
    if (end == std::string_view::npos) malformed("a string without an end");
    const std::string value(text_.substr(at_ + 1, end - at_ - 1));
    if (value.find('\\') != std::string::npos) malformed("a backslash in a string");
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    next();
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    malformed("expected True or False");
  }

  int64_t size() {
    if (next() == '-') malformed("a negative size");
    int64_t value = 0;
    const size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value))
        malformed("a size beyond 64 bits");
    if (at_ == begin) malformed("expected a size");
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote 3L
    return value;
  }

  // () or (3,) or (2, 3) or (2, 3,); (3) is a number in parentheses and no tuple.
  Shape tuple() {
    Shape shape;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) malformed("expected ',' or ')'");
      if (shape.rank() == Shape::kMaxRank)
        fail("npy", "{}: more than {} axes, which is the most a tensor has", source_, Shape::kMaxRank);
      shape.push_back(size());
      comma = accept(',');
    }
    if (shape.rank() == 1 && !comma) malformed("the shape is no tuple: expected (n,)");
    return shape;
  }

  std::string_view text_, source_;
  size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view source) {
  return Parser(text, source).header();
}

}  // namespace fovea
