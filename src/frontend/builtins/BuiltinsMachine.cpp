// Builtins that reach outside the language: functions on single elements, inline assembly, promises
// to the compiler, questions about the target, and the machine's own registers.
#include "frontend/builtins/BuiltinArguments.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

/// The arguments as values of one shape.
static Result<llvm::SmallVector<Value>> broadcastValues(Sema &sema, llvm::ArrayRef<Operand> operands) {
  llvm::SmallVector<Value> values;
  for (const Operand &operand : operands) {
    TILEWISE_TRY(Value value, sema.toValue(operand));
    values.push_back(std::move(value));
  }
  llvm::SmallVector<Value *> together;
  for (Value &value : values)
    together.push_back(&value);
  TILEWISE_CHECK(sema.broadcastAll(together));
  return values;
}

static Result<Operand> mapElementwise(CallContext &context, Arguments a) {
  if (!a[0].isFunction())
    return kernelFailure("tl.map_elementwise's scalar_fn must be a jit function, got " + a[0].kindText());
  TILEWISE_TRY(int64_t pack, intArgument(a[2], "tl.map_elementwise's pack"));
  if (pack < 1)
    return kernelFailure("tl.map_elementwise: pack must be >= 1, got " + std::to_string(pack));
  if (a[1].elements().empty())
    return kernelFailure("map_elementwise must have at least 1 input tensor");
  TILEWISE_TRY(llvm::SmallVector<Value> sources, broadcastValues(*context.sema(), a[1].elements()));
  const Type &type = sources.front().type;
  if (type.isBlock() && type.numElements() % pack != 0)
    return kernelFailure("tl.map_elementwise cannot cut " + type.str() + " into packs of " + std::to_string(pack));

  bool isSingle = false;
  std::optional<Failure> failure;
  auto stop = [&](Failure why) {
    failure = std::move(why);
    return std::nullopt;
  };
  auto body = [&](llvm::ArrayRef<Value> scalars) -> std::optional<llvm::SmallVector<Value>> {
    llvm::SmallVector<Operand> operands(scalars.begin(), scalars.end());
    Result<Operand> result = context.call(a[0], operands);
    if (!result)
      return stop(result.takeFailure());
    isSingle = !result->isSequence();
    llvm::SmallVector<Value> values;
    for (const Operand &item :
         isSingle ? llvm::ArrayRef<Operand>(*result) : llvm::ArrayRef<Operand>(result->elements())) {
      if (!item.isRuntime() && !item.isNumber())
        return stop(kernelFailure("the function of tl.map_elementwise must return scalars, got " + item.kindText()));
      Result<Value> value = context.sema()->toValue(item);
      if (!value)
        return stop(value.takeFailure());
      if (value->type.isBlock())
        return stop(kernelFailure("the function of tl.map_elementwise must return scalars, got " + value->type.str()));
      values.push_back(std::move(*value));
    }
    if (values.empty() || values.size() % size_t(pack) != 0)
      return stop(kernelFailure("the function of tl.map_elementwise must return " + std::to_string(pack) +
                                " values of each result, got " + std::to_string(values.size())));
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i].type != values[i / size_t(pack) * size_t(pack)].type)
        return stop(kernelFailure("tl.map_elementwise: type mismatch in unpacked results"));
    return values;
  };

  std::optional<llvm::SmallVector<Value>> results;
  if (type.isBlock())
    results = context.sema()->sink().map(sources, unsigned(pack), body);
  else if (pack == 1)
    results = body(sources); // Scalars are mapped by one call.
  else
    return kernelFailure("tl.map_elementwise cannot cut scalars into packs");
  if (failure)
    return std::move(*failure);
  if (!results)
    return kernelFailure("");
  if (isSingle)
    return Operand(results->front());
  return Operand::ofTuple(Elements(results->begin(), results->end()));
}

/// How many of the constraints are results, operands, or neither (clobbers).
struct Constraints {
  size_t results = 0, operands = 0;
};

static Constraints countConstraints(llvm::StringRef text) {
  Constraints count;
  llvm::SmallVector<llvm::StringRef> pieces;
  text.split(pieces, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef piece : pieces) {
    piece = piece.trim();
    if (piece.starts_with("="))
      ++count.results;
    else if (!piece.starts_with("~"))
      ++count.operands;
  }
  return count;
}

/// Registers that `pack` elements of these types take: elements below 32 bits share one.
static size_t registersOf(llvm::ArrayRef<DType> types, int64_t pack) {
  size_t count = 0;
  for (DType type : types) {
    size_t perRegister = type.bits() < 32 ? 32 / std::max(8u, type.bits()) : 1;
    count += (size_t(pack) + perRegister - 1) / perRegister;
  }
  return count;
}

static Result<Operand> inlineAsm(CallContext &context, Arguments a) {
  std::string name = "tl.inline_asm_elementwise";
  TILEWISE_TRY(std::string assembly, stringArgument(a[0], name + "'s asm"));
  TILEWISE_TRY(std::string constraints, stringArgument(a[1], name + "'s constraints"));
  TILEWISE_TRY(bool isPure, boolArgument(a[4], name + "'s is_pure"));
  TILEWISE_TRY(int64_t pack, intArgument(a[5], name + "'s pack"));
  if (pack < 1)
    return kernelFailure(name + ": pack must be >= 1, got " + std::to_string(pack));
  if (!a[2].isSequence())
    return kernelFailure(name + "'s args must be a list, got " + a[2].kindText());
  TILEWISE_TRY(llvm::SmallVector<Value> operands, broadcastValues(*context.sema(), a[2].elements()));
  llvm::SmallVector<DType> types, operandTypes;
  for (const Operand &type :
       a[3].isSequence() ? llvm::ArrayRef<Operand>(a[3].elements()) : llvm::ArrayRef<Operand>(a[3])) {
    TILEWISE_TRY(DType element, dtypeArgument(type, name + "'s dtype"));
    types.push_back(element);
  }
  if (types.empty())
    return kernelFailure(name + " needs at least one result type");
  llvm::ArrayRef<int64_t> shape = operands.empty() ? llvm::ArrayRef<int64_t>() : operands.front().type.shape;
  llvm::SmallVector<Type> results;
  for (DType type : types)
    results.push_back(Type(type, shape));
  for (const Value &operand : operands)
    operandTypes.push_back(operand.type.element);
  if (results.front().numElements() % pack != 0)
    return kernelFailure(name + " cannot cut " + std::to_string(results.front().numElements()) +
                         " elements into packs of " + std::to_string(pack));
  Constraints count = countConstraints(constraints);
  if (size_t wanted = registersOf(types, pack); count.results != wanted)
    return kernelFailure(name + ": the results take " + std::to_string(wanted) + " registers, the constraints name " +
                         std::to_string(count.results) + "; elements below 32 bits share a register");
  if (size_t wanted = registersOf(operandTypes, pack); count.operands != wanted)
    return kernelFailure(name + ": the args take " + std::to_string(wanted) + " registers, the constraints name " +
                         std::to_string(count.operands) + "; elements below 32 bits share a register");
  llvm::SmallVector<Value> values =
      context.sema()->sink().inlineAsm(assembly, constraints, operands, results, unsigned(pack), !isPure);
  if (!a[3].isSequence())
    return Operand(values.front());
  return Operand::ofTuple(Elements(values.begin(), values.end()));
}

/// Promises about a value that engines may use; they do not change it.
template <Promise promise> static Result<Operand> hint(CallContext &context, Arguments a) {
  static constexpr llvm::StringLiteral names[] = {"multiple_of", "max_contiguous", "max_constancy"};
  std::string name = names[size_t(promise)].str();
  TILEWISE_TRY(Value value, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto values, intsArgument(a[1], "tl." + name + "'s values"));
  if (values.size() != std::max<size_t>(1, value.type.rank()))
    return kernelFailure("Shape of input to " + name + " does not match the length of values: " +
                         std::to_string(values.size()) + " for " + value.type.str());
  for (int64_t number : values)
    if (number < 1)
      return kernelFailure("tl." + name + " takes positive numbers, got " + std::to_string(number));
  if (!value.type.element.isInt() && !value.type.element.isPointer())
    return a[0];
  return Operand(context.sema()->sink().hint(value, promise, values));
}

static Result<Operand> assume(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value condition, context.sema()->toValue(a[0]));
  if (condition.type.isBlock() || !condition.type.element.isInt())
    return kernelFailure("tl.assume takes a scalar bool, got " + a[0].kindText());
  TILEWISE_TRY(condition, context.sema()->cast(condition, Scalar::Int1));
  if (context.sema()->facts.isInterpreted)
    TILEWISE_CHECK(context.sema()->deviceAssert(Operand(condition), Operand::ofString("what tl.assume promises"),
                                                Operand::none()));
  context.sema()->sink().assume(condition);
  return Operand::none();
}

static Result<Operand> deviceAssert(CallContext &context, Arguments a) {
  TILEWISE_CHECK(context.sema()->deviceAssert(a[0], a[1], a[2]));
  return Operand::none();
}

static Result<Operand> expectZero(CallContext &context, Arguments a) {
  Sema &sema = *context.sema();
  if (!sema.facts.options.debug && !sema.facts.isInterpreted)
    return a[0];
  TILEWISE_TRY(Operand isZero, sema.compare(CompareOperator::Eq, a[0], Operand::ofInt(0)));
  TILEWISE_CHECK(sema.deviceAssert(isZero, Operand::ofString("expect_zero expected x == 0 where mask is true"), a[1]));
  return a[0];
}

static Result<Operand> currentTarget(CallContext &context, Arguments) {
  const CompileFacts &facts = context.sema()->facts;
  if (!facts.isCuda())
    return Operand::none();
  static const auto kind =
      std::make_shared<const RecordClass>(RecordClass{"GPUTarget", {"backend", "arch", "warp_size"}, {}});
  return Operand::ofRecord(kind,
                           {Operand::ofString("cuda"), Operand::ofInt(facts.target.capability), Operand::ofInt(32)});
}
static Result<Operand> isCuda(CallContext &context, Arguments) {
  return Operand::ofBool(context.sema()->facts.isCuda());
}
static Result<Operand> isFalse(CallContext &, Arguments) { return Operand::ofBool(false); }
static Result<Operand> capabilityAtLeast(CallContext &context, Arguments a) {
  TILEWISE_TRY(int64_t major, intArgument(a[0], "cuda_capability_geq's major"));
  TILEWISE_TRY(int64_t minor, intArgument(a[1], "cuda_capability_geq's minor"));
  const CompileFacts &facts = context.sema()->facts;
  return Operand::ofBool(facts.isCuda() && facts.target.capability >= major * 10 + minor);
}

static Result<Operand> globalTimer(CallContext &context, Arguments) {
  return Operand(context.sema()->sink().externCall("globaltimer", {}, Scalar::Int64, /*impure=*/true));
}
static Result<Operand> smid(CallContext &context, Arguments) {
  return Operand(context.sema()->sink().externCall("smid", {}, Scalar::Int32, /*impure=*/true));
}
static Result<Operand> numThreads(CallContext &context, Arguments) {
  return Operand::ofInt(int64_t(context.sema()->facts.options.numWarps) * 32);
}
static Result<Operand> numWarps(CallContext &context, Arguments) {
  return Operand::ofInt(int64_t(context.sema()->facts.options.numWarps));
}
/// Launches never overlap their predecessors, so there is nothing to wait for and nothing to let
/// go.
static Result<Operand> nothing(CallContext &, Arguments) { return Operand::none(); }

static constexpr Builtin kRows[] = {
    {"tl.map_elementwise", "scalar_fn, *args, pack=1", Builtin::None, mapElementwise},
    {"tl.inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", Builtin::None, inlineAsm},
    {"tl.multiple_of", "input, values", Builtin::None, hint<Promise::Divisibility>},
    {"tl.max_contiguous", "input, values", Builtin::None, hint<Promise::Contiguity>},
    {"tl.max_constancy", "input, values", Builtin::None, hint<Promise::Constancy>},
    {"tl.assume", "cond", Builtin::None, assume},
    {"tl.device_assert", "cond, msg='', mask=None", Builtin::None, deviceAssert},
    {"tl.expect_zero", "x, mask", Builtin::None, expectZero},

    {"target_info.current_target", "", Builtin::None, currentTarget},
    {"target_info.is_cuda", "", Builtin::None, isCuda},
    {"target_info.cuda_capability_geq", "major, minor=0", Builtin::None, capabilityAtLeast},
    {"target_info.is_hip", "", Builtin::None, isFalse},
    {"target_info.is_hip_cdna3", "", Builtin::None, isFalse},
    {"target_info.is_hip_cdna4", "", Builtin::None, isFalse},
    {"target_info.is_hip_gfx1250", "", Builtin::None, isFalse},

    {"cuda.globaltimer", "", Builtin::None, globalTimer},
    {"cuda.smid", "", Builtin::None, smid},
    {"cuda.num_threads", "", Builtin::None, numThreads},
    {"cuda.num_warps", "", Builtin::None, numWarps},
    {"cuda.gdc_wait", "", Builtin::None, nothing},
    {"cuda.gdc_launch_dependents", "", Builtin::None, nothing},
};

llvm::ArrayRef<Builtin> machineBuiltins() { return kRows; }

} // namespace tilewise::frontend
