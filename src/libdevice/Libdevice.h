// The mathematics library that kernels know as libdevice: one table of its functions with their
// types and values.
//
// The front end asks it which types a name takes (`pow` takes an exponent of its own type, or an
// int32); the reference engine calls the functions. A name has overloads, each with a symbol of its
// own, which is libdevice's without the `__nv_`:
//
//     libdevice.asin(x)    x fp32 -> tile.extern_call "asinf"
//                          x fp64 -> tile.extern_call "asin"
//
// What the functions give, unless their row in Libdevice.def says otherwise: a function of fp32 is
// computed in double and one of fp64 in long double, and rounded once: within 0.501 ulp where long
// double is wider than double, else within 1 ulp. Rounding-mode arithmetic and conversions are
// exact. A float becomes an int by saturation, and NaN becomes 0. The `fast_` functions are as good
// as the others here; their name is a permission for engines.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewise::libdevice {

enum class Element : uint8_t { Bool, I32, U32, I64, U64, F32, F64 };

struct Function {
  llvm::StringRef symbol;
  Element result = Element::Bool;
  size_t arity = 0;
  std::array<Element, 4> operandTypes{};
  /// result[k] = f(operands[0][k], ...) for k < count; a bool is a byte.
  void (*apply)(const void *const *operands, void *result, size_t count) = nullptr;

  llvm::ArrayRef<Element> operands() const { return llvm::ArrayRef<Element>(operandTypes).take_front(arity); }
};

struct Name {
  llvm::StringRef name;
  std::array<Function, 6> slots; ///< The rest is empty.

  llvm::ArrayRef<Function> overloads() const {
    return llvm::ArrayRef<Function>(slots).take_while([](const Function &function) { return function.apply; });
  }
};

/// In the order of Libdevice.def.
llvm::ArrayRef<Name> names();
/// A function by its symbol, or null.
const Function *findSymbol(llvm::StringRef symbol);

} // namespace tilewise::libdevice
