// Builtins: atomics, the barrier, and printing from a kernel.
#include "frontend/builtins/BuiltinArguments.h"
#include "support/Try.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<OpSink::AtomicOptions> atomicOptions(const Operand &sem, const Operand &scope) {
  OpSink::AtomicOptions options;
  if (!sem.isNone()) {
    TILEWISE_TRY(std::string name, stringArgument(sem, "an atomic's sem"));
    auto order = llvm::StringSwitch<std::optional<MemoryOrder>>(name)
                     .Case("relaxed", MemoryOrder::Relaxed)
                     .Case("acquire", MemoryOrder::Acquire)
                     .Case("release", MemoryOrder::Release)
                     .Case("acq_rel", MemoryOrder::AcquireRelease)
                     .Default(std::nullopt);
    if (!order)
      return kernelFailure("an atomic's sem is 'acquire', 'release', 'acq_rel' or 'relaxed', got '" + name + "'");
    options.order = *order;
  }
  if (!scope.isNone()) {
    TILEWISE_TRY(std::string name, stringArgument(scope, "an atomic's scope"));
    auto known = llvm::StringSwitch<std::optional<MemoryScope>>(name)
                     .Case("cta", MemoryScope::Block)
                     .Case("gpu", MemoryScope::Device)
                     .Case("sys", MemoryScope::System)
                     .Default(std::nullopt);
    if (!known)
      return kernelFailure("an atomic's scope is 'gpu', 'cta' or 'sys', got '" + name + "'");
    options.scope = *known;
  }
  return options;
}

template <Sema::Atomic op> static Result<Operand> atomic(CallContext &context, Arguments a) {
  TILEWISE_TRY(OpSink::AtomicOptions options, atomicOptions(a[3], a[4]));
  return asOperand(context.sema()->atomic(op, a[0], a[1], a[2], options));
}

static Result<Operand> compareAndSwap(CallContext &context, Arguments a) {
  TILEWISE_TRY(OpSink::AtomicOptions options, atomicOptions(a[3], a[4]));
  return asOperand(context.sema()->compareAndSwap(a[0], a[1], a[2], options));
}

static Result<Operand> barrier(CallContext &context, Arguments) {
  context.sema()->sink().barrier();
  return Operand::none();
}

static Result<Operand> print(CallContext &context, Arguments a) {
  if (!a[0].isString())
    return kernelFailure("argument to device_print must be a string literal that stands before the values, got " +
                         a[0].kindText() + "; write tl.device_print('x', x)");
  const std::string &prefix = a[0].string();
  TILEWISE_TRY(bool hex, boolArgument(a[2], "tl.device_print's hex"));
  for (char c : prefix)
    if ((c < 32 || c > 126) && !(c >= '\t' && c <= '\r'))
      return kernelFailure("tl.device_print: '" + prefix + "' is not an ascii string that can be printed");
  llvm::SmallVector<Value> values;
  for (const Operand &operand : a[1].elements()) {
    TILEWISE_TRY(Value value, context.sema()->toValue(operand));
    values.push_back(std::move(value));
  }
  context.sema()->sink().print(prefix, values, hex);
  return Operand::none();
}

static constexpr llvm::StringLiteral kParameters = "pointer, val, mask=None, sem=None, scope=None";

static constexpr Builtin kRows[] = {
    {"tl.atomic_add", kParameters, Builtin::Method, atomic<Sema::Atomic::Add>},
    {"tl.atomic_max", kParameters, Builtin::Method, atomic<Sema::Atomic::Max>},
    {"tl.atomic_min", kParameters, Builtin::Method, atomic<Sema::Atomic::Min>},
    {"tl.atomic_and", kParameters, Builtin::Method, atomic<Sema::Atomic::And>},
    {"tl.atomic_or", kParameters, Builtin::Method, atomic<Sema::Atomic::Or>},
    {"tl.atomic_xor", kParameters, Builtin::Method, atomic<Sema::Atomic::Xor>},
    {"tl.atomic_xchg", kParameters, Builtin::Method, atomic<Sema::Atomic::Exchange>},
    {"tl.atomic_cas", "pointer, cmp, val, sem=None, scope=None", Builtin::Method, compareAndSwap},
    {"tl.debug_barrier", "", Builtin::None, barrier},
    {"tl.device_print", "prefix, *args, hex=False", Builtin::None, print},
    {"print", "prefix, *args, hex=False", Builtin::None, print},
};

llvm::ArrayRef<Builtin> atomicBuiltins() { return kRows; }

} // namespace tilewise::frontend
