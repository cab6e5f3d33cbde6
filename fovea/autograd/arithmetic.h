// Arithmetic with NumPy's broadcasting. The gradient of a repeated input is summed over where it was
// repeated.
#pragma once

#include "fovea/autograd/tape.h"

namespace fovea::autograd {

Var add(const Var& a, const Var& b);
Var sub(const Var& a, const Var& b);
Var mul(const Var& a, const Var& b);
Var div(const Var& a, const Var& b);
Var neg(const Var& x);
Var scale(const Var& x, double factor);
Var add_scalar(const Var& x, double term);
// x repeated to `shape`.
Var broadcast_to(const Var& x, const Shape& shape);

inline Var operator+(const Var& a, const Var& b) { return add(a, b); }
inline Var operator-(const Var& a, const Var& b) { return sub(a, b); }
inline Var operator*(const Var& a, const Var& b) { return mul(a, b); }
inline Var operator/(const Var& a, const Var& b) { return div(a, b); }
inline Var operator-(const Var& x) { return neg(x); }
inline Var operator*(const Var& x, double factor) { return scale(x, factor); }
inline Var operator*(double factor, const Var& x) { return scale(x, factor); }
inline Var operator+(const Var& x, double term) { return add_scalar(x, term); }
inline Var operator-(const Var& x, double term) { return add_scalar(x, -term); }

}  // namespace fovea::autograd
