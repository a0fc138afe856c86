// Where the names of a function resolve that it does not bind itself: an abstract place, whose
// values are compile-time operands.
//
// A file opened from C++ has a FileEnvironment, which evaluates module-level code lazily; a live
// Python function has a HostEnvironment, which asks its host through callbacks.
#pragma once

#include "frontend/values/CompileFacts.h"
#include "frontend/values/Operand.h"

#include "llvm/ADT/StringMap.h"

namespace tilewise::frontend {

namespace ast {
struct FunctionDef;
struct Lambda;
} // namespace ast

/// A function of kernel text: its definition, and where its free names resolve.
struct FunctionValue {
  enum class Kind {
    Jit,       ///< Compiled into the kernel that calls it.
    Constexpr, ///< Run while compiling, as Python has it.
    Host,      ///< Of the host: kernels cannot call it, though module-level code can.
  };

  std::string name;
  Kind kind = Kind::Jit;
  /// Null for a host function without known text.
  ast::FunctionDef *definition = nullptr;
  Environment *environment = nullptr;
  /// `lambda x: ...`, which has no definition, and the local names that it or a nested function may
  /// use.
  const ast::Lambda *lambda = nullptr;
  std::vector<std::pair<std::string, Operand>> captured;

  bool isStatic = false;   ///< A method that does not get its object.
  bool isProperty = false; ///< A method that is called by naming it.
  /// Takes no tensors, as it would be a function of its own in the program.
  bool isNoinline = false;
  /// @triton.must_use_result: what a call that ignores the result is told; it may be empty.
  std::optional<std::string> mustUseResult;
  /// Keeps alive what `definition` points into, where the environment does not.
  std::shared_ptr<void> owner;
};

/// Who asks: kernels see only functions, modules, types and constexpr values; defaults of
/// parameters see every value.
enum class LookupUse { Kernel, Default };

class Environment {
public:
  virtual ~Environment() = default;
  /// For module-level code that asks where it runs.
  CompileFacts facts;

  /// The value of a name, or nothing when the name is not defined here; a failure when it is, but
  /// cannot be had.
  virtual Result<std::optional<Operand>> lookup(llvm::StringRef name, LookupUse use) = 0;

  /// All names defined here, for did-you-mean.
  virtual std::vector<std::string> names() const = 0;

  // What only an environment can do with its own objects; without an override, such objects are
  // opaque.
  virtual Result<Operand> getAttribute(const HostObject &object, llvm::StringRef name);
  virtual Result<Operand> call(const HostObject &callee, llvm::ArrayRef<Operand> arguments,
                               llvm::ArrayRef<std::pair<std::string, Operand>> keywords);
  /// Whether call() can do anything but fail.
  virtual bool canCall() const { return false; }
  virtual bool equal(const HostObject &a, const HostObject &b);
};

} // namespace tilewise::frontend
