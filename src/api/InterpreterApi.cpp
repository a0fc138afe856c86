// tw_interpreter_*: expressions over the host's values, evaluated at once.
#include "api/HostValue.h"
#include "api/Status.h"
#include "interpreter/Interpreter.h"
#include "runtime/DataType.h"
#include "runtime/Log.h"
#include "tilewise/interpreter.h"

using namespace tilewise;
using frontend::Operand;

namespace {
struct Machine {
  interpreter::Interpreter interpreter;
  std::shared_ptr<HostEnvironment> environment;
};
} // namespace

struct tw_interpreter {
  std::shared_ptr<Machine> machine;
};
struct tw_operand {
  std::shared_ptr<Machine> machine;
  Operand operand;
  ~tw_operand() { interpreter::Interpreter::drop(operand); }
};

tw_status tw_interpreter_create(const tw_host *host, tw_interpreter **result) {
  return guarded([&]() -> Result<void> {
    auto environment = HostEnvironment::create(host);
    if (!environment)
      return environment.takeFailure();
    auto machine = std::make_shared<Machine>();
    machine->environment = std::move(*environment);
    machine->interpreter.setPrint([](llvm::StringRef text) { print(text.str()); });
    *result = new tw_interpreter{std::move(machine)};
    return {};
  });
}

void tw_interpreter_destroy(tw_interpreter *interpreter) { delete interpreter; }

void tw_interpreter_reset(tw_interpreter *interpreter) { interpreter->machine->interpreter.reset(); }

void tw_interpreter_set_program(tw_interpreter *interpreter, const uint32_t program[3], const uint32_t grid[3]) {
  interpreter->machine->interpreter.setProgram({program[0], program[1], program[2]}, {grid[0], grid[1], grid[2]});
}

tw_status tw_interpreter_argument(tw_interpreter *interpreter, const char *type, uint64_t bits, tw_operand **operand) {
  return guarded([&]() -> Result<void> {
    std::optional<frontend::DType> element = frontend::parseDType(type);
    if (!element)
      return launchFailure(std::string("'") + type + "' is no type of an argument");
    *operand = new tw_operand{interpreter->machine,
                              interpreter->machine->interpreter.argument(frontend::Type(*element), bits)};
    return {};
  });
}

tw_status tw_interpreter_pointer(tw_interpreter *interpreter, const char *type, const char *name, uint64_t address,
                                 uint64_t bytes, uint64_t bytes_before, tw_operand **operand) {
  return guarded([&]() -> Result<void> {
    std::optional<frontend::DType> element = frontend::parseDType(type);
    if (!element || !element->isPointer())
      return launchFailure(std::string("'") + type + "' is no type of a pointer");
    ArgumentSpan span;
    if (bytes != TW_BYTES_UNKNOWN)
      span = {address - bytes_before, address + bytes, address};
    *operand = new tw_operand{interpreter->machine,
                              interpreter->machine->interpreter.pointer(frontend::Type(*element), address, name, span)};
    return {};
  });
}

tw_status tw_interpreter_check_outer(tw_interpreter *handle, const char *name,
                                     void (*give)(void *user, size_t index, tw_value *value), void *user) {
  return guarded([&]() -> Result<void> {
    tw_value value;
    value.environment = handle->machine->environment.get();
    give(user, 0, &value);
    Result<Operand> operand = HostEnvironment::takeOuter(name, value);
    return operand ? Result<void>() : Result<void>(operand.takeFailure());
  });
}

tw_status tw_interpreter_parse(tw_interpreter *handle, const char *text, const char *const *names, size_t count,
                               tw_expression **expression) {
  return guarded([&]() -> Result<void> {
    llvm::SmallVector<llvm::StringRef, 8> all(names, names + count);
    auto parsed = handle->machine->interpreter.parse(text, all);
    if (!parsed)
      return parsed.takeFailure();
    *expression = reinterpret_cast<tw_expression *>(*parsed);
    return {};
  });
}

tw_status tw_interpreter_evaluate(tw_interpreter *handle, tw_expression *expression,
                                  void (*give)(void *user, size_t index, tw_value *value),
                                  void (*take)(void *user, const tw_value *result), void *user) {
  return guarded([&]() -> Result<void> {
    // The callbacks may drop the last handle.
    std::shared_ptr<Machine> machine = handle->machine;
    auto &parsed = *reinterpret_cast<interpreter::Interpreter::Expression *>(expression);
    llvm::SmallVector<Operand, 8> operands;
    for (size_t i = 0; i < interpreter::Interpreter::nameCount(parsed); ++i) {
      tw_value value;
      value.environment = machine->environment.get();
      give(user, i, &value);
      Result<Operand> operand = value.take();
      if (!operand)
        return operand.takeFailure();
      operands.push_back(std::move(*operand));
    }
    Result<Operand> result = machine->interpreter.evaluate(parsed, operands);
    if (!result)
      return result.takeFailure();
    for (const std::string &warning : machine->interpreter.warnings()) {
      if (warnings().areErrors()) {
        interpreter::Interpreter::drop(*result);
        return kernelFailure(warning);
      }
      log(TW_LOG_WARNING, warning);
    }
    tw_value value = tw_value::reading(*result);
    take(user, &value);
    interpreter::Interpreter::drop(*result);
    return {};
  });
}

void tw_value_operand(tw_value *value, const tw_operand *operand) { value->set(operand->operand); }

tw_operand *tw_value_hold(const tw_value *value, tw_interpreter *handle) {
  if (value->state != tw_value::State::Single)
    return nullptr;
  interpreter::Interpreter::retain(value->operand);
  return new tw_operand{handle->machine, value->operand};
}

void tw_operand_release(tw_operand *operand) { delete operand; }

const void *tw_operand_data(const tw_operand *operand, size_t *bytes) {
  if (!operand->operand.isRuntime())
    return nullptr;
  llvm::ArrayRef<std::byte> data = interpreter::Interpreter::bytesOf(operand->operand.value());
  *bytes = data.size();
  return data.data();
}

tw_dtype tw_operand_dtype(const tw_operand *operand) {
  if (!operand->operand.isRuntime())
    return TW_DTYPE_NONE;
  frontend::DType element = operand->operand.value().type.element;
  return element.isBool() ? TW_BOOL : element.isPointer() ? TW_DTYPE_NONE : parseDataType(element.signatureName());
}

const int64_t *tw_operand_shape(const tw_operand *operand, size_t *rank) {
  *rank = operand->operand.isRuntime() ? operand->operand.value().type.rank() : 0;
  return *rank ? operand->operand.value().type.shape.data() : nullptr;
}
