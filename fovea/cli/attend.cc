// fovea attend: the four steps on a user's own arrays.
#include <filesystem>
#include <map>
#include <sstream>

#include "fovea/cli/attend_example.h"
#include "fovea/cli/attend_request.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/nn/attend_arrays.h"
#include "fovea/tensor/array_file.h"
#include "fovea/tensor/npy.h"

namespace fovea::cli {
namespace {

Tensor read_float(const std::string& spec, const char* flag, DType type) {
  expect_usage(!spec.empty(), "{} is missing", flag);
  return read_array(spec).to(type);
}

Tensor truth(const Tensor& x) {
  Tensor y = Tensor::empty(x.shape(), DType::kU8);
  const Tensor numbers = x.to(DType::kF64);
  for (int64_t i = 0; i < x.size(); ++i) y.data<uint8_t>()[i] = numbers.data<double>()[i] != 0;
  return y;
}

class Run {
 public:
  explicit Run(AttendRequest request) : r_(std::move(request)), type_(r_.wide ? DType::kF64 : DType::kF32) {}

  void operator()() {
    expect_usage(!r_.query.empty() && !r_.key.empty() && !r_.value.empty(),
                 "--query, --key and --value are needed");
    expect_usage(!(r_.plain && r_.fused), "--plain and --fused exclude each other");
    expect_usage(r_.upstream.empty() == r_.grad_out.empty(), "--upstream and --grad-out go together");
    expect_usage(
        r_.hard.empty() || r_.upstream.empty(),
        "--hard has no gradient of its own: an estimator gives it one in training (see docs/attention.md)");
    expect_usage(
        !r_.out.empty() || !r_.weights_out.empty() || !r_.grad_out.empty() || r_.map.any(),
        "nothing to do: give --out, --weights-out, --grad-out, --show, --svg, --png, --html or --json");
    keep_inputs();
    named([&] { return &nn::score_named(r_.score); });
    arrays_.masks = named([&] { return nn::MaskSpec(fmt::format("{}", fmt::join(r_.masks, "+"))); });
    expect_usage(r_.hard.empty() || named([&] { return &nn::weigh_named(r_.hard); })->hard,
                 "--hard {}: that reads from everywhere; leave --hard out", r_.hard);
    read();
    write(nn::attend_arrays(arrays_));
  }

 private:
  // No output may take the place of an input.
  void keep_inputs() const {
    std::vector<std::string> inputs = {r_.query, r_.key,  r_.value,    r_.lengths,
                                       r_.mask,  r_.bias, r_.relative, r_.upstream};
    for (const std::string& param : r_.params) inputs.push_back(param.substr(param.find('=') + 1));
    for (const std::string& out : {r_.out, r_.weights_out, r_.map.svg, r_.map.png, r_.map.html, r_.map.json})
      for (const std::string& in : inputs) {
        std::error_code none;
        const std::string file = std::filesystem::exists(in, none) ? in : in.substr(0, in.rfind(':'));
        expect_usage(out.empty() || !std::filesystem::is_regular_file(out, none) ||
                         !std::filesystem::equivalent(out, file, none),
                     "{} is an input: an output would overwrite it", out);
      }
  }

  void read() {
    arrays_.query = read_float(r_.query, "--query", type_);
    arrays_.key = read_float(r_.key, "--key", type_);
    arrays_.value = read_float(r_.value, "--value", type_);
    arrays_.score = r_.score;
    for (const std::string& param : r_.params) {
      const size_t equals = param.find('=');
      expect_usage(equals != std::string::npos && equals > 0, "--param {}: expected NAME=ARRAY", param);
      arrays_.params[param.substr(0, equals)] = read_float(param.substr(equals + 1), "--param", type_);
    }
    named([&] { return nn::check_param_names(arrays_); });
    arrays_.heads = r_.heads;
    check(r_.kv_heads >= 0, "attend", "kv_heads {}: expected 1 or more", r_.kv_heads);
    arrays_.kv_heads = r_.kv_heads;
    if (!r_.lengths.empty()) arrays_.lengths = read_array(r_.lengths).to(DType::kI32);
    if (!r_.mask.empty()) arrays_.visible = truth(read_array(r_.mask));
    if (!r_.bias.empty()) arrays_.bias = read_float(r_.bias, "--bias", type_);
    if (!r_.relative.empty()) arrays_.relative = read_float(r_.relative, "--relative", type_);
    arrays_.rope = r_.rope;
    arrays_.hard = r_.hard;
    arrays_.seed = r_.seed;
    arrays_.path = r_.plain ? nn::Path::kPlain : r_.fused ? nn::Path::kFused : nn::Path::kBest;
    if (!r_.upstream.empty()) arrays_.upstream = read_float(r_.upstream, "--upstream", type_);
    if (r_.weights_out.empty()) {
      const int64_t entries = arrays_.query.rank() == 3 ? arrays_.query.dim(0) : 1;
      check(r_.batch_entry >= 0 && r_.batch_entry < entries, "attend", "--entry {} of a batch of {}",
            r_.batch_entry, entries);
      look_.batches = {r_.batch_entry};
    }
    if (!r_.weights_out.empty() || r_.map.any()) arrays_.look = &look_;
  }

  void write(const nn::ArrayAttended& y) {
    PendingFiles files;
    if (!r_.out.empty()) write_npy(files.add(r_.out, "npy"), y.context);
    if (!r_.weights_out.empty()) {
      Shape shape;
      if (arrays_.query.rank() == 3) shape.push_back(y.seen.weights.dim(0));
      if (r_.heads > 1) shape.push_back(r_.heads);
      shape.push_back(y.seen.weights.dim(2));
      shape.push_back(y.seen.weights.dim(3));
      write_npy(files.add(r_.weights_out, "npy"), y.seen.weights.reshape(shape));
    }
    if (!r_.grad_out.empty()) write_gradients(y, files);
    std::string shown;
    if (r_.map.any()) {
      const look::Map map = map_of(y);
      stage_map(map, r_.map, files);
      if (r_.map.show) shown = terminal_map(map, r_.map);
    }
    files.commit();
    write_output(shown);
  }

  void write_gradients(const nn::ArrayAttended& y, PendingFiles& files) const {
    std::error_code error;
    std::filesystem::create_directories(r_.grad_out, error);
    check(!error, "attend", "cannot make the directory {}: {}", r_.grad_out, error.message());
    const std::map<std::string, std::string> names = {
        {"query", "dq"}, {"key", "dk"}, {"value", "dv"}, {"bias", "dbias"}, {"relative", "drelative"}};
    for (const auto& [name, gradient] : y.gradients) {
      const auto known = names.find(name);
      const std::string file = known == names.end() ? "param_" + name : known->second;
      write_npy(files.add(r_.grad_out + "/" + file + ".npy", "npy"), gradient);
    }
  }

  // Words given by the user, or numbers.
  static std::vector<std::string> labels(const std::string& words, int64_t n, const char* flag) {
    std::vector<std::string> list;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) list.push_back(word);
    if (list.empty())
      for (int64_t i = 0; i < n; ++i) list.push_back(std::to_string(i));
    check(static_cast<int64_t>(list.size()) == n, "attend", "{} has {} words for {} rows", flag, list.size(),
          n);
    return list;
  }

  // What was chosen: "scaled_dot, causal, window 3".
  std::string title() const {
    std::string text = r_.score;
    auto add = [&](bool chosen, const std::string& what) {
      if (chosen) text += ", " + what;
    };
    auto with = [](const char* what, auto n) { return fmt::format("{} {}", what, n); };
    add(r_.rope, "rope");
    for (const nn::MaskTerm& term : arrays_.masks.terms())
      add(true, term.kind->numbers.empty() ? term.kind->name : with(term.kind->name, term.numbers[0]));
    add(!r_.lengths.empty(), "lengths");
    add(!r_.mask.empty(), "mask");
    add(!r_.bias.empty(), "bias");
    add(!r_.relative.empty(), "relative");
    add(!r_.hard.empty(), with("hard", r_.hard));
    return text;
  }

  look::Map map_of(const nn::ArrayAttended& y) const {
    const Tensor& w = y.seen.weights;
    const int64_t entry = w.dim(0) == 1 ? 0 : r_.batch_entry;
    check(entry < w.dim(0), "attend", "--entry {} of a batch of {}", r_.batch_entry, w.dim(0));
    look::Map map;
    map.rows = labels(r_.query_words, w.dim(2), "--query-words");
    map.columns = labels(r_.key_words, w.dim(3), "--key-words");
    map.weights = w.slice(entry, entry + 1).reshape({w.dim(1), w.dim(2), w.dim(3)}).to(DType::kF32);
    map.title = title();
    if (!r_.hard.empty()) {
      const int64_t rows = w.dim(1) * w.dim(2);
      const int32_t* at = y.chosen.data<int32_t>() + r_.batch_entry * rows;
      map.chosen.assign(at, at + rows);
    }
    return map;
  }

  AttendRequest r_;
  DType type_;
  nn::ArrayAttention arrays_;
  nn::Look look_;
};

}  // namespace

int attend(int argc, char** argv) {
  AttendRequest request;
  Arguments app("Computes attention on your own arrays: score, mask, weigh, read.", "fovea attend");
  add_attend_options(app, request);
  if (!parse(app, argc, argv)) return 0;
  if (request.example)
    attend_example(request.map);
  else
    Run(std::move(request))();
  return 0;
}

}  // namespace fovea::cli
