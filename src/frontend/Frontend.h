// The front end's door: kernel text and the types of its arguments -> tile IR.
#pragma once

#include "support/Diagnostics.h"
#include "support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace tilewise::frontend {

class Environment;

/// What is known of one kernel parameter when it is compiled: a type with a known divisor, or a compile-time constant.
struct ArgumentSpec {
  /// "*fp32", "i32", "bf16", ...; for a constant: the text of a literal, as `1024`, `True`, `None`, `"relu"`, `tl.float16`.
  std::string text;
  bool isConstant = false;
  /// A power of two that divides the integer, or the pointer's address in bytes.
  uint32_t divisibility = 1;

  bool operator==(const ArgumentSpec &) const = default;
};

/// "*fp32:16, i32, 1024" <-> one ArgumentSpec per parameter.
Result<std::vector<ArgumentSpec>> parseSignature(llvm::StringRef text);
std::string printSignature(llvm::ArrayRef<ArgumentSpec> arguments);

struct EmitRequest {
  const SourceFile *file = nullptr;
  std::string kernel;
  std::vector<ArgumentSpec> arguments;
  /// `--define NAME=value`: module-level names given from outside, as texts of literals.
  llvm::StringMap<std::string> defines;
  /// Where names resolve; null means: the file itself, evaluated lazily.
  Environment *environment = nullptr;
};

/// The kernel as a module with one `tile.kernel` function and everything it calls inlined; null after an error, which is in `diagnostics`.
mlir::OwningOpRef<mlir::ModuleOp> emitTile(const EmitRequest &request, mlir::MLIRContext &context,
                                           Diagnostics &diagnostics);

/// The kernels of a file in its order: their names and parameters, for `tilewise list` and for binding arguments.
struct ParameterInfo {
  std::string name;
  bool isConstexpr = false;
  std::string annotation;   ///< As written, or empty.
  std::string defaultValue; ///< The default's text, or empty.
};
struct KernelInfo {
  std::string name;
  SourceLoc loc;
  std::vector<ParameterInfo> parameters;
};
/// A live function is a kernel by its host's word, whatever its decorators are called: then `everyFunction` counts as one.
std::vector<KernelInfo> listKernels(const SourceFile &file, Diagnostics &diagnostics, bool everyFunction = false);

} // namespace tilewise::frontend
