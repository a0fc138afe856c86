// Builtins over tensors: programs, creation, memory, dot, reduce, scan.
#include "frontend/builtins/BlockAccess.h"
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/sema/NumberTypes.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Operand> programId(CallContext &context, Arguments a) {
  return asOperand(context.sema()->programId(a[0]));
}
static Result<Operand> numPrograms(CallContext &context, Arguments a) {
  return asOperand(context.sema()->numPrograms(a[0]));
}
static Result<Operand> arange(CallContext &context, Arguments a) {
  return asOperand(context.sema()->arange(a[0], a[1]));
}

static Result<Operand> full(CallContext &context, Arguments a) {
  TILEWISE_TRY(auto shape, shapeArgument(a[0], "tl.full's shape"));
  TILEWISE_TRY(DType type, dtypeArgument(a[2], "tl.full's dtype"));
  return asOperand(context.sema()->full(shape, a[1], type));
}

static Result<Operand> zeros(CallContext &context, Arguments a) {
  TILEWISE_TRY(auto shape, shapeArgument(a[0], "tl.zeros' shape"));
  TILEWISE_TRY(DType type, dtypeArgument(a[1], "tl.zeros' dtype"));
  return asOperand(context.sema()->full(shape, Operand::ofInt(0), type));
}

static Result<Operand> zerosLike(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value like, context.sema()->toValue(a[0]));
  return asOperand(context.sema()->full(like.type.shape, Operand::ofInt(0), like.type.element));
}

static Result<Operand> toTensor(CallContext &context, Arguments a) { return asOperand(context.sema()->toValue(a[0])); }

static Result<OpSink::LoadOptions> memoryOptions(llvm::StringRef function, const Operand &cache,
                                                 const Operand &eviction, bool isLoad) {
  OpSink::LoadOptions options;
  std::string cacheText, evictionText;
  if (!cache.isNone()) {
    TILEWISE_TRY(cacheText, stringArgument(cache, (function + "'s cache_modifier").str()));
  }
  if (!eviction.isNone()) {
    TILEWISE_TRY(evictionText, stringArgument(eviction, (function + "'s eviction_policy").str()));
  }
  using Modifier = std::optional<CacheModifier>;
  Modifier modifier = isLoad ? llvm::StringSwitch<Modifier>(cacheText)
                                   .Case("", CacheModifier::None)
                                   .Case(".ca", CacheModifier::CA)
                                   .Case(".cg", CacheModifier::CG)
                                   .Case(".cs", CacheModifier::CS)
                                   .Case(".cv", CacheModifier::CV)
                                   .Default(std::nullopt)
                             : llvm::StringSwitch<Modifier>(cacheText)
                                   .Case("", CacheModifier::None)
                                   .Case(".wb", CacheModifier::WB)
                                   .Case(".cg", CacheModifier::CG)
                                   .Case(".cs", CacheModifier::CS)
                                   .Case(".wt", CacheModifier::WT)
                                   .Default(std::nullopt);
  if (!modifier)
    return kernelFailure(function.str() + " has no cache_modifier '" + cacheText + "', expected one of " +
                         (isLoad ? "'.ca', '.cg', '.cs', '.cv'" : "'.wb', '.cg', '.cs', '.wt'"));
  options.cache = *modifier;
  auto policy = llvm::StringSwitch<std::optional<EvictionPolicy>>(evictionText)
                    .Cases("", "evict_normal", EvictionPolicy::Normal)
                    .Case("evict_first", EvictionPolicy::First)
                    .Case("evict_last", EvictionPolicy::Last)
                    .Default(std::nullopt);
  if (!policy)
    return kernelFailure(function.str() + " has no eviction_policy '" + evictionText +
                         "', expected 'evict_first' or 'evict_last'");
  options.eviction = *policy;
  return options;
}

/// What is told to those who use arguments of block pointers with other pointers, or a descriptor
/// as a pointer.
static Result<void> checkNoBlockPointer(llvm::StringRef function, const Operand &pointer, const Operand &check,
                                        const Operand &padding) {
  if (pointer.isRecord(*tensorDescriptorClass()))
    return kernelFailure(function.str() + " needs a pointer, got a tensor_descriptor; write d" +
                         function.drop_front(2).str() + "([...])");
  bool hasCheck = !check.isNone() && !(check.isSequence() && check.elements().empty());
  bool hasPadding = padding.isString() && !padding.string().empty();
  if (hasCheck || hasPadding)
    return kernelFailure("`padding_option` or `boundary_check` argument is not supported for " + function.str() +
                         " of a tensor of pointers or of a scalar: the compiler does not know the boundary; use a "
                         "block pointer (tl.make_block_ptr), or give a mask");
  return {};
}

static Result<Operand> load(CallContext &context, Arguments a) {
  TILEWISE_TRY(OpSink::LoadOptions options, memoryOptions("tl.load", a[5], a[6], /*isLoad=*/true));
  TILEWISE_TRY(options.isVolatile, boolArgument(a[7], "tl.load's volatile"));
  if (a[0].isRecord(*blockPointerClass())) {
    if (!a[1].isNone() || !a[2].isNone())
      return kernelFailure("`mask` and `other` arguments cannot be specified for loading block pointers; name the "
                           "dimensions to check in boundary_check");
    TILEWISE_TRY(BlockLanes lanes, blockPointerLanes(*context.sema(), a[0].record(), a[3]));
    TILEWISE_TRY(Padding padding, paddingOf(a[4], lanes.element, "tl.load's padding_option"));
    return asOperand(context.sema()->load(lanes.pointers, lanes.mask,
                                          lanes.mask.isNone() ? Operand::none() : paddingValue(padding), options));
  }
  TILEWISE_CHECK(checkNoBlockPointer("tl.load", a[0], a[3], a[4]));
  return asOperand(context.sema()->load(a[0], a[1], a[2], options));
}

static Result<Operand> store(CallContext &context, Arguments a) {
  TILEWISE_TRY(OpSink::LoadOptions options, memoryOptions("tl.store", a[4], a[5], /*isLoad=*/false));
  if (a[0].isRecord(*blockPointerClass())) {
    if (!a[2].isNone())
      return kernelFailure("`mask` and `other` arguments cannot be specified for storing block pointers; name the "
                           "dimensions to check in boundary_check");
    TILEWISE_TRY(BlockLanes lanes, blockPointerLanes(*context.sema(), a[0].record(), a[3]));
    TILEWISE_TRY(Value value, context.sema()->toValue(a[1]));
    if (value.type.isBlock() && llvm::ArrayRef<int64_t>(value.type.shape) != llvm::ArrayRef<int64_t>(lanes.shape))
      return kernelFailure("Block shape(" + shapeText(lanes.shape) + ") and value shape(" +
                           shapeText(value.type.shape) + ") mismatch");
    TILEWISE_CHECK(context.sema()->store(lanes.pointers, a[1], lanes.mask, options));
    return Operand::none();
  }
  TILEWISE_CHECK(checkNoBlockPointer("tl.store", a[0], a[3], Operand::none()));
  TILEWISE_CHECK(context.sema()->store(a[0], a[1], a[2], options));
  return Operand::none();
}

static Result<Operand> cast(CallContext &context, Arguments a) {
  // The type of a block, as p.dtype.element_ty of a block pointer, names its elements'.
  TILEWISE_TRY(DType type,
               dtypeArgument(a[1].isType() ? Operand::ofType(a[1].type().element) : a[1], "the dtype of a cast"));
  TILEWISE_TRY(bool bitcast, boolArgument(a[3], "bitcast"));
  Sema &sema = *context.sema();
  FloatRounding rounding = FloatRounding::Nearest;
  if (!a[2].isNone()) {
    TILEWISE_TRY(std::string name, stringArgument(a[2], "fp_downcast_rounding"));
    if (name != "rtne" && name != "rtz")
      return kernelFailure("Invalid rounding mode: " + name + ". Supported rounding modes are 'rtne' and 'rtz'.");
    rounding = name == "rtz" ? FloatRounding::TowardZero : FloatRounding::Nearest;
  }
  if (a[0].isNumber() && !bitcast && a[2].isNone()) {
    // The number is a tensor first: 0.1 is an fp32 before it becomes an fp64.
    std::optional<DType> first = literalType(a[0]);
    bool isFp32 = a[0].isFloat() && first && first->is(Scalar::Fp32);
    return asOperand(sema.numberAs(isFp32 ? Operand::ofFloat(float(a[0].floating())) : a[0], type));
  }
  TILEWISE_TRY(Value value, sema.toValue(a[0]));
  if (bitcast)
    return asOperand(sema.bitcast(value, type));
  DType from = value.type.element;
  if (!a[2].isNone() && from != type && !(from.isFloat() && type.isFloat() && from.bits() > type.bits()))
    return kernelFailure(
        "fp_downcast_rounding should be set only for truncating fp conversions. Source scalar type is " + from.str() +
        " and destination type is " + type.str());
  return asOperand(sema.cast(value, type, rounding));
}

static Result<Operand> where(CallContext &context, Arguments a) {
  return asOperand(context.sema()->where(a[0], a[1], a[2]));
}

static Result<Operand> dot(CallContext &context, Arguments a) {
  for (int i : {0, 1})
    if (!a[i].isRuntime())
      return kernelFailure("tl.dot needs blocks, got " + a[i].kindText());
  Sema::DotOptions options;
  if (!a[3].isNone()) {
    TILEWISE_TRY(std::string name, stringArgument(a[3], "tl.dot's input_precision"));
    auto known = llvm::StringSwitch<std::optional<DotPrecision>>(llvm::StringRef(name).lower())
                     .Case("ieee", DotPrecision::IEEE)
                     .Case("tf32", DotPrecision::TF32)
                     .Case("tf32x3", DotPrecision::TF32x3)
                     .Case("bf16x3", DotPrecision::BF16x3)
                     .Case("bf16x6", DotPrecision::BF16x6)
                     .Default(std::nullopt);
    if (!known)
      return kernelFailure("tl.dot has no input_precision '" + name +
                           "', expected 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6'");
    options.precision = *known;
  }
  if (!a[4].isNone()) {
    if (!a[3].isNone())
      return kernelFailure("tl.dot takes input_precision or allow_tf32, not both");
    TILEWISE_TRY(bool allow, boolArgument(a[4], "tl.dot's allow_tf32"));
    options.precision = allow ? DotPrecision::TF32 : DotPrecision::IEEE;
  }
  if (!a[5].isNone()) {
    TILEWISE_TRY(options.maxImprecise, intArgument(a[5], "tl.dot's max_num_imprecise_acc"));
  }
  if (!a[6].isNone()) {
    TILEWISE_TRY(options.outType, dtypeArgument(a[6], "tl.dot's out_dtype"));
  }
  // The first releases could turn an operand by the way.
  Value operands[] = {a[0].value(), a[1].value()};
  for (int i : {0, 1}) {
    TILEWISE_TRY(bool isTurned, boolArgument(a[7 + i], i == 0 ? "tl.dot's trans_a" : "tl.dot's trans_b"));
    if (isTurned) {
      TILEWISE_TRY(operands[i], context.sema()->permute(operands[i], {1, 0}));
    }
  }
  return asOperand(context.sema()->dot(operands[0], operands[1], a[2], options));
}

/// The blocks of a reduction or scan: one, or a tuple of them.
static Result<llvm::SmallVector<Value>> sourcesOf(CallContext &context, const Operand &input) {
  llvm::SmallVector<Value> sources;
  for (const Operand &source :
       input.isSequence() ? llvm::ArrayRef<Operand>(input.elements()) : llvm::ArrayRef<Operand>(input)) {
    TILEWISE_TRY(Value value, context.sema()->toValue(source));
    sources.push_back(value);
  }
  return sources;
}

/// Calls a combine function on scalars and checks what it gives back; the first failure is kept.
class Combiner {
public:
  Combiner(CallContext &context, const Operand &function, llvm::ArrayRef<Value> sources)
      : context_(context), function_(function), sources_(sources) {}

  std::optional<llvm::SmallVector<Value>> operator()(llvm::ArrayRef<Value> scalars) {
    llvm::SmallVector<Operand> operands(scalars.begin(), scalars.end());
    Result<Operand> combined = context_.call(function_, operands);
    if (!combined)
      return stop(combined.takeFailure());
    llvm::ArrayRef<Operand> results =
        combined->isSequence() ? llvm::ArrayRef<Operand>(combined->elements()) : llvm::ArrayRef<Operand>(*combined);
    if (results.size() != sources_.size())
      return stop(kernelFailure("the combine function must give " + std::to_string(sources_.size()) + " results, got " +
                                std::to_string(results.size())));
    llvm::SmallVector<Value> values;
    for (auto [result, source] : llvm::zip(results, sources_)) {
      Result<Value> value = context_.sema()->toValue(result);
      if (!value)
        return stop(value.takeFailure());
      if (value->type != Type(source.type.element))
        return stop(kernelFailure("the combine function must give back " + source.type.element.str() + ", got " +
                                  value->type.str() + "; cast inside it with .to(...)"));
      values.push_back(std::move(*value));
    }
    return values;
  }

  /// The results as the caller sees them: one value, or a tuple when a tuple went in.
  Result<Operand> finish(Result<llvm::SmallVector<Value>> results, bool isTuple) {
    if (failure_)
      return std::move(*failure_);
    if (!results)
      return results.takeFailure();
    if (!isTuple)
      return Operand(results->front());
    return Operand::ofTuple(Elements(results->begin(), results->end()));
  }

private:
  std::nullopt_t stop(Failure failure) {
    failure_ = std::move(failure);
    return std::nullopt;
  }

  CallContext &context_;
  const Operand &function_;
  llvm::ArrayRef<Value> sources_;
  std::optional<Failure> failure_;
};

static Result<Operand> reduce(CallContext &context, Arguments a) {
  TILEWISE_TRY(llvm::SmallVector<Value> sources, sourcesOf(context, a[0]));
  std::optional<int64_t> axis;
  if (!a[1].isNone()) {
    TILEWISE_TRY(axis, intArgument(a[1], "the axis of a reduction"));
  }
  if (!a[2].isFunction())
    return kernelFailure("tl.reduce's combine_fn must be a jit function, got " + a[2].kindText());
  TILEWISE_TRY(bool keepDims, boolArgument(a[3], "keep_dims"));
  Combiner combiner(context, a[2], sources);
  return combiner.finish(context.sema()->reduce(sources, axis, keepDims, combiner), a[0].isSequence());
}

static Result<Operand> associativeScan(CallContext &context, Arguments a) {
  TILEWISE_TRY(llvm::SmallVector<Value> sources, sourcesOf(context, a[0]));
  TILEWISE_TRY(int64_t axis, intArgument(a[1], "the axis of a scan"));
  if (!a[2].isFunction())
    return kernelFailure("tl.associative_scan's combine_fn must be a jit function, got " + a[2].kindText());
  TILEWISE_TRY(bool reverse, boolArgument(a[3], "reverse"));
  Combiner combiner(context, a[2], sources);
  return combiner.finish(context.sema()->scan(sources, axis, reverse, combiner), a[0].isSequence());
}

static constexpr Builtin kRows[] = {
    {"tl.program_id", "axis", Builtin::None, programId},
    {"tl.num_programs", "axis", Builtin::None, numPrograms},
    {"tl.arange", "start, end", Builtin::None, arange},
    {"tl.full", "shape, value, dtype", Builtin::None, full},
    {"tl.zeros", "shape, dtype", Builtin::None, zeros},
    {"tl.zeros_like", "input", Builtin::None, zerosLike},
    {"tl.to_tensor", "x", Builtin::None, toTensor},
    {"tl.load",
     "pointer, mask=None, other=None, boundary_check=None, padding_option='', cache_modifier='', eviction_policy='', "
     "volatile=False",
     Builtin::None, load},
    {"tl.store", "pointer, value, mask=None, boundary_check=None, cache_modifier='', eviction_policy=''",
     Builtin::Method, store},
    {"tl.cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", Builtin::Method, cast},
    {"tl.tensor.to", "self, dtype, fp_downcast_rounding=None, bitcast=False", Builtin::None, cast},
    {"tl.where", "condition, x, y", Builtin::None, where},
    {"tl.dot",
     "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None, "
     "trans_a=False, trans_b=False",
     Builtin::None, dot},
    {"tl.reduce", "input, axis, combine_fn, keep_dims=False", Builtin::Method, reduce},
    {"tl.associative_scan", "input, axis, combine_fn, reverse=False", Builtin::Method, associativeScan},
};

llvm::ArrayRef<Builtin> tensorBuiltins() { return kRows; }

} // namespace tilewise::frontend
