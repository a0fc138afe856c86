// Reading the compile-time arguments of builtins.
#include "frontend/builtins/BuiltinArguments.h"

#include "support/Try.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

static Failure expected(llvm::StringRef what, llvm::StringRef kind, const Operand &got) {
  std::string found =
      got.isRuntime() ? "a runtime " + got.kindText() + "; mark what it comes from as tl.constexpr" : got.kindText();
  return kernelFailure(what.str() + " must be " + kind.str() + ", got " + found);
}

Result<int64_t> intArgument(const Operand &operand, llvm::StringRef what) {
  if (std::optional<int64_t> value = operand.asInt64())
    return *value;
  if (operand.isInt())
    return kernelFailure(what.str() + " does not fit in 64 bits: " + operand.repr());
  return expected(what, "a compile-time int", operand);
}

Result<bool> boolArgument(const Operand &operand, llvm::StringRef what) {
  if (operand.isBool() || operand.isInt())
    return *operand.asInt64() != 0;
  return expected(what, "a compile-time bool", operand);
}

Result<DType> dtypeArgument(const Operand &operand, llvm::StringRef what) {
  if (operand.isType() && !operand.type().isBlock())
    return operand.type().element;
  // As text, or as a class of Python or numpy: "the class 'float32'".
  const std::string text = operand.isString() ? "'" + operand.string() + "'" : operand.kindText();
  const llvm::StringRef quoted = llvm::StringRef(text).rtrim('\'').rsplit('\'').second;
  const llvm::StringRef name = llvm::StringSwitch<llvm::StringRef>(quoted)
                                   .Case("float", "float32")
                                   .Case("int", "int32")
                                   .Case("bool", "int1")
                                   .Default(quoted);
  Failure failure = expected(what, "a dtype such as tl.float32", operand);
  if (dtypeOfLanguageName(name))
    failure.message += "; write tl." + name.str();
  return failure;
}

Result<std::string> stringArgument(const Operand &operand, llvm::StringRef what) {
  if (operand.isString())
    return operand.string();
  return expected(what, "a compile-time string", operand);
}

Result<llvm::SmallVector<int64_t, 4>> intsArgument(const Operand &operand, llvm::StringRef what) {
  llvm::SmallVector<int64_t, 4> result;
  if (!operand.isSequence()) {
    TILEWISE_TRY(int64_t value, intArgument(operand, what));
    result.push_back(value);
    return result;
  }
  for (const Operand &element : operand.elements()) {
    TILEWISE_TRY(int64_t value, intArgument(element, what));
    result.push_back(value);
  }
  return result;
}

Result<llvm::SmallVector<int64_t, 4>> shapeArgument(const Operand &operand, llvm::StringRef what) {
  if (operand.isSequence() && operand.elements().size() == 1 && operand.elements().front().isSequence())
    return intsArgument(operand.elements().front(), what);
  return intsArgument(operand, what);
}

Result<NanRule> nanArgument(const Operand &operand, llvm::StringRef what) {
  if (operand.isNone())
    return NanRule::Loses;
  if (operand.isString() && operand.string() == "PropagateNan.NONE")
    return NanRule::Loses;
  if (operand.isString() && operand.string() == "PropagateNan.ALL")
    return NanRule::Wins;
  return expected(what, "tl.PropagateNan.NONE or tl.PropagateNan.ALL", operand);
}

} // namespace tilewise::frontend
