// Builtins that act while compiling: constexpr, assertions, and Python's own functions.
#include "frontend/builtins/BlockAccess.h"
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/Support/MathExtras.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Operand> constexprOf(CallContext &, Arguments a) {
  if (a[0].holdsRuntime())
    return kernelFailure("tl.constexpr takes a compile-time value, got a runtime " + a[0].kindText());
  return a[0];
}

static Result<Operand> staticAssert(CallContext &, Arguments a) {
  if (!a[0].isBool())
    return kernelFailure(
        "tl.static_assert takes a compile-time bool, got " +
        (a[0].isRuntime() ? "a runtime " + a[0].kindText() + "; use tl.device_assert" : a[0].kindText()));
  if (a[0].boolean())
    return Operand::none();
  std::string message = a[1].isString() ? a[1].string() : a[1].str();
  return kernelFailure("static assertion failed" + (message.empty() ? "" : ": " + message),
                       MessageCode::StaticAssertion);
}

static Result<Operand> staticPrint(CallContext &context, Arguments a) {
  TILEWISE_TRY(std::string separator, stringArgument(a[1], "tl.static_print's sep"));
  std::string line;
  for (auto [i, value] : llvm::enumerate(a[0].elements()))
    line += (i ? separator : "") + value.str();
  context.note(line);
  return Operand::none();
}

static Result<Operand> nextPowerOf2(CallContext &, Arguments a) {
  TILEWISE_TRY(int64_t value, intArgument(a[0], "triton.next_power_of_2's argument"));
  if (value > int64_t(1) << 62)
    return kernelFailure("triton.next_power_of_2's argument is too large: " + a[0].repr());
  return Operand::ofInt(value <= 0 ? 0 : int64_t(llvm::PowerOf2Ceil(uint64_t(value))));
}

static Result<Operand> length(CallContext &, Arguments a) {
  if (a[0].isSequence())
    return Operand::ofInt(int64_t(a[0].elements().size()));
  if (a[0].isString())
    return Operand::ofInt(int64_t(a[0].string().size()));
  if (a[0].isDict())
    return Operand::ofInt(int64_t(a[0].entries().size()));
  return kernelFailure("len() takes a tuple, list, dict or string, got " + a[0].kindText());
}

static Failure needsConstant(llvm::StringRef function, const Operand &got, llvm::StringRef wayOut) {
  return kernelFailure(function.str() + "() takes a compile-time value, got a runtime " + got.kindText() + "; write " +
                       wayOut.str());
}

static Result<Operand> toFloat(CallContext &, Arguments a) {
  return a[0].isRuntime() ? needsConstant("float", a[0], "x.to(tl.float32)") : constantToFloat(a[0]);
}
static Result<Operand> toInt(CallContext &, Arguments a) {
  return a[0].isRuntime() ? needsConstant("int", a[0], "x.to(tl.int32)") : constantToInt(a[0]);
}
static Result<Operand> toBool(CallContext &, Arguments a) {
  if (a[0].isRuntime())
    return needsConstant("bool", a[0], "x.to(tl.int1)");
  TILEWISE_TRY(bool truth, constantTruth(a[0]));
  return Operand::ofBool(truth);
}
static Result<Operand> toString(CallContext &, Arguments a) { return Operand::ofString(a[0].str()); }

static Result<Operand> absoluteOf(CallContext &context, Arguments a) {
  return a[0].isRuntime() ? asOperand(context.sema()->abs(a[0])) : constantAbs(a[0]);
}

template <bool isMin> static Result<Operand> minMaxOf(CallContext &context, Arguments a) {
  const Operand &given = a[0];
  Elements items = given.elements().size() == 1 && given.elements().front().isSequence()
                       ? given.elements().front().elements()
                       : given.elements();
  if (items.empty())
    return kernelFailure(std::string(isMin ? "min" : "max") + "() takes at least one value");
  Operand best = items.front(), bestKey = best;
  auto keyOf = [&](const Operand &item) { return a[1].isNone() ? Result<Operand>(item) : context.call(a[1], {item}); };
  TILEWISE_TRY(bestKey, keyOf(best));
  for (const Operand &item : llvm::ArrayRef<Operand>(items).drop_front()) {
    if ((best.isRuntime() || item.isRuntime()) && context.sema()) {
      TILEWISE_TRY(Value value, isMin ? context.sema()->minimum(best, item, NanRule::Loses)
                                      : context.sema()->maximum(best, item, NanRule::Loses));
      best = Operand(value);
      continue;
    }
    TILEWISE_TRY(Operand key, keyOf(item));
    TILEWISE_TRY(Operand better, constantCompare(isMin ? CompareOperator::Lt : CompareOperator::Gt, key, bestKey));
    if (better.boolean()) {
      best = item;
      bestKey = std::move(key);
    }
  }
  return best;
}

static Result<Operand> isInstance(CallContext &, Arguments a) {
  Elements classes = a[1].isSequence() ? a[1].elements() : Elements{a[1]};
  for (const Operand &one : classes) {
    if (one.isClass()) {
      const RecordClass *kind = a[0].isRecord()       ? a[0].record().kind.get()
                                : a[0].isNamedTuple() ? a[0].tupleClass().get()
                                                      : nullptr;
      if (kind && kind->inherits(*one.classValue()))
        return Operand::ofBool(true);
      continue;
    }
    if (!one.isBuiltin())
      return kernelFailure("isinstance() cannot test for " + one.kindText());
    llvm::StringRef name = one.builtin()->name();
    bool matches =
        name == "tl.tensor"              ? a[0].isRuntime()
        : name == "tl.constexpr"         ? !a[0].isRuntime()
        : name == "tl.dtype"             ? a[0].isType()
        : name == "tl.pointer_type"      ? a[0].isType() && !a[0].type().isBlock() && a[0].type().element.isPointer()
        : name == "tl.tensor_descriptor" ? a[0].isRecord(*tensorDescriptorClass())
        : name == "tl.block_type"        ? a[0].isType() && a[0].type().isBlock()
        : name == "int"                  ? a[0].isInt() || a[0].isBool()
        : name == "bool"                 ? a[0].isBool()
        : name == "float"                ? a[0].isFloat()
        : name == "str"                  ? a[0].isString()
        : name == "dict"                 ? a[0].isDict()
        : name == "tl.constexpr_type"    ? a[0].isRecord(*constexprTypeOf(Operand()).record().kind)
        : name == "tl.pointer_type"      ? a[0].isType() && a[0].type().element.isPointer() && !a[0].type().isBlock()
        : name == "tl.block_type"        ? a[0].isType() && a[0].type().isBlock()
        : name == "tuple" || name == "list" || name == "tl.tuple" ? a[0].isSequence()
                                                                  : false;
    if (matches)
      return Operand::ofBool(true);
  }
  return Operand::ofBool(false);
}

/// `tl.constexpr_type(x)` and `x.type` of a compile-time value.
Operand constexprTypeOf(const Operand &value) {
  static const auto kind = [] {
    auto made = std::make_shared<RecordClass>();
    made->name = "constexpr_type";
    made->fields = {"value"};
    return std::shared_ptr<const RecordClass>(std::move(made));
  }();
  return Operand::ofRecord(kind, {value});
}
static Result<Operand> constexprType(CallContext &, Arguments a) { return constexprTypeOf(a[0]); }

/// `while tl.condition(x, ...)`: its option is for the engine's scheduler.
static Result<Operand> conditionOf(CallContext &, Arguments a) { return a[0]; }

/// `with tl.async_task(...)`: a scope for the engine's scheduler, without effect on meaning.
static Result<Operand> asyncTask(CallContext &, Arguments) {
  static const auto kind = [] {
    auto made = std::make_shared<RecordClass>();
    made->name = "async_task";
    return std::shared_ptr<const RecordClass>(std::move(made));
  }();
  return Operand::ofRecord(kind, {});
}

static Result<Operand> toList(CallContext &, Arguments a) {
  if (a[0].isNone())
    return Operand::ofList({});
  if (a[0].isDict()) {
    Elements keys;
    for (const auto &entry : a[0].entries())
      keys.push_back(entry.first);
    return Operand::ofList(std::move(keys));
  }
  if (!a[0].isSequence())
    return kernelFailure("list() takes a tuple or a list, got " + a[0].kindText());
  return Operand::ofList(a[0].elements());
}

static Result<Operand> toTuple(CallContext &, Arguments a) {
  if (a[0].isNone())
    return Operand::ofTuple({});
  if (!a[0].isSequence())
    return kernelFailure("expected a tuple or a list, got " + a[0].kindText());
  return Operand::ofTuple(a[0].elements());
}

/// Outside a `for`, only over compile-time ints: the list of them.
static Result<Operand> rangeOf(CallContext &, Arguments a) {
  TILEWISE_TRY(auto bounds, intsArgument(a[0], "range()'s argument"));
  if (bounds.empty() || bounds.size() > 3 || (bounds.size() == 3 && bounds[2] == 0))
    return kernelFailure("range() takes one to three ints and a step other than 0");
  int64_t start = bounds.size() == 1 ? 0 : bounds[0], end = bounds.size() == 1 ? bounds[0] : bounds[1];
  int64_t step = bounds.size() == 3 ? bounds[2] : 1;
  Elements values;
  for (int64_t i = start; step > 0 ? i < end : i > end;) {
    if (values.size() >= kMaxSequence)
      return kernelFailure("range() outside a for loop gives at most " + std::to_string(kMaxSequence) + " ints");
    values.push_back(Operand::ofInt(i));
    if (llvm::AddOverflow(i, step, i))
      break;
  }
  return Operand::ofList(std::move(values));
}

static Result<Operand> notHere(CallContext &, Arguments) {
  return kernelFailure("this can only stand where the language asks for it: a range after 'for ... in', a class in "
                       "isinstance() or an annotation");
}

/// Where the host runs the loops of a kernel, line by line: what it counts from, to and by, and the
/// type of the variable.
static Result<Operand> loopRange(CallContext &context, Arguments a) {
  if (!context.sema() || !context.sema()->facts.isInterpreted)
    return notHere(context, a);
  Elements bounds = a[0].elements();
  if (bounds.empty() || bounds.size() > 3)
    return kernelFailure("tl.range takes one to three bounds, got " + std::to_string(bounds.size()));
  if (bounds.size() == 1)
    bounds.insert(bounds.begin(), Operand::ofInt(0));
  if (bounds.size() == 2)
    bounds.push_back(Operand::ofInt(1));
  TILEWISE_TRY(Sema::LoopRange range, context.sema()->loopRange(bounds[0], bounds[1], bounds[2]));
  return Operand::ofTuple(
      {Operand(range.start), Operand(range.end), Operand(range.step), Operand::ofType(range.variable)});
}

/// The same of an unrolled loop: its numbers.
static Result<Operand> unrolledRange(CallContext &context, Arguments a) {
  return context.sema() && context.sema()->facts.isInterpreted ? rangeOf(context, a) : notHere(context, a);
}

static constexpr unsigned kPure = Builtin::CompileTime;

static constexpr Builtin kRows[] = {
    {"tl.constexpr", "value", kPure, constexprOf},
    {"tl.static_assert", "cond, msg=''", kPure, staticAssert},
    {"tl.static_print", "*values, sep=' ', end='\n', file=None, flush=False", kPure, staticPrint},
    {"tl.range",
     "*bounds, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, "
     "warp_specialize=False, "
     "disable_licm=False",
     Builtin::Marker, loopRange},
    {"tl.static_range", "*bounds", Builtin::Marker, unrolledRange},
    {"tl.tensor", "*anything", Builtin::Marker, notHere},
    {"tl.tensor_descriptor", "*anything", Builtin::Marker, notHere},
    {"tl.tensor_descriptor_type", "*anything", Builtin::Marker, notHere},
    {"tl.const", "*anything", Builtin::Marker, notHere},
    {"tl.tuple", "values=None", kPure, toTuple},
    {"triton.next_power_of_2", "n", kPure, nextPowerOf2},

    {"len", "object", kPure, length},
    {"float", "x=0.0", kPure, toFloat},
    {"int", "x=0", kPure, toInt},
    {"bool", "x=False", kPure, toBool},
    {"str", "object=''", kPure, toString},
    {"abs", "x", kPure, absoluteOf},
    {"min", "*values, key=None", kPure, minMaxOf<true>},
    {"max", "*values, key=None", kPure, minMaxOf<false>},
    {"isinstance", "object, classinfo", kPure, isInstance},
    {"range", "*bounds", kPure, rangeOf},
    {"tuple", "values=None", kPure, toTuple},
    {"list", "values=None", kPure, toList},
    {"tl.constexpr_type", "value", kPure, constexprType},
    {"tl.condition", "cond, disable_licm=False", kPure, conditionOf},
    {"tl.async_task", "*task_ids, num_warps=None, num_regs=None, replicate=None, warp_group_start_id=None", kPure,
     asyncTask},
};

llvm::ArrayRef<Builtin> compileBuiltins() { return kRows; }

} // namespace tilewise::frontend
