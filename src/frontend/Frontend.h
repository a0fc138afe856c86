// The front end's door: kernel text and the types of its arguments -> tile IR.
#pragma once

#include "frontend/python/Visits.h"
#include "frontend/values/CompileFacts.h"
#include "support/Diagnostics.h"
#include "support/Error.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::frontend {

class Environment;

/// What is known of one kernel parameter when it is compiled: a type with a known divisor, or a
/// compile-time constant.
struct ArgumentSpec {
  /// "*fp32", "i32", "bf16", ...; for a constant: the text of a literal, as `1024`, `True`, `None`,
  /// `"relu"`, `tl.float16`.
  std::string text;
  bool isConstant = false;
  /// A power of two that divides the integer, or the pointer's address in bytes.
  uint32_t divisibility = 1;

  bool operator==(const ArgumentSpec &) const = default;
};

/// A descriptor of the host as an argument, by its text in a signature: "tensordesc<fp16[128,
/// 64]>", "tensordesc<fp32[32], nan>".
struct DescriptorSpec {
  std::string element; ///< "fp16"
  std::vector<int64_t> blockShape;
  bool padWithNan = false;

  std::string str() const;
};
/// Nothing when the text is no descriptor's; a failure when it is meant to be one.
Result<std::optional<DescriptorSpec>> parseDescriptor(llvm::StringRef text);

/// One value that the code takes for an argument: the argument itself, or a part of a descriptor.
struct ArgumentPart {
  enum class Kind : uint8_t { Whole, Base, Extent, Stride };
  Kind kind = Kind::Whole;
  uint8_t dimension = 0;
  std::string type; ///< "*fp16", "i32", "i64"
  uint32_t divisibility = 1;
};
/// What the code takes for an argument, in order; nothing for a constant. A descriptor is its base,
/// aligned to 16 bytes, the extent of each dimension in 32 bits, and the strides of all but the
/// last, whose stride is 1, in 64: multiples of 16 bytes.
std::vector<ArgumentPart> partsOf(const ArgumentSpec &spec);

/// "__part3", and whether a name is of that form.
std::string partNameOf(size_t index);
bool isPartName(llvm::StringRef name);

/// "*fp32:16, i32, 1024" <-> one ArgumentSpec per parameter.
Result<std::vector<ArgumentSpec>> parseSignature(llvm::StringRef text);
std::string printSignature(llvm::ArrayRef<ArgumentSpec> arguments);

struct EmitRequest {
  const SourceFile *file = nullptr;
  std::string kernel;
  std::vector<ArgumentSpec> arguments;
  /// `--define NAME=value`: module-level names given from outside, as texts of literals.
  llvm::StringMap<std::string> defines;
  CompileFacts facts;
  /// How many of the arguments, at the end, are no parameters' but parts of values that the texts
  /// of constants name: a tuple of a pointer, an int and 7 is the constant `(__part0, __part1, 7)`
  /// with the parts `*fp32, i32`.
  size_t partCount = 0;
  /// Where names resolve; null means: the file itself, evaluated lazily.
  Environment *environment = nullptr;
  /// How files that the kernel's file imports are read; without it they are read from the disk.
  std::function<std::optional<std::string>(const std::string &path)> readImport;
  /// Set by emitTile: the imported files, which places in the diagnostics point into. Render before
  /// the request goes.
  mutable std::shared_ptr<const void> imports;
  /// Set by emitTile: the texts of other functions that ops come from, beside the kernel's own and
  /// the library's; several may be cut out of one file.
  mutable std::vector<std::shared_ptr<const SourceFile>> otherFiles;
  /// Set by emitTile: the name of each argument.
  mutable std::vector<std::string> argumentNames;
  /// What compiling may spend on evaluation and unrolling, in statements and expressions; without
  /// it the usual limit.
  std::optional<uint64_t> maxSteps;
  /// Filled by emitTile if given.
  Visits *visits = nullptr;
  /// Set by emitTile: what failed is not the kernel's text but the front end.
  mutable bool isFault = false;
};

/// The kernel as a module with one `tile.kernel` function and everything it calls inlined; null
/// after an error, which is in `diagnostics`.
mlir::OwningOpRef<mlir::ModuleOp> emitTile(const EmitRequest &request, mlir::MLIRContext &context,
                                           Diagnostics &diagnostics);

/// The kernels of a file in its order: their names and parameters, for `tilewise list` and for
/// binding arguments.
struct ParameterInfo {
  std::string name;
  bool isConstexpr = false;
  std::string annotation;   ///< As written, or empty.
  std::string defaultValue; ///< The default's text, or empty.
  bool isRest = false;      ///< `*args`: takes all further positional arguments.
  /// What @triton.jit says of it: nothing of its value is compiled in, or not what divides it.
  bool notSpecialized = false, notOnAlignment = false;
};
struct KernelInfo {
  std::string name;
  SourceLoc loc;
  std::vector<ParameterInfo> parameters;
  bool isAutotuned = false;   ///< Has @triton.autotune: see autotuneOf.
  bool hasHeuristics = false; ///< Has @triton.heuristics: see heuristicsOf.
  /// Decorators that Tilewise knows nothing of, as written; the kernel is compiled as if they were
  /// not there.
  std::vector<std::string> otherDecorators;
};
/// A live function is a kernel by its host's word, whatever its decorators are called: then
/// `everyFunction` counts as one.
std::vector<KernelInfo> listKernels(const SourceFile &file, Diagnostics &diagnostics, bool everyFunction = false);

/// One `triton.Config(...)`.
struct ConfigInfo {
  /// Parameters and the texts of their values.
  std::vector<std::pair<std::string, std::string>> values;
  int64_t numWarps = 4, numStages = 3, numCtas = 1;
  std::optional<int64_t> maxRegisters;

  bool operator==(const ConfigInfo &) const = default;
};
struct AutotuneInfo {
  std::vector<ConfigInfo> configs;
  std::vector<std::string> key; ///< Parameters whose values choose a config.
  /// Pointers whose memory is zeroed, or gets back what it held, between calls that are timed.
  std::vector<std::string> resetToZero, restoreValue;
};
/// What @triton.autotune gives a kernel, evaluated now; an empty list of configs when it has none,
/// a failure when it cannot be evaluated.
Result<AutotuneInfo> autotuneOf(const SourceFile &file, llvm::StringRef kernel,
                                const llvm::StringMap<std::string> &defines);
/// What @triton.heuristics computes for a launch: parameters and the texts of their values.
/// `arguments` are the launch's values by name, as texts of literals.
Result<std::vector<std::pair<std::string, std::string>>>
heuristicsOf(const SourceFile &file, llvm::StringRef kernel, const llvm::StringMap<std::string> &defines,
             llvm::ArrayRef<std::pair<std::string, std::string>> arguments);

} // namespace tilewise::frontend
