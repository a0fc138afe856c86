// A random kernel before it has a text: statements over numbered values, with sizes that are still
// names.
//
// Sizes stay names (A, B, K: powers of two) until the text is written, so that a failing kernel can
// be shrunk by making them smaller. What is known of a value decides where it may be used: an
// inexact float (a quotient, a sine, a sum) may differ between engines, so it goes to an output,
// with its bound, and never into a comparison or a cast.
//
//     v3 = tl.load(...)        fp32 [A, B], exact, anything
//     v4 = v3 * 1.5            fp32 [A, B], exact, anything
//     v5 = tl.exp(v4)          fp32 [A, B], 2 ulp: only moved and stored
#pragma once

#include "semantics/Elements.h"

#include <array>
#include <limits>

namespace tilewise::random {

using test::ElementType;

/// factor * A^powers[0] * B^powers[1] * K^powers[2]
struct Dim {
  int factor = 1;
  std::array<uint8_t, 3> powers{};

  bool operator==(const Dim &) const = default;
};
inline constexpr Dim kA{1, {1, 0, 0}}, kB{1, {0, 1, 0}}, kK{1, {0, 0, 1}}, kOne{1, {}};
inline Dim operator*(Dim a, Dim b) {
  Dim product{a.factor * b.factor, {}};
  for (size_t k = 0; k < 3; ++k)
    product.powers[k] = uint8_t(a.powers[k] + b.powers[k]);
  return product;
}
using Shape = std::vector<Dim>;

struct Sizes {
  std::array<int, 3> named = {1, 1, 1};

  int of(Dim dim) const {
    int size = dim.factor;
    for (size_t k = 0; k < 3; ++k)
      for (int n = 0; n < dim.powers[k]; ++n)
        size *= named[k];
    return size;
  }
  int of(const Shape &shape) const {
    int size = 1;
    for (Dim dim : shape)
      size *= of(dim);
    return size;
  }
};

/// What holds for every element of a value. Integers are always exact.
struct Facts {
  bool exact = true;
  /// A float whose bits are exact even for a NaN: loaded and moved, not computed.
  bool raw = false;
  bool noNaN = false, noNegativeZero = false, integral = false;
  /// |x| is at most this; below infinity there is no NaN either.
  double most = std::numeric_limits<double>::infinity();
  double ulps = 0, within = 0; ///< How far engines may be apart when not exact.

  bool isBounded() const { return most < std::numeric_limits<double>::infinity(); }
};

struct Value {
  const ElementType *type = nullptr;
  Shape shape;
  Facts facts;
};

/// What the elements of a buffer are before the launch.
enum class Fill {
  /// NaN, infinities, zeros of both signs, denormals, extremes, and everything between.
  Wild,
  Moderate,    ///< Floats from 1/16 to 4 in magnitude; any integer.
  Small,       ///< Whole numbers up to `limit`, of both signs where the type has them; no -0.
  Index,       ///< 0 .. limit - 1
  NearIndex,   ///< -2 .. limit + 1
  Permutation, ///< Every stretch of `limit` elements is a permutation of it, plus where it begins.
  Poison,      ///< A pattern that no kernel writes by chance.
};

struct Buffer {
  const ElementType *type = nullptr;
  Fill fill = Fill::Wild;
  int limit = 0;
  /// Index, Permutation: the buffer whose elements they name, once its size is known.
  int limitOf = -1;
  bool written = false;
  Facts facts; ///< Of what is written.
};

/// Where the elements of a block lie, and which of them are touched.
struct Access {
  enum Through {
    Pointers,
    Gathered,
    Modulo,
    BlockPointer,
    Descriptor,
    DescriptorRows, ///< Rows of a matrix by their numbers, which `indices` has.
    Walked,         ///< Inside a loop, by pointers that move on with every round.
  };
  enum Mask { None, Whole, Each, Block };
  enum Number { Literal, Argument, Constant };

  int buffer = -1;
  Through through = Pointers;
  /// Dimensions from the innermost out, and the gap between neighbours along each (by dimension).
  std::vector<int> order, gaps;
  std::vector<bool> backward;
  bool samePlace = false; ///< All programs touch the same elements.
  bool overlap = false;   ///< Neighbouring programs share some.
  bool wideOffsets = false;
  int walk = -1;           ///< Walked: the dimension along which each round goes on by a block.
  bool walksBlock = false; ///< Walked: by a block pointer.
  Mask mask = None;
  /// How many elements the mask leaves out: of the whole, or along each dimension; -1 is half of
  /// them.
  std::vector<int> cuts;
  Number numbers = Literal;
  int indices = -1, maskValue = -1, otherValue = -1; ///< Values, or -1.
  std::string other;                                 ///< The literal of `other=`.
  /// Further arguments, such as ", volatile=True": they change nothing that can be seen.
  std::string modifiers;
  bool asNumber = false; ///< The addresses become 64-bit integers and pointers again.
  bool asBits = false;   ///< Through pointers to another type of the same size.
  bool padsWithNaN = false;
  /// Each lane takes the pointer to this buffer or to that, as the bool says.
  int otherBuffer = -1, chooser = -1;
};

struct Statement {
  /// An Effect is a line that gives nothing: a print, a barrier.
  enum Kind { Assign, Load, Store, Atomic, Effect, For, While, If, Call };
  Kind kind = Assign;
  /// The cell of the coverage table: an op and the type it works on.
  std::string op;
  const ElementType *type = nullptr;
  /// `{0}` operand, `{s:0}` its shape, `{r0}` result, `{s:r0}` its shape, `{t:r0}` its type,
  /// `{d:0.1}` extent 1 of operand 0.
  std::string text;
  std::vector<int> operands, results;
  Access access;
  /// For, While, If: the results are carried through the body (and `otherwise`); each block ends by
  /// giving them `yields`. A Call's body is a function of its operands.
  std::vector<int> carried, inner, yields, otherwiseYields;
  std::vector<Statement> body, otherwise;
  bool hasElse = false;
  int counter = -1; ///< For: the value that is the loop's index.
};

struct Sketch {
  uint64_t seed = 0;
  Sizes sizes;
  std::array<int, 2> grid = {1, 1};
  bool fusion = true;
  bool checked = false; ///< The CPU engine's checked mode.
  /// A processor that code is made for, such as "haswell"; empty is this one.
  std::string machine;
  uint32_t warps = 4, stages = 3; ///< Of a GPU's programs, and how far copies run ahead in loops.
  std::vector<Value> values;
  std::vector<Buffer> buffers;
  std::vector<Statement> statements;
};

/// All statements, the inner ones too.
template <typename S, typename F> void forEachStatement(S &statements, const F &visit) {
  for (auto &statement : statements) {
    visit(statement);
    forEachStatement(statement.body, visit);
    forEachStatement(statement.otherwise, visit);
  }
}

/// Whether something of it is seen from outside, even when nothing uses its results.
inline bool hasEffect(const Statement &statement) {
  if (statement.kind == Statement::Store || statement.kind == Statement::Atomic || statement.kind == Statement::Effect)
    return true;
  for (const std::vector<Statement> *block : {&statement.body, &statement.otherwise})
    for (const Statement &inner : *block)
      if (hasEffect(inner))
        return true;
  return false;
}

} // namespace tilewise::random
