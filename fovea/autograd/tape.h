// Reverse-mode differentiation. While a Tape lives, operations on Vars write nodes to it; backward() walks them
// in reverse. Without a Tape the same operations just compute.
//
//   Tape tape;
//   Var loss = cross_entropy(matmul(x, watch(weight)), targets);
//   tape.backward(loss);            // weight.grad += d loss / d weight
//
// One thread uses one tape at a time. A Var belongs to its tape: used with another, or after backward(), it is an error; value()
// is what can be carried on.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "fovea/tensor/tensor.h"

namespace fovea::autograd {

class Grads;
class Tape;

// A weight that is trained: backward() adds to grad, an optimiser changes value. Both are changed in place and stay where they are: who
// holds on to one of the tensors sees the changes, and copies what is to stay.
struct Parameter {
  std::string name;
  Tensor value;
  Tensor grad;           // same shape as value; defined by the first backward() that reaches it
  bool cleared = false;  // grad holds old numbers: the next to arrive replaces them
  int64_t room =
      0;  // elements that a buffer of many parameters has for this one; 0: it lies alone (nn/parameter_buffer.h)

  // Whether backward() reached it since it was cleared.
  bool has_grad() const { return grad.defined() && !cleared; }
  void zero_grad() {
    if (grad.defined()) grad.fill(0);
    cleared = false;
  }
  // No gradient again, which costs nothing: the next backward() sets it instead of adding to zeros.
  void clear_grad() { cleared = grad.defined(); }
};

// A step on the tape: how to carry the gradient of its output to its inputs.
struct Node {
  const char* name = "";
  Tensor grad;  // d loss / d output; undefined while nothing reached it
  Shape shape;  // of the output
  DType dtype = DType::kF32;
  Tensor* keep = nullptr;   // a leaf's gradient goes here
  bool* cleared = nullptr;  // and replaces what is there where this says so
  std::span<Node*> inputs;  // null where an input is a constant

  virtual void backward(const Tensor& dy, Grads& grads) = 0;
  virtual ~Node() = default;
};

// A value on (or off) the tape.
class Var {
 public:
  Var() = default;
  Var(Tensor value) : value_(std::move(value)) {}  // NOLINT: a tensor is a constant Var
  Var(Tensor value, Node* node, uint64_t tape) : value_(std::move(value)), node_(node), tape_(tape) {}

  const Tensor& value() const { return value_; }
  const Shape& shape() const { return value_.shape(); }
  int64_t dim(int axis) const { return value_.dim(axis); }
  int rank() const { return value_.rank(); }
  DType dtype() const { return value_.dtype(); }
  bool defined() const { return value_.defined(); }
  Node* node() const { return node_; }     // null: no gradient flows through it
  uint64_t tape() const { return tape_; }  // the serial number of the tape that node() is on

 private:
  Tensor value_;
  Node* node_ = nullptr;
  uint64_t tape_ = 0;
};

// Where a backward function puts gradients: one slot for each input of its operation. Several inputs may be the same value, whose slot
// is then the same, too.
//
// Who owns what. A gradient on its way (Node::grad) may be shared: with other nodes that it was passed to, with views of it, with dy of
// the backward function that runs. So it is changed in place only where nobody else refers to its storage, and copied otherwise. A
// leaf's gradient belongs to the leaf alone: what arrives is copied or added to it, never shared with it.
class Grads {
 public:
  explicit Grads(std::span<Node*> inputs) : inputs_(inputs) {}

  // Whether anybody needs the gradient of input i.
  bool wants(size_t i) const { return inputs_[i] != nullptr; }

  // f(Tensor& dx) adds to dx, or f(Tensor& dx, float beta) sets dx = beta * dx + ..., where dx is not initialised when
  // beta is 0. f is not called when input i needs no gradient. dx is written while f runs, and not afterwards: the next slot may be the
  // same one.
  template <typename F>
  void add(size_t i, F&& f) {
    if (!wants(i)) return;
    if constexpr (std::is_invocable_v<F, Tensor&, float>) {
      bool fresh = false;
      Tensor& dx = slot(i, &fresh);
      f(dx, fresh ? 0.0f : 1.0f);
    } else {
      f(slot(i, nullptr));
    }
  }

  // The gradient of one of several inputs: dx = beta * dx + ...; null where it is not wanted.
  struct Slot {
    Tensor* dx = nullptr;
    float beta = 0;
  };
  template <size_t N>
  using Slots = std::array<Slot, N>;

  // f(const Slots<N>&) writes the gradients of several inputs at once. No two of them share memory: where inputs are the same value, the
  // later ones get a tensor of their own, which is added afterwards.
  template <size_t N, typename F>
  void add_together(const std::array<size_t, N>& inputs, F&& f) {
    Slots<N> slots;
    std::array<Tensor, N> apart;
    for (size_t k = 0; k < N; ++k) {
      if (!wants(inputs[k])) continue;
      bool again = false;
      for (size_t earlier = 0; earlier < k; ++earlier)
        again |= wants(inputs[earlier]) && same(inputs[earlier], inputs[k]);
      bool fresh = false;
      slots[k].dx = again ? &(apart[k] = empty(inputs[k])) : &slot(inputs[k], &fresh);
      slots[k].beta = again || fresh ? 0.0f : 1.0f;
    }
    f(slots);
    for (size_t k = 0; k < N; ++k)
      if (apart[k].defined()) pass(inputs[k], apart[k]);
  }

  // Adds dx itself (of the input's number of elements). It may be passed to several inputs; nobody changes it afterwards. No copy is made
  // when it is the first to arrive at a value that is no leaf.
  void pass(size_t i, const Tensor& dx);

 private:
  bool same(size_t i, size_t j) const;
  Tensor empty(size_t i) const;
  // The gradient of input i, to be changed in place. With `fresh`, a new one is left uninitialised and *fresh set;
  // without, it is zeros.
  Tensor& slot(size_t i, bool* fresh);

  std::span<Node*> inputs_;
};

class Tape {
 public:
  // Becomes the tape of this thread until it is destroyed; the one before then comes back.
  Tape();
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  // The tape operations of this thread write to; null when nothing is recorded.
  static Tape* current();

  // Adds d y / d x for every parameter and variable x that y depends on. y has one element (or give dy, of y's
  // shape; it is not changed). Nodes and the tensors they saved are released on the way: a tape runs backward once.
  void backward(const Var& y);
  void backward(const Var& y, const Tensor& dy);

  int64_t size() const { return count_; }
  // A number that no other tape has, and that changes with backward(): Vars made before it no longer belong.
  uint64_t serial() const { return serial_; }

  // Constructs a node in the tape's memory.
  template <typename N, typename... Args>
  N* make(Args&&... args) {
    N* node = new (take(sizeof(N), alignof(N))) N(std::forward<Args>(args)...);
    append(node);
    return node;
  }
  std::span<Node*> make_inputs(std::initializer_list<Var> vars);
  std::span<Node*> make_inputs(std::span<const Var> vars);

 private:
  struct Chunk;
  struct Entry;

  void* take(size_t bytes, size_t alignment);
  void append(Node* node);
  std::span<Node*> nodes_of(const Var* begin, size_t n);
  void clear();

  Chunk* chunk_ = nullptr;  // bump memory for nodes, linked newest first
  Entry* last_ = nullptr;   // nodes, linked newest first
  int64_t count_ = 0;
  uint64_t serial_;
  Tape* outer_;
};

// While it lives, operations of this thread are not recorded.
class NoTape {
 public:
  NoTape();
  ~NoTape();
  NoTape(const NoTape&) = delete;
  NoTape& operator=(const NoTape&) = delete;

 private:
  Tape* paused_;
};

// A parameter as an input of operations.
Var watch(Parameter& parameter);
// A leaf whose gradient is added to `grad` in place (which starts undefined, or of x's shape).
Var variable(const Tensor& x, Tensor& grad);

namespace detail {

template <typename F>
struct NodeOf final : Node {
  explicit NodeOf(F f) : run(std::move(f)) {}
  void backward(const Tensor& dy, Grads& grads) override { run(dy, grads); }
  F run;
};

inline bool any_differentiable(std::span<const Var> inputs) {
  for (const Var& input : inputs)
    if (input.node()) return true;
  return false;
}

}  // namespace detail

// Writes an operation to the current tape: its inputs, its value y and f(const Tensor& dy, Grads&), which adds to the
// gradient of each input. When there is no tape, or no input needs a gradient, y is returned as a constant.
template <typename F>
Var record(const char* name, std::span<const Var> inputs, Tensor y, F f) {
  Tape* tape = Tape::current();
  if (!tape || !detail::any_differentiable(inputs)) return Var(std::move(y));
  Node* node = tape->make<detail::NodeOf<F>>(std::move(f));
  node->name = name;
  node->shape = y.shape();
  node->dtype = y.dtype();
  node->inputs = tape->make_inputs(inputs);
  return Var(std::move(y), node, tape->serial());
}
template <typename F>
Var record(const char* name, std::initializer_list<Var> inputs, Tensor y, F f) {
  return record(name, std::span<const Var>(inputs.begin(), inputs.size()), std::move(y), std::move(f));
}

}  // namespace fovea::autograd
