// The ops of the sink that executes: operands become arguments of a kernel of one op, all other
// parameters are part of its name.
#include "interpreter/Eager.h"

#include <tuple>

namespace tilewise::interpreter {

using Values = frontend::OpSink::Values;
using ValueList = frontend::OpSink::ValueList;

namespace {

/// Sorts the arguments of an op: a value, a value that may be missing, and a list of them are
/// operands.
struct Sorted {
  OpKey key;
  llvm::SmallVector<Value, 4> operands;

  void add(const Value &operand) { operands.push_back(operand); }
  void add(const Value *operand) {
    key.add(operand != nullptr);
    if (operand)
      operands.push_back(*operand);
  }
  void add(ValueList list) { operands.append(list.begin(), list.end()); }
  void add(llvm::ArrayRef<Type> types) {
    key.add(types.size());
    for (const Type &type : types)
      key.add(type);
  }
  void add(const frontend::OpSink::LoadOptions &options) {
    key.add(options.cache);
    key.add(options.eviction);
    key.add(options.isVolatile);
  }
  void add(const frontend::OpSink::AtomicOptions &options) {
    key.add(options.order);
    key.add(options.scope);
  }
  void add(frontend::OpSink::Combine) {}
  template <typename T> void add(const T &parameter) { key.add(parameter); }
};

/// The same arguments with other values for their operands, which are taken from `next` on.
struct Replaced {
  const Value *next;

  const Value &operator()(const Value &) { return *next++; }
  const Value *operator()(const Value *operand) { return operand ? next++ : nullptr; }
  ValueList operator()(ValueList list) { return {std::exchange(next, next + list.size()), list.size()}; }
  template <typename T> const T &operator()(const T &parameter) { return parameter; }
};

/// Calls an op of another sink on `values`, one for each operand among the arguments.
template <typename Result, typename... Parameters, typename... Arguments>
Result replay(frontend::OpSink &sink, Result (frontend::OpSink::*op)(Parameters...), ValueList values,
              const Arguments &...arguments) {
  Replaced replaced{values.data()};
  // Braces: from left to right.
  std::tuple<decltype(replaced(arguments))...> all{replaced(arguments)...};
  return std::apply([&](const auto &...one) { return (sink.*op)(one...); }, all);
}

} // namespace

template <typename Result, typename... Parameters>
Result Eager::runOp(llvm::StringRef name, Result (OpSink::*op)(Parameters...),
                    const std::decay_t<Parameters> &...arguments) {
  Sorted sorted{OpKey(name), {}};
  (sorted.add(arguments), ...);
  Values results = run(std::move(sorted.key), sorted.operands, [&](OpSink &sink, ValueList values) -> Values {
    if constexpr (std::is_void_v<Result>) {
      replay(sink, op, values, arguments...);
      return {};
    } else if constexpr (std::is_same_v<Result, Pair>) {
      auto [first, second] = replay(sink, op, values, arguments...);
      return {first, second};
    } else if constexpr (std::is_same_v<Result, Value>) {
      return {replay(sink, op, values, arguments...)};
    } else {
      return replay(sink, op, values, arguments...);
    }
  });
  if constexpr (std::is_same_v<Result, Pair>)
    return {results[0], results[1]};
  else if constexpr (std::is_same_v<Result, Value>)
    return results[0];
  else if constexpr (!std::is_void_v<Result>)
    return results;
}

template <typename... Parameters>
frontend::OpSink::MaybeValues Eager::runRegionOp(MaybeValues (OpSink::*op)(Parameters...),
                                                 const std::decay_t<Parameters> &...arguments) {
  if (emitter_)
    return (emitter_->*op)(arguments...);
  Sorted sorted{OpKey(""), {}};
  (sorted.add(arguments), ...);
  bool emitted = false;
  std::unique_ptr<SmallKernel> kernel = decode(sorted.operands, [&](OpSink &sink, ValueList values) {
    MaybeValues results = replay(sink, op, values, arguments...);
    emitted = results.has_value();
    return emitted ? std::move(*results) : Values();
  });
  if (!emitted)
    return std::nullopt;
  return execute(*kernel, sorted.operands);
}

#define TILEWISE_UNWRAPPED(...) __VA_OPT__(, ) __VA_ARGS__
#define TILEWISE_SINK_OP(RESULT, NAME, PARAMETERS, NAMES)                                                              \
  auto Eager::NAME PARAMETERS->RESULT { return runOp(#NAME, &OpSink::NAME TILEWISE_UNWRAPPED NAMES); }
#define TILEWISE_SINK_REGION_OP(RESULT, NAME, PARAMETERS, NAMES)                                                       \
  auto Eager::NAME PARAMETERS->RESULT { return runRegionOp(&OpSink::NAME TILEWISE_UNWRAPPED NAMES); }
// Every value is known while ops are run, so regions belong to a function that is being emitted.
#define TILEWISE_SINK_CONTROL(RESULT, NAME, PARAMETERS, NAMES)                                                         \
  auto Eager::NAME PARAMETERS->RESULT { return emitter_->NAME NAMES; }
#include "frontend/sema/OpSink.def"

Value Eager::constantInt(const Type &type, const llvm::APInt &bits) {
  return emitter_ ? emitter_->constantInt(type, bits) : filled(type, bits);
}

Value Eager::constantFloat(const Type &type, const llvm::APFloat &value) {
  return emitter_ ? emitter_->constantFloat(type, value) : filled(type, value.bitcastToAPInt());
}

} // namespace tilewise::interpreter
