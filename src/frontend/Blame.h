// Whose fault it is that the front end refused a launch: the kernel's author's, or the caller's,
// who gave what the kernel was not written for.
//
// A text that compiles for other arguments is a valid text. So the front end is asked again, with
// arguments changed:
//
//     def k(x_ptr, BLOCK: tl.constexpr): ... tl.exp(tl.load(x_ptr + at)) ...
//       *i32, 64     refused: tl.exp needs floats
//       *fp32, 64    fine, so 'x_ptr' is to blame, and a pointer to fp32 is a way out
//
// First each argument alone; every one whose change helps is named (a and b of `tl.dot(a, b)`, when
// one is fp16 and the other fp32). Then tensors together (when both are integers). Last, the change
// that gets the furthest is kept and the search goes on from there (two arguments in each other's
// place). A change helps only if the place that was refused is still compiled: a constant that
// turns a branch off says nothing about what is written in it. And some
// complaints are about the text whatever is given: `if` on a block, which a block of one element
// would hide; a sum of floats that starts as the int 0, which integers in memory would hide.
#pragma once

#include "frontend/Frontend.h"

namespace tilewise::frontend {

/// What a launch knows of a parameter.
struct LaunchedParameter {
  std::string name;
  bool isConstexpr = false;
  /// Its annotation is a type, which every launch has to give; or it is `*args`.
  bool isFixed = false;
  std::string type; ///< That type: "*fp32".
};

struct Blame {
  struct Change {
    size_t argument;
    ArgumentSpec instead;
  };
  std::vector<Change> changes; ///< In the order of the arguments; none: the text is at fault.
  bool isTogether = false;     ///< All of them are needed; else each one alone would do.
  /// An argument that no kernel could take; there are no changes then.
  std::optional<size_t> refused;

  bool isOfLaunch() const { return refused || !changes.empty(); }
};

/// After emitTile has refused the request; what it costs is bounded by a number of evaluation
/// steps, so the answer is always the same.
Blame blameArguments(const EmitRequest &request, llvm::ArrayRef<LaunchedParameter> parameters,
                     mlir::MLIRContext &context);

/// "argument 'x_ptr' is a pointer to i32; the kernel compiles with a pointer to fp32"
std::string describeBlame(const Blame &blame, const EmitRequest &request, llvm::ArrayRef<LaunchedParameter> parameters);

} // namespace tilewise::frontend
