// The table of functions that the front end implements itself, one row per function, and how their
// arguments are bound.
//
//     {"tl.load", "pointer, mask=None, other=None, *, cache_modifier='', ...", Builtin::Method, load}
//
// A row's function gets its arguments in the order of the row's parameters, defaults filled in;
// `*rest` arrives as one tuple.
#pragma once

#include "frontend/sema/Sema.h"
#include "frontend/values/Builtin.h"
#include "support/Diagnostics.h"
#include "support/DidYouMean.h"

#include <array>

namespace tilewise::frontend {

/// What a builtin may ask of the one who calls it.
class CallContext {
public:
  virtual ~CallContext() = default;
  /// Null outside a kernel, where only compile-time functions can be called.
  virtual Sema *sema() = 0;
  /// Calls a jit function or builtin, as tl.reduce does with its combine function.
  virtual Result<Operand> call(const Operand &callee, llvm::ArrayRef<Operand> arguments) = 0;
  /// Where the kernel will run, also for code outside it.
  virtual const CompileFacts &facts() = 0;
  /// A message while compiling, at the place of the call.
  virtual void note(std::string message) = 0;
  /// Before a list or dict is changed in place: a failure where the change would not be there at
  /// run time.
  virtual Result<void> mayChange(const Operand &) { return {}; }
};

/// A row by its qualified name, or null.
const Builtin *findBuiltin(llvm::StringRef qualifiedName);
/// Python's own functions that kernels may call: len, float, min, ...
const Builtin *findPythonBuiltin(llvm::StringRef name);

/// The families of rows, each in a file of its own.
/// BuiltinsTensor.cpp: creation, memory, dot, reduce, scan.
llvm::ArrayRef<Builtin> tensorBuiltins();
llvm::ArrayRef<Builtin> shapeBuiltins();  ///< BuiltinsShape.cpp
llvm::ArrayRef<Builtin> atomicBuiltins(); ///< BuiltinsAtomic.cpp: atomics, barrier, printing.
llvm::ArrayRef<Builtin> mathBuiltins();   ///< BuiltinsMath.cpp
/// BuiltinsDescriptor.cpp: block pointers, tensor descriptors.
llvm::ArrayRef<Builtin> descriptorBuiltins();
/// BuiltinsMachine.cpp: maps, assembly, promises, the target.
llvm::ArrayRef<Builtin> machineBuiltins();
llvm::ArrayRef<Builtin> libdeviceBuiltins(); ///< BuiltinsLibdevice.cpp
llvm::ArrayRef<Builtin> typeBuiltins();      ///< BuiltinsTypes.cpp: dtypes.
llvm::ArrayRef<Builtin> compileBuiltins();   ///< BuiltinsCompile.cpp: constexpr, static_assert.
/// BuiltinsPython.cpp: Python's own functions, its math module.
llvm::ArrayRef<Builtin> pythonBuiltins();
/// BuiltinsHost.cpp: what files ask of importlib, os, torch and triton itself.
llvm::ArrayRef<Builtin> hostBuiltins();
/// BuiltinsMethods.cpp: methods of Python's strings, lists and dicts.
llvm::ArrayRef<Builtin> methodBuiltins();
std::array<llvm::ArrayRef<Builtin>, 12> builtinFamilies();

/// One parameter of a row, taken from its text.
struct BuiltinParameter {
  llvm::StringRef name;
  std::optional<Operand> defaultValue;
  bool isRest = false;
  bool keywordOnly = false;
};
llvm::ArrayRef<BuiltinParameter> parametersOf(const Builtin &builtin);

/// `name` of a module: a builtin, dtype, submodule or library function; a failure that says what is
/// wrong otherwise.
Result<Operand> moduleAttribute(llvm::StringRef module, llvm::StringRef name);
/// The module's canonical name when `dotted` is one that the front end knows, as
/// "tilewise.language" -> "triton.language".
std::optional<std::string> knownModule(llvm::StringRef dotted);
/// The same for modules of the host of which a little is known, as torch's dtypes: HostModules.cpp.
std::optional<std::string> hostModule(llvm::StringRef dotted);
Result<Operand> hostModuleAttribute(llvm::StringRef module, llvm::StringRef name);
/// The method of a tensor, a builtin or a library function; nothing when there is none.
std::optional<Operand> tensorMethod(llvm::StringRef name);
/// `x.type` of a compile-time value, and tl.constexpr_type(x): a record that holds the value.
Operand constexprTypeOf(const Operand &value);
/// The dtype's attribute or bound method.
Result<Operand> typeAttribute(const Type &type, llvm::StringRef name);

/// What a kernel is told that looks into an object of the host: numpy.sqrt and torch.sqrt are
/// tl.sqrt here.
Failure cannotLookInto(const HostObject &object, llvm::StringRef name);

} // namespace tilewise::frontend
