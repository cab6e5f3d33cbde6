#include "fovea/autograd/tape.h"

#include <atomic>
#include <cstring>

#include "fovea/kernels/accumulate.h"

namespace fovea::autograd {
namespace {

thread_local Tape* current_tape = nullptr;
std::atomic<uint64_t> serials{0};
constexpr size_t kChunkBytes = size_t{64} << 10;

void accumulate(const Tensor& x, Tensor& sum) {
  for_float(sum.dtype(), "backward", [&](auto t) {
    using T = decltype(t);
    kernels::accumulate(x.data<T>(), sum.data<T>(), sum.size());
  });
}

void copy_elements(const Tensor& from, const Tensor& to) {
  std::memcpy(to.bytes_data(), from.bytes_data(), static_cast<size_t>(from.bytes()));
}

Tensor& gradient_of(Node& node) { return node.keep ? *node.keep : node.grad; }

// The gradient of a node, to be changed in place; *fresh: it holds nothing yet.
Tensor& open(Node& node, bool* fresh) {
  Tensor& grad = gradient_of(node);
  *fresh = !grad.defined() || (node.cleared && *node.cleared);
  if (node.cleared) *node.cleared = false;
  if (!grad.defined())
    grad = Tensor::empty(node.shape, node.dtype);
  else if (!node.keep && !grad.unique())  // others may still read it
    grad = grad.copy();
  return grad;
}

void add_to(Node& node, const Tensor& dx) {
  bool fresh = false;
  Tensor& grad = open(node, &fresh);
  fresh ? copy_elements(dx, grad) : accumulate(dx, grad);
}

// Gradients of leaves go to where they are kept at once (Grads::slot and pass): only backward() of the leaf itself comes here.
struct Leaf final : Node {
  void backward(const Tensor& dy, Grads&) override { add_to(*this, dy); }
};

Var make_leaf(const char* name, const Tensor& x, Tensor* keep, bool* cleared) {
  Tape* tape = Tape::current();
  if (!tape) return Var(x);
  if (keep->defined() && keep->shape() != x.shape())
    fail(name, "the gradient has shape {}, the value {}", keep->shape().str(), x.shape().str());
  Node* node = tape->make<Leaf>();
  node->name = name;
  node->shape = x.shape();
  node->dtype = x.dtype();
  node->keep = keep;
  node->cleared = cleared;
  return Var(x, node, tape->serial());
}

}  // namespace

struct Tape::Chunk {
  Chunk* older;
  size_t bytes, used;
};
struct Tape::Entry {
  Entry* older;
  Node* node;
};

Tape::Tape() : serial_(++serials), outer_(current_tape) { current_tape = this; }

Tape::~Tape() {
  clear();
  current_tape = outer_;
}

Tape* Tape::current() { return current_tape; }

void* Tape::take(size_t bytes, size_t alignment) {
  auto start = [&] { return (chunk_->used + alignment - 1) / alignment * alignment; };
  if (!chunk_ || start() + bytes > chunk_->bytes) {
    const size_t wanted = sizeof(Chunk) + alignment + bytes;
    const size_t size = wanted > kChunkBytes ? wanted : kChunkBytes;
    chunk_ = new (pool::allocate(size)) Chunk{chunk_, size, sizeof(Chunk)};
  }
  const size_t at = start();
  chunk_->used = at + bytes;
  return reinterpret_cast<std::byte*>(chunk_) + at;
}

void Tape::append(Node* node) {
  last_ = new (take(sizeof(Entry), alignof(Entry))) Entry{last_, node};
  ++count_;
}

std::span<Node*> Tape::nodes_of(const Var* begin, size_t n) {
  auto** nodes = static_cast<Node**>(take(n * sizeof(void*), alignof(void*)));
  for (size_t i = 0; i < n; ++i) {
    if (begin[i].node() && begin[i].tape() != serial_)
      fail("tape",
           "an input of shape {} belongs to another tape, or to one that ran backward: use its value() to "
           "cut it off",
           begin[i].shape().str());
    nodes[i] = begin[i].node();
  }
  return {nodes, n};
}
std::span<Node*> Tape::make_inputs(std::initializer_list<Var> vars) {
  return nodes_of(vars.begin(), vars.size());
}
std::span<Node*> Tape::make_inputs(std::span<const Var> vars) { return nodes_of(vars.data(), vars.size()); }

void Tape::clear() {
  for (; last_; last_ = last_->older) last_->node->~Node();
  while (chunk_) {
    Chunk* older = chunk_->older;
    pool::release(chunk_, chunk_->bytes);
    chunk_ = older;
  }
  count_ = 0;
}

void Tape::backward(const Var& y) {
  check(y.value().size() == 1, "backward",
        "a value of shape {}: expected one element, or its gradient beside it", y.shape().str());
  backward(y, Tensor::full(y.shape(), 1, y.dtype()));
}

void Tape::backward(const Var& y, const Tensor& dy) {
  check(y.node() != nullptr, "backward", "the value depends on no parameter, or was made without a tape");
  if (dy.shape() != y.shape())
    fail("backward", "the gradient has shape {}, the value {}", dy.shape().str(), y.shape().str());
  if (y.tape() != serial_)
    fail("backward", "the value belongs to another tape, or to one that ran backward already");
  NoTape off;
  serial_ = ++serials;
  bool kept_by_a_leaf = false;  // whose gradient changes while dy is read
  for (const Entry* entry = last_; entry; entry = entry->older)
    kept_by_a_leaf |= entry->node->keep && entry->node->keep->shares_storage(dy);
  y.node()->grad = kept_by_a_leaf ? dy.copy() : dy;
  for (; last_; last_ = last_->older) {
    Node* node = last_->node;
    if (node->grad.defined()) {
      Tensor grad = std::move(node->grad);
      Grads grads(node->inputs);
      node->backward(grad, grads);
    }
    node->~Node();
  }
  clear();
}

bool Grads::same(size_t i, size_t j) const { return &gradient_of(*inputs_[i]) == &gradient_of(*inputs_[j]); }

Tensor Grads::empty(size_t i) const { return Tensor::empty(inputs_[i]->shape, inputs_[i]->dtype); }

Tensor& Grads::slot(size_t i, bool* fresh) {
  bool holds_nothing = false;
  Tensor& grad = open(*inputs_[i], &holds_nothing);
  if (fresh)
    *fresh = holds_nothing;
  else if (holds_nothing)
    grad.fill(0);
  return grad;
}

void Grads::pass(size_t i, const Tensor& dx) {
  if (!wants(i)) return;
  Node& node = *inputs_[i];
  if (!node.keep && !node.grad.defined())
    node.grad = dx.reshape(node.shape);
  else
    add_to(node, dx);
}

NoTape::NoTape() : paused_(current_tape) { current_tape = nullptr; }
NoTape::~NoTape() { current_tape = paused_; }

Var watch(Parameter& parameter) {
  return make_leaf("watch", parameter.value, &parameter.grad, &parameter.cleared);
}
Var variable(const Tensor& x, Tensor& grad) { return make_leaf("variable", x, &grad, nullptr); }

}  // namespace fovea::autograd
