// The ops of the sink that executes: each names itself and its parameters, and says how another sink would emit it.
#include "interpreter/Eager.h"

namespace tilewise::interpreter {

Value Eager::constantInt(const Type &type, const llvm::APInt &bits) {
  return emitter_ ? emitter_->constantInt(type, bits) : filled(type, bits);
}

Value Eager::constantFloat(const Type &type, const llvm::APFloat &value) {
  return emitter_ ? emitter_->constantFloat(type, value) : filled(type, value.bitcastToAPInt());
}

Value Eager::binary(frontend::BinaryOp op, const Value &lhs, const Value &rhs) {
  return runOne(OpKey("binary", op), {lhs, rhs},
                [&](OpSink &sink, auto values) { return sink.binary(op, values[0], values[1]); });
}

Value Eager::unary(frontend::UnaryOp op, const Value &operand) {
  return runOne(OpKey("unary", op), {operand}, [&](OpSink &sink, auto values) { return sink.unary(op, values[0]); });
}

Value Eager::fma(const Value &a, const Value &b, const Value &c) {
  return runOne(OpKey("fma"), {a, b, c},
                [&](OpSink &sink, auto values) { return sink.fma(values[0], values[1], values[2]); });
}

Value Eager::compare(frontend::CompareOp op, const Value &lhs, const Value &rhs) {
  return runOne(OpKey("compare", op), {lhs, rhs},
                [&](OpSink &sink, auto values) { return sink.compare(op, values[0], values[1]); });
}

Value Eager::select(const Value &condition, const Value &yes, const Value &no) {
  return runOne(OpKey("select"), {condition, yes, no},
                [&](OpSink &sink, auto values) { return sink.select(values[0], values[1], values[2]); });
}

Value Eager::convert(frontend::ConvertOp op, const Value &operand, frontend::DType element) {
  return runOne(OpKey("convert", op, element), {operand},
                [&](OpSink &sink, auto values) { return sink.convert(op, values[0], element); });
}

Value Eager::programId(unsigned axis) {
  return runOne(OpKey("program_id", axis), {}, [&](OpSink &sink, auto) { return sink.programId(axis); });
}

Value Eager::numPrograms(unsigned axis) {
  return runOne(OpKey("num_programs", axis), {}, [&](OpSink &sink, auto) { return sink.numPrograms(axis); });
}

Value Eager::range(int32_t start, int32_t end) {
  return runOne(OpKey("range", start, end), {}, [&](OpSink &sink, auto) { return sink.range(start, end); });
}

Value Eager::splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) {
  return runOne(OpKey("splat", shape), {scalar},
                [&](OpSink &sink, auto values) { return sink.splat(values[0], shape); });
}

Value Eager::expandDims(const Value &block, unsigned axis) {
  return runOne(OpKey("expand_dims", axis), {block},
                [&](OpSink &sink, auto values) { return sink.expandDims(values[0], axis); });
}

Value Eager::broadcast(const Value &block, llvm::ArrayRef<int64_t> shape) {
  return runOne(OpKey("broadcast", shape), {block},
                [&](OpSink &sink, auto values) { return sink.broadcast(values[0], shape); });
}

Value Eager::reshape(const Value &block, llvm::ArrayRef<int64_t> shape) {
  return runOne(OpKey("reshape", shape), {block},
                [&](OpSink &sink, auto values) { return sink.reshape(values[0], shape); });
}

Value Eager::permute(const Value &block, llvm::ArrayRef<int64_t> order) {
  return runOne(OpKey("permute", order), {block},
                [&](OpSink &sink, auto values) { return sink.permute(values[0], order); });
}

Value Eager::join(const Value &a, const Value &b) {
  return runOne(OpKey("join"), {a, b}, [&](OpSink &sink, auto values) { return sink.join(values[0], values[1]); });
}

std::pair<Value, Value> Eager::split(const Value &block) {
  auto halves = run(OpKey("split"), {block}, [&](OpSink &sink, auto values) {
    auto [left, right] = sink.split(values[0]);
    return llvm::SmallVector<Value>{left, right};
  });
  return {halves[0], halves[1]};
}

Value Eager::gather(const Value &source, const Value &indices, unsigned axis) {
  return runOne(OpKey("gather", axis), {source, indices},
                [&](OpSink &sink, auto values) { return sink.gather(values[0], values[1], axis); });
}

Value Eager::pointerAdd(const Value &pointer, const Value &offset) {
  return runOne(OpKey("pointer_add"), {pointer, offset},
                [&](OpSink &sink, auto values) { return sink.pointerAdd(values[0], values[1]); });
}

Value Eager::load(const Value &pointer, const Value *mask, const Value *other, const LoadOptions &options) {
  llvm::SmallVector<Value, 3> operands{pointer};
  for (const Value *operand : {mask, other})
    if (operand)
      operands.push_back(*operand);
  OpKey key("load", bool(mask), bool(other), options.cache, options.eviction, options.isVolatile);
  return runOne(std::move(key), operands, [&](OpSink &sink, auto values) {
    return sink.load(values[0], mask ? &values[1] : nullptr, other ? &values.back() : nullptr, options);
  });
}

void Eager::store(const Value &pointer, const Value &value, const Value *mask, const LoadOptions &options) {
  llvm::SmallVector<Value, 3> operands{pointer, value};
  if (mask)
    operands.push_back(*mask);
  run(OpKey("store", bool(mask), options.cache, options.eviction), operands, [&](OpSink &sink, auto values) {
    sink.store(values[0], values[1], mask ? &values[2] : nullptr, options);
    return llvm::SmallVector<Value>();
  });
}

Value Eager::atomic(frontend::AtomicOp op, const Value &pointer, const Value &value, const Value *mask,
                    const AtomicOptions &options) {
  llvm::SmallVector<Value, 3> operands{pointer, value};
  if (mask)
    operands.push_back(*mask);
  return runOne(OpKey("atomic", op, bool(mask), options.order, options.scope), operands,
                [&](OpSink &sink, auto values) {
                  return sink.atomic(op, values[0], values[1], mask ? &values[2] : nullptr, options);
                });
}

Value Eager::compareAndSwap(const Value &pointer, const Value &expected, const Value &value,
                            const AtomicOptions &options) {
  return runOne(OpKey("cas", options.order, options.scope), {pointer, expected, value}, [&](OpSink &sink, auto values) {
    return sink.compareAndSwap(values[0], values[1], values[2], options);
  });
}

void Eager::barrier() {
  run(OpKey("barrier"), {}, [](OpSink &sink, auto) {
    sink.barrier();
    return llvm::SmallVector<Value>();
  });
}

void Eager::print(llvm::StringRef prefix, llvm::ArrayRef<Value> values, bool hex) {
  run(OpKey("print", prefix, hex), values, [&](OpSink &sink, auto operands) {
    sink.print(prefix, operands, hex);
    return llvm::SmallVector<Value>();
  });
}

void Eager::assertion(const Value &condition, llvm::StringRef message, const Value *mask) {
  llvm::SmallVector<Value, 2> operands{condition};
  if (mask)
    operands.push_back(*mask);
  run(OpKey("assert", message, bool(mask)), operands, [&](OpSink &sink, auto values) {
    sink.assertion(values[0], message, mask ? &values[1] : nullptr);
    return llvm::SmallVector<Value>();
  });
}

Value Eager::hint(const Value &value, frontend::Promise promise, llvm::ArrayRef<int64_t> numbers) {
  return runOne(OpKey("hint", promise, numbers), {value},
                [&](OpSink &sink, auto values) { return sink.hint(values[0], promise, numbers); });
}

void Eager::assume(const Value &condition) {
  run(OpKey("assume"), {condition}, [](OpSink &sink, auto values) {
    sink.assume(values[0]);
    return llvm::SmallVector<Value>();
  });
}

Value Eager::externCall(llvm::StringRef symbol, llvm::ArrayRef<Value> operands, frontend::DType result, bool impure) {
  return runOne(OpKey("extern_call", symbol, result, impure), operands,
                [&](OpSink &sink, auto values) { return sink.externCall(symbol, values, result, impure); });
}

llvm::SmallVector<Value> Eager::inlineAsm(llvm::StringRef assembly, llvm::StringRef constraints,
                                          llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results, unsigned pack,
                                          bool impure) {
  OpKey key("inline_asm", assembly, constraints, pack, impure, results.size());
  for (const Type &result : results)
    key.add(result);
  return run(std::move(key), operands, [&](OpSink &sink, auto values) {
    return sink.inlineAsm(assembly, constraints, values, results, pack, impure);
  });
}

Value Eager::dot(const Value &a, const Value &b, const Value &acc, frontend::DotPrecision precision) {
  return runOne(OpKey("dot", precision), {a, b, acc},
                [&](OpSink &sink, auto values) { return sink.dot(values[0], values[1], values[2], precision); });
}

Value Eager::histogram(const Value &source, const Value *mask, int64_t bins) {
  llvm::SmallVector<Value, 2> operands{source};
  if (mask)
    operands.push_back(*mask);
  return runOne(OpKey("histogram", bool(mask), bins), operands, [&](OpSink &sink, auto values) {
    return sink.histogram(values[0], mask ? &values[1] : nullptr, bins);
  });
}

std::optional<llvm::SmallVector<Value>> Eager::runWithRegion(llvm::ArrayRef<Value> operands, EmitOrFail emit) {
  if (emitter_)
    return emit(*emitter_, operands);
  bool emitted = false;
  // Nothing names the function of the region, so this kernel serves once.
  std::unique_ptr<SmallKernel> op = decode(operands, [&](OpSink &sink, llvm::ArrayRef<Value> values) {
    auto results = emit(sink, values);
    emitted = results.has_value();
    return emitted ? std::move(*results) : llvm::SmallVector<Value>();
  });
  if (!emitted)
    return std::nullopt;
  return execute(*op, operands);
}

std::optional<llvm::SmallVector<Value>> Eager::reduce(llvm::ArrayRef<Value> sources, unsigned axis, Combine combine) {
  return runWithRegion(sources,
                       [&](OpSink &sink, llvm::ArrayRef<Value> values) { return sink.reduce(values, axis, combine); });
}

std::optional<llvm::SmallVector<Value>> Eager::scan(llvm::ArrayRef<Value> sources, unsigned axis, bool reverse,
                                                    Combine combine) {
  return runWithRegion(
      sources, [&](OpSink &sink, llvm::ArrayRef<Value> values) { return sink.scan(values, axis, reverse, combine); });
}

std::optional<llvm::SmallVector<Value>> Eager::map(llvm::ArrayRef<Value> sources, unsigned pack, Combine body) {
  return runWithRegion(sources,
                       [&](OpSink &sink, llvm::ArrayRef<Value> values) { return sink.map(values, pack, body); });
}

// Every value is known while ops are run, so regions belong to a function that is being emitted.

llvm::SmallVector<Value> Eager::openRegion(llvm::ArrayRef<Type> arguments) { return emitter_->openRegion(arguments); }
frontend::OpSink::Region *Eager::closeRegion() { return emitter_->closeRegion(); }
void Eager::dropRegion(Region *region) { emitter_->dropRegion(region); }

llvm::SmallVector<Value> Eager::ifElse(const Value &condition, Region *yes, llvm::ArrayRef<Value> yesYields, Region *no,
                                       llvm::ArrayRef<Value> noYields) {
  return emitter_->ifElse(condition, yes, yesYields, no, noYields);
}

llvm::SmallVector<Value> Eager::forLoop(const Value &lower, const Value &upper, const Value &step,
                                        llvm::ArrayRef<Value> initial, Region *body, llvm::ArrayRef<Value> yields,
                                        const LoopOptions &options) {
  return emitter_->forLoop(lower, upper, step, initial, body, yields, options);
}

llvm::SmallVector<Value> Eager::whileLoop(llvm::ArrayRef<Value> initial, Region *test, const Value &condition,
                                          Region *body, llvm::ArrayRef<Value> yields) {
  return emitter_->whileLoop(initial, test, condition, body, yields);
}

} // namespace tilewise::interpreter
