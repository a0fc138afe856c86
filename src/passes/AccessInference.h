// Access inference: from pointer arithmetic over blocks back to the walk through memory that it
// describes.
//
// A kernel spells an access element by element: `a + m[:, None] * sm + k[None, :]`, masked by
// `(m[:, None] < M) & (k[None, :] < K)`. Taken literally that is a gather through a block of
// pointers. Nearly always it is a strided box, and an engine that knows the box reads it with
// straight vector loads (CPU) or 16-byte coalesced ones (NVIDIA). This analysis recovers the box.
//
// The worked example: a tile of 32 x 16 elements of a row-major matrix, `first = program_id(0) *
// 32`:
//
//     m    = splat(first) + range(0, 32)        form: first + 1*i0                          (i0 = index along dimension 0)
//     rows = expand_dims(m, 1)                  form: first + 1*i0 + 0*i1
//     off  = broadcast(rows) * splat(sm)        form: first*sm + sm*i0 + 0*i1
//     ptrs = splat(a) + off + broadcast(k)      form: a + first*sm + sm*i0 + 1*i1
//     mask = (rows < splat(M)) & (k < splat(K)) i0 < M - first,  i1 < K
//
// So the load is: base pointer `a`, offset `first * sm` elements, strides [sm, 1], bounds [M -
// first, K]. Along dimension 1 the contiguity is 16; with `a` aligned to 16 bytes
// (`tile.divisibility`) and sm divisible by 16, every row starts at an address divisible by 16
// bytes: that is the `alignment`. Scalars are leaves: `first` is not looked into for the form, only
// for facts about it.
//
// Carried blocks. In a loop that ends in `ptrs += BK * sk` the block `ptrs` is an iter_arg: its
// strides are those of its initial value, and only its first element moves. The analysis proves
// that (assume the strides for the argument, look whether the yielded block has the same), and from
// then on a *block-typed* value stands for its first element as a leaf: the base pointer of a load
// inside is the iter_arg itself. An engine carries one scalar instead of the block: it starts as
// `init.pointer + init.base` and becomes `next.pointer + next.base` at the yield, see `carried()`.
// Results of such a loop are leaves in the same way, and so are results of a branch both of whose
// sides give blocks of the same strides.
//
// Promises. `tile.hint` tells facts of its result, which the form of the source cannot tell; they
// follow it through sums and around loops. `tile.assume` in the kernel's own block tells facts of
// scalars wherever they are used. Offsets that wrap around (`m % M`) are no box;
// tile-unwrap-offsets makes them one before an engine asks, where that cannot be seen.
//
// What is assumed: integer arithmetic that reaches an address or a mask's bound does not overflow
// its type. So a sign extension does not change the form, and `first + i < n` is `i < n - first`,
// computed in 64 bits. A kernel that overflows there is outside (checked mode reports it). A zero
// extension, an unsigned comparison or a remainder is looked through only when its operand is known
// to be non-negative.
//
// The analysis builds no IR and changes none; answers are computed on first demand and kept. It
// must not outlive a change of the function: an engine asks before it rewrites.
#pragma once

#include "ir/Tile.h"
#include "passes/ScalarExpr.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>
#include <optional>

namespace tilewise::tile {

/// element[i0, .., ir-1] = pointer + base + sum over d of strides[d] * i_d, counted in elements. A
/// scalar has no strides.
struct AffineForm {
  /// For pointers: the scalar pointer that `base` and strides move, or a carried block of pointers
  /// standing for its first element. Null for integers.
  mlir::Value pointer;
  /// Nothing when the value of the first element is not known as an expression (and null `pointer`
  /// then says nothing).
  std::optional<ScalarExpr> base;
  /// Per dimension; nothing where neighbours do not differ by one stride. Extents of 1 have stride
  /// 0.
  llvm::SmallVector<std::optional<ScalarExpr>, 2> strides;

  /// Everything known.
  bool isAffine() const;
  /// Affine, and the same in every element.
  bool isUniform() const;
};

/// A block of integers or pointers that a loop carries, that the test of a while loop passes on, or
/// that a branch or a select of whole blocks chooses, when all its sources have the same strides:
/// it is known by its first element.
struct CarriedBlock {
  /// The block inside the loop that `next` may refer to; null when there is no loop.
  mlir::Value argument;
  /// Before the loop, where the test passes it on, or the first choice.
  AffineForm init;
  /// At the loop's end, or the second choice; else the same. Refers to scalars of that region and,
  /// most often, to `argument`.
  AffineForm next;
};

/// What is known along one dimension. A run is `max(contiguity, constancy)` elements whose first
/// index is a multiple of that length.
struct DimFacts {
  int64_t contiguity = 1; ///< Elements of a run count up by one: 8 9 10 11 | 32 33 34 35 gives 4.
  int64_t constancy = 1;  ///< Elements of a run are equal: 7 7 7 7 | 9 9 9 9 gives 4.
  /// A power of two that divides each run's first element; for pointers: its address in bytes.
  int64_t divisibility = 1;
};

/// Facts about an integer or pointer value: weaker than a form but known for more values
/// (remainders, quotients).
struct Facts {
  /// A power of two that divides every element; for pointers: the addresses in bytes.
  int64_t divisibility = 1;
  llvm::SmallVector<DimFacts, 2> dims;
};

/// The number ceil(expr / divisor): of indices, 2 * i < n is i < ceil(n / 2). Of several
/// expressions one must hold: the largest counts in an upper bound, the smallest in a lower one.
struct Bound {
  llvm::SmallVector<ScalarExpr, 1> exprs; ///< At least one.
  int64_t divisor = 1;                    ///< Above 0.
};

/// max(lowers) <= i_d < min(uppers); no entry means no bound.
struct DimBounds {
  llvm::SmallVector<Bound, 1> lowers, uppers;
};

/// A block of bools as a conjunction. A lane is on when every bound, every condition and every
/// remainder holds.
struct MaskForm {
  llvm::SmallVector<DimBounds, 2> dims;
  llvm::SmallVector<mlir::Value, 1> conditions; ///< Scalar i1 values.
  llvm::SmallVector<ScalarExpr, 1>
      positives; ///< Scalars that must be > 0: what is left of a comparison of uniform blocks.
  /// Conjuncts not understood, each of the mask's type.
  llvm::SmallVector<mlir::Value, 1> remainder;
  bool isUnderstood() const { return remainder.empty(); }
};

/// A memory access as a strided box.
struct StructuredAccess {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t, 2> shape; ///< Empty for a scalar access.
  mlir::Type element;                  ///< Of memory.
  AffineForm address;                  ///< In elements.
  std::optional<MaskForm> mask;        ///< Nothing: all lanes are on.

  /// The dimension to vectorise: the last one with contiguity above 1; nothing when there is none.
  std::optional<unsigned> contiguousDim;
  /// Along contiguousDim: run of consecutive elements; 1 without one.
  int64_t contiguity = 1;
  /// Bytes that divide the address of each run's first element; at least the element's size.
  int64_t alignment = 1;
  /// Along contiguousDim: aligned runs of this many lanes are all on or all off.
  int64_t maskConstancy = 1;

  /// Address and mask known completely: a box with strides and bounds and nothing else.
  bool isStructured() const { return address.isAffine() && (!mask || mask->isUnderstood()); }
  /// The widest vector, in elements, that one lane can move: contiguous, aligned to its own size,
  /// on or off as one.
  int64_t vectorWidth(int64_t maxBytes) const;
};

class AccessInference {
public:
  /// Takes a function, as mlir::Pass::getAnalysis makes it.
  explicit AccessInference(mlir::Operation *function);
  ~AccessInference();

  /// The form of an integer or pointer value. This and other references stay good while the
  /// analysis lives.
  const AffineForm &form(mlir::Value value);
  /// How the block is carried, when `value` is a region's argument or result whose form is affine;
  /// else null.
  const CarriedBlock *carried(mlir::Value value);

  const Facts &facts(mlir::Value value);
  /// A power of two that divides the expression.
  int64_t divisibility(const ScalarExpr &expr);
  bool isNonNegative(mlir::Value value);
  /// The same, provided that these scalars are above zero.
  bool isNonNegative(mlir::Value value, const llvm::DenseSet<mlir::Value> &positive);

  MaskForm mask(mlir::Value mask);
  /// The mask smaller < larger (or <=), of blocks of one shape, when it is a box.
  std::optional<MaskForm> less(mlir::Value smaller, mlir::Value larger, bool orEqual = false);
  const StructuredAccess &access(MemoryAccess op);

  struct State; ///< Shared by the analysis's own files.

private:
  std::unique_ptr<State> state_;
};

} // namespace tilewise::tile
