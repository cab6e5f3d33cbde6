// fovea attend: the four steps on a user's own arrays.
#include <filesystem>
#include <map>
#include <sstream>

#include "fovea/autograd/positions.h"
#include "fovea/autograd/shape_ops.h"
#include "fovea/cli/attend_example.h"
#include "fovea/cli/attend_request.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"
#include "fovea/cli/verbs.h"
#include "fovea/nn/attend.h"
#include "fovea/nn/masks/spec.h"
#include "fovea/tensor/array_file.h"
#include "fovea/tensor/npy.h"

namespace fovea::cli {
namespace {

using autograd::Var;

// Arrays are read once, converted to the type of work, and keep their gradient beside them.
struct Input {
  Tensor value, grad;
  Var var(bool with_gradient) { return with_gradient ? autograd::variable(value, grad) : Var(value); }
};

Tensor read_float(const std::string& spec, const char* flag, DType type) {
  expect_usage(!spec.empty(), "{} is missing", flag);
  return read_array(spec).to(type);
}

// [L, n] or [B, L, n] as [B, L, n].
Tensor batched(const Tensor& x, const char* flag) {
  if (x.rank() == 2) return x.reshape({1, x.dim(0), x.dim(1)});
  if (x.rank() != 3)
    fail("attend", "{} has shape {}: expected [rows, width] or [batch, rows, width]", flag, x.shape().str());
  return x;
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
    score_ = named([&] { return &nn::score_named(r_.score); });
    spec_ = named([&] { return nn::MaskSpec(fmt::format("{}", fmt::join(r_.masks, "+"))); });
    if (!r_.hard.empty()) weigh_ = named([&] { return &nn::weigh_named(r_.hard); });
    expect_usage(!weigh_ || weigh_->hard, "--hard {}: that reads from everywhere; leave --hard out", r_.hard);
    read();
    std::optional<autograd::Tape> tape;
    if (!r_.upstream.empty()) tape.emplace();
    const nn::Attended y = compute();
    if (tape) {
      const Tensor dy = read_float(r_.upstream, "--upstream", type_);
      if (dy.size() != y.context.value().size() || dy.rank() != query_rank_ ||
          dy.dim(-1) != y.context.dim(2) * y.context.dim(3))
        fail("attend", "--upstream has shape {}: expected that of the context, {}", dy.shape().str(),
             context_shape(y).str());
      if (y.context.node()) tape->backward(y.context, dy.reshape(y.context.shape()));
    }
    write(y);
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
    q_.value = read_float(r_.query, "--query", type_);
    k_.value = read_float(r_.key, "--key", type_);
    v_.value = read_float(r_.value, "--value", type_);
    query_rank_ = q_.value.rank();
    key_shape_ = k_.value.shape();
    value_shape_ = v_.value.shape();
    query_shape_ = q_.value.shape();
    q_.value = batched(q_.value, "--query");
    k_.value = batched(k_.value, "--key");
    v_.value = batched(v_.value, "--value");
    if (!r_.kv_heads) r_.kv_heads = r_.heads;
    check(r_.heads > 0 && r_.kv_heads > 0 && r_.heads % r_.kv_heads == 0, "attend",
          "--heads {} and --kv-heads {}: --kv-heads must divide --heads, and both be 1 or more", r_.heads,
          r_.kv_heads);
    auto divides = [&](const Tensor& x, int64_t heads, const char* flag) {
      if (x.dim(2) % heads)
        fail("attend", "{} has width {}, which {} heads do not share", flag, x.dim(2), heads);
    };
    divides(q_.value, r_.heads, "--query");
    divides(k_.value, r_.kv_heads, "--key");
    divides(v_.value, r_.kv_heads, "--value");
    if (k_.value.dim(0) != q_.value.dim(0) || v_.value.dim(0) != q_.value.dim(0))
      fail("attend", "--query {}, --key {} and --value {}: expected one batch size", query_shape_.str(),
           key_shape_.str(), value_shape_.str());
    if (k_.value.dim(1) != v_.value.dim(1))
      fail("attend", "--key {} and --value {}: expected as many keys as values", key_shape_.str(),
           value_shape_.str());

    for (const std::string& param : r_.params) {
      const size_t equals = param.find('=');
      expect_usage(equals != std::string::npos && equals > 0, "--param {}: expected NAME=ARRAY", param);
      given_[param.substr(0, equals)].value = read_float(param.substr(equals + 1), "--param", type_);
    }
    const nn::ScoreSizes sizes = {.query = q_.value.dim(2) / r_.heads,
                                  .key = k_.value.dim(2) / r_.kv_heads,
                                  .hidden = 0,
                                  .max_keys = 0};
    for (const nn::ScoreParam& spec : score_->params(sizes)) expected_.emplace_back(spec.name);
    for (const std::string& name : expected_)
      expect_usage(given_.count(name), "score '{}' needs --param {}=ARRAY", r_.score, name);
    for (const auto& [name, input] : given_) {
      const bool known = std::find(expected_.begin(), expected_.end(), name) != expected_.end() ||
                         (spec_.has("local-p") && (name == "Wp" || name == "vp"));
      expect_usage(known, "score '{}' has no parameter '{}'", r_.score, name);
    }
    check_params(sizes);
    if (!r_.bias.empty()) bias_.value = read_float(r_.bias, "--bias", type_);
    if (!r_.relative.empty()) relative_.value = read_float(r_.relative, "--relative", type_);
  }

  // Each parameter against the shape the score wants, with the widths that only the files know.
  void check_params(nn::ScoreSizes sizes) const {
    for (const std::string& name : expected_) {
      const Tensor& x = given_.at(name).value;
      if (name == "v" && x.rank() > 0) sizes.hidden = x.dim(-1);
      if (r_.score == "location" && x.rank() > 1) sizes.max_keys = x.dim(-2);
    }
    for (const nn::ScoreParam& spec : score_->params(sizes)) {
      const Shape& met = given_.at(spec.name).value.shape();
      Shape per_head = {r_.heads};
      for (int64_t size : spec.shape) per_head.push_back(size);
      if (met != spec.shape && met != per_head)
        fail("attend", "--param {} has shape {}: expected {}{}", spec.name, met.str(), spec.shape.str(),
             r_.heads > 1 ? fmt::format(", or {} with one for each head", per_head.str()) : "");
    }
  }

  nn::Mask mask() {
    nn::Mask mask;
    for (const nn::MaskTerm& term : spec_.terms())
      mask = mask & term.kind->make(term.numbers, nn::Place::kEncoder, arrays_of(term));
    if (!r_.lengths.empty()) {
      const Tensor lengths = read_array(r_.lengths).to(DType::kI32);
      mask = mask & nn::lengths(lengths.rank() == 0 ? lengths.reshape({1}) : lengths);
    }
    if (!r_.mask.empty()) mask = mask & nn::visible(truth(read_array(r_.mask)));
    if (bias_.value.defined()) mask = mask & nn::bias(bias_.var(with_gradients()));
    if (relative_.value.defined()) mask = mask & nn::relative(relative_.var(with_gradients()));
    return mask;
  }

  // What a mask needs beside its numbers.
  std::vector<Var> arrays_of(const nn::MaskTerm& term) {
    if (!term.kind->arrays) return {};
    expect_usage(given_.count("Wp") && given_.count("vp"), "--{} needs --param Wp=ARRAY and --param vp=ARRAY",
                 term.kind->name);
    return {given_["Wp"].var(with_gradients()), given_["vp"].var(with_gradients())};
  }

  bool with_gradients() const { return !r_.upstream.empty(); }

  nn::Attended compute() {
    auto split = [](const Var& x, int64_t heads) {
      return autograd::reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
    };
    Var q = split(q_.var(with_gradients()), r_.heads), k = split(k_.var(with_gradients()), r_.kv_heads);
    const Var v = split(v_.var(with_gradients()), r_.kv_heads);
    if (r_.rope) {
      q = autograd::rope(q, k.dim(1) - q.dim(1));
      k = autograd::rope(k, 0);
    }
    std::vector<Var> params;
    for (const std::string& name : expected_) params.push_back(given_[name].var(with_gradients()));
    const nn::Mask visible = mask();
    nn::Look look;
    if (r_.weights_out.empty()) {
      check(r_.batch_entry >= 0 && r_.batch_entry < q.dim(0), "attend", "--entry {} of a batch of {}",
            r_.batch_entry, q.dim(0));
      look.batches = {r_.batch_entry};
    }
    nn::AttendOptions options;
    options.score = score_;
    options.score_params = params;
    options.mask = &visible;
    options.weigh = weigh_;
    options.seed = r_.seed;
    options.path = r_.plain ? nn::Path::kPlain : r_.fused ? nn::Path::kFused : nn::Path::kBest;
    if (!r_.weights_out.empty() || r_.map.any()) options.look = &look;
    return nn::attend(q, k, v, options);
  }

  Shape context_shape(const nn::Attended& y) const {
    const Shape& s = y.context.shape();
    return query_rank_ == 2 ? Shape{s[1], s[2] * s[3]} : Shape{s[0], s[1], s[2] * s[3]};
  }

  void write(const nn::Attended& y) {
    PendingFiles files;
    if (!r_.out.empty()) write_npy(files.add(r_.out, "npy"), y.context.value().reshape(context_shape(y)));
    if (!r_.weights_out.empty()) {
      Shape shape;
      if (query_rank_ == 3) shape.push_back(y.seen.weights.dim(0));
      if (r_.heads > 1) shape.push_back(r_.heads);
      shape.push_back(y.seen.weights.dim(2));
      shape.push_back(y.seen.weights.dim(3));
      write_npy(files.add(r_.weights_out, "npy"), y.seen.weights.reshape(shape));
    }
    if (!r_.grad_out.empty()) write_gradients(files);
    std::string shown;
    if (r_.map.any()) {
      const look::Map map = map_of(y);
      stage_map(map, r_.map, files);
      if (r_.map.show) shown = terminal_map(map, r_.map);
    }
    files.commit();
    write_output(shown);
  }

  void write_gradients(PendingFiles& files) {
    std::error_code error;
    std::filesystem::create_directories(r_.grad_out, error);
    check(!error, "attend", "cannot make the directory {}: {}", r_.grad_out, error.message());
    auto add = [&](const std::string& name, const Input& x, const Shape& shape) {
      const Tensor grad = x.grad.defined() ? x.grad : Tensor::zeros(x.value.shape(), type_);
      write_npy(files.add(r_.grad_out + "/" + name + ".npy", "npy"), grad.reshape(shape));
    };
    add("dq", q_, query_shape_);
    add("dk", k_, key_shape_);
    add("dv", v_, value_shape_);
    for (const auto& [name, input] : given_) add("param_" + name, input, input.value.shape());
    if (bias_.value.defined()) add("dbias", bias_, bias_.value.shape());
    if (relative_.value.defined()) add("drelative", relative_, relative_.value.shape());
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
    for (const nn::MaskTerm& term : spec_.terms())
      add(true, term.kind->numbers.empty() ? term.kind->name : with(term.kind->name, term.numbers[0]));
    add(!r_.lengths.empty(), "lengths");
    add(!r_.mask.empty(), "mask");
    add(!r_.bias.empty(), "bias");
    add(!r_.relative.empty(), "relative");
    add(!r_.hard.empty(), with("hard", r_.hard));
    return text;
  }

  look::Map map_of(const nn::Attended& y) const {
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
      const int32_t* at = y.choice.at.data<int32_t>() + r_.batch_entry * rows;
      map.chosen.assign(at, at + rows);
    }
    return map;
  }

  AttendRequest r_;
  const nn::Score* score_ = nullptr;
  nn::MaskSpec spec_;
  const nn::Weigh* weigh_ = nullptr;
  DType type_;
  Input q_, k_, v_, bias_, relative_;
  std::map<std::string, Input> given_;  // by --param
  std::vector<std::string> expected_;   // names of the score's parameters, in its order
  Shape query_shape_, key_shape_, value_shape_;
  int query_rank_ = 3;
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
