#include "fovea/cli/attend_example.h"

#include <cmath>

#include "fovea/cli/output.h"
#include "fovea/look/width.h"
#include "fovea/nn/attend.h"

namespace fovea::cli {
namespace {

using autograd::Var;
using Words = std::vector<std::string>;

constexpr int kNameColumns = 8, kCellColumns = 9;

std::string cell(float x) {
  return std::isinf(x) ? fmt::format("{:>{}}", "-inf", kCellColumns)
                       : fmt::format("{:>{}.3f}", x, kCellColumns);
}

// A matrix [rows, columns] with a name at each row and, where given, above each column.
void print_matrix(const Tensor& x, const Words& rows, const Words& columns, const std::string& name) {
  const int64_t width = x.dim(-1);
  print("    {}", look::fit(name, kNameColumns));
  for (const std::string& column : columns) print("{}", look::fit(column, kCellColumns, look::Align::kRight));
  print("\n");
  for (size_t r = 0; r < rows.size(); ++r) {
    print("    {}", look::fit(rows[r], kNameColumns));
    for (int64_t c = 0; c < width; ++c)
      print("{}", cell(x.data<float>()[static_cast<int64_t>(r) * width + c]));
    print("\n");
  }
  print("\n");
}

float largest_difference(const Tensor& a, const Tensor& b) {
  float worst = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::abs(a.data<float>()[i] - b.data<float>()[i]));
  return worst;
}

}  // namespace

void attend_example(const MapOutputs& outputs) {
  const Words source = {"I", "am", "a", "student", "<pad>"}, target = {"나는", "학생", "이다"};
  // One vector a word. A trained model learns these; here the three numbers stand for person, thing and verb.
  const Tensor key = Tensor::of<float>({1, 5, 1, 3}, std::vector<float>{2.0f, 0.5f, 0.0f,      // I
                                                                        0.5f, 0.0f, 2.0f,      // am
                                                                        0.0f, 0.6f, 0.4f,      // a
                                                                        0.4f, 2.0f, 0.0f,      // student
                                                                        1.0f, 1.0f, 1.0f});    // <pad>
  const Tensor query = Tensor::of<float>({1, 3, 1, 3}, std::vector<float>{3.5f, 0.2f, 0.0f,    // 나는
                                                                          0.3f, 3.5f, 0.0f,    // 학생
                                                                          0.0f, 0.4f, 3.5f});  // 이다
  const Tensor value =
      Tensor::of<float>({1, 5, 1, 2}, std::vector<float>{1, 0, 0, 1, 0.2f, 0.2f, 1, 1, 9, 9});
  const nn::Mask mask = nn::lengths(Tensor::of<int32_t>({1}, std::vector<int32_t>{4}));

  print(
      "Where does each word of \"나는 학생 이다\" look in \"I am a student\"?\n"
      "Attention answers in four steps: score, mask, weigh, read. Here is every number.\n\n");
  print(
      "Queries q, one a target word; keys k and values v, one a source word. The source is padded to 5 "
      "words.\n\n");
  print_matrix(query, target, {"q1", "q2", "q3"}, "");
  print_matrix(key, source, {"k1", "k2", "k3"}, "");
  print_matrix(value, source, {"v1", "v2"}, "");

  const nn::Score& score = nn::score_named("scaled_dot");
  auto rows_inside = [](const Tensor& x) {
    return x.reshape({1, 1, x.dim(1), x.dim(3)});
  };  // one head: no numbers move
  const Var e = score.plain(rows_inside(query), rows_inside(key), {});
  print(
      "1. Score   e = q.k / sqrt(3): how well does each key answer the query?\n"
      "   {} . I: (3.5 x 2.0 + 0.2 x 0.5 + 0.0 x 0.0) / 1.732 = {:.3f}\n\n",
      target[0], e.value().data<float>()[0]);
  print_matrix(e.value(), target, source, "e");

  const nn::MaskParts parts = mask.resolve({.batch = 1, .queries = 3, .keys = 5, .heads = 1, .query = query});
  const Var hidden = nn::masked(e, parts);
  print("2. Mask    Padding is no word: its score becomes -inf, so that nobody can look there.\n\n");
  print_matrix(hidden.value(), target, source, "e");

  const Tensor w = nn::weigh_named("soft").weigh(hidden, parts, {}).weights.value();
  double sum = 0;
  for (int64_t j = 0; j < 4; ++j) sum += std::exp(hidden.value().data<float>()[j]);
  print(
      "3. Weigh   w = softmax(e) = exp(e) / sum exp(e): each row becomes shares that add up to 1.\n"
      "   {}: exp({:.3f}) / {:.3f} = {:.3f} of its attention goes to I.\n\n",
      target[0], hidden.value().data<float>()[0], sum, w.data<float>()[0]);
  print_matrix(w, target, source, "w");

  nn::AttendOptions options;
  options.mask = &mask;
  options.path = nn::Path::kPlain;
  const nn::Look look;
  options.look = &look;
  const nn::Attended plain = nn::attend(query, key, value, options);
  print(
      "4. Read    c = sum of w v: the context vector, a mixture of the values it looked at.\n"
      "   {}: {:.3f} (1, 0) + {:.3f} (0, 1) + {:.3f} (0.2, 0.2) + {:.3f} (1, 1) = ({:.3f}, {:.3f})\n\n",
      target[0], w.data<float>()[0], w.data<float>()[1], w.data<float>()[2], w.data<float>()[3],
      plain.context.value().data<float>()[0], plain.context.value().data<float>()[1]);
  print_matrix(plain.context.value(), target, {"c1", "c2"}, "");

  options.path = nn::Path::kFused;
  const nn::Attended fused = nn::attend(query, key, value, options);
  options.path = nn::Path::kBest;
  options.weigh = &nn::weigh_named("argmax");
  const nn::Attended hard = nn::attend(query, key, value, options);
  print(
      "The fused kernel does all four at once and never writes w down; its context differs by at most "
      "{:.1e}.\n",
      largest_difference(plain.context.value(), fused.context.value()));
  print("Hard attention would read one word each:");
  for (size_t i = 0; i < target.size(); ++i)
    print(" {} <- {}{}", target[i], source[static_cast<size_t>(hard.choice.at.data<int32_t>()[i])],
          i + 1 < target.size() ? "," : ".\n\n");

  look::Map map;
  map.rows = target;
  map.columns = source;
  map.weights = fused.seen.weights.reshape({3, 5});
  map.title = "Where each word looked";
  map.row_name = "target";
  map.column_name = "source";
  PendingFiles files;
  stage_map(map, outputs, files);
  files.commit();
  write_output(terminal_map(map, outputs));
  print(
      "\nNext: fovea attend --example --html map.html     the same map as a page to explore\n"
      "      fovea attend --help                        the same steps on your own arrays\n");
}

}  // namespace fovea::cli
