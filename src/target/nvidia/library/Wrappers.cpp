// The functions of libdevice under the names by which kernels call them: one for each row of
// Libdevice.def.
#include "libdevice/Functions.h"

using namespace tilewise::libdevice::fn;
namespace fn = tilewise::libdevice::fn;

// A type such as `f32(f32, i32)`, pasted behind a name, becomes the list `f32, f32, i32`. A bool
// crosses the call as an int.
#define TYPES_bool(...) i32, __VA_ARGS__
#define TYPES_i32(...) i32, __VA_ARGS__
#define TYPES_u32(...) u32, __VA_ARGS__
#define TYPES_i64(...) i64, __VA_ARGS__
#define TYPES_u64(...) u64, __VA_ARGS__
#define TYPES_f32(...) f32, __VA_ARGS__
#define TYPES_f64(...) f64, __VA_ARGS__

#define WRAP1(name, function, R, A)                                                                                    \
  extern "C" R name(A a) { return function(a); }
#define WRAP2(name, function, R, A, B)                                                                                 \
  extern "C" R name(A a, B b) { return function(a, b); }
#define WRAP3(name, function, R, A, B, C)                                                                              \
  extern "C" R name(A a, B b, C c) { return function(a, b, c); }
#define WRAP4(name, function, R, A, B, C, D)                                                                           \
  extern "C" R name(A a, B b, C c, D d) { return function(a, b, c, d); }
#define PICK(a, b, c, d, wrap, ...) wrap
#define WRAP(name, function, R, ...) PICK(__VA_ARGS__, WRAP4, WRAP3, WRAP2, WRAP1)(name, function, R, __VA_ARGS__)
#define EXPANDED(...) WRAP(__VA_ARGS__)

#define LIBDEVICE(name, parameters, overloads) overloads
#define F(symbol, type, function) EXPANDED(tilewise_##symbol, fn::function, TYPES_##type)
#include "libdevice/Libdevice.def"

// Functions of the math dialect on f32, which kernels run hot: libclc's own of f32, where those
// above compute in f64.
#define MATH(name)                                                                                                     \
  float name(float);                                                                                                   \
  extern "C" float tilewise_math_##name##f(float x) { return ::name(x); }
MATH(sin)
MATH(cos)
MATH(log)
MATH(log2)
MATH(tanh)
MATH(erf)
