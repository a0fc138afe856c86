// Expressions of the kernel language over operands -> their values, at once.
#include "interpreter/Interpreter.h"

#include "frontend/Elaborate.h"
#include "frontend/HostFunctions.h"
#include "frontend/Parser.h"
#include "frontend/Try.h"
#include "interpreter/Eager.h"

namespace tilewise::interpreter {

/// `def expression(): return TEXT`, whose names are all bound by the caller.
struct Interpreter::Expression {
  std::shared_ptr<const frontend::FunctionValue> function;
  const frontend::ast::Expr *value = nullptr;
};

Interpreter::Interpreter() : sink_(std::make_unique<Eager>()) {}
Interpreter::~Interpreter() = default;

Result<const Interpreter::Expression *> Interpreter::parse(llvm::StringRef text) {
  std::unique_ptr<Expression> &known = expressions_[text];
  if (known)
    return known.get();
  auto file = std::make_shared<SourceFile>("<interpreter>", "def expression(): return " + text.str() + "\n");
  TILEWISE_TRY(auto function, frontend::makeFunction(file, "expression", nullptr));
  Diagnostics diagnostics;
  if (!frontend::parseBody(*function->definition, diagnostics))
    return kernelFailure(diagnostics.render());
  known = std::make_unique<Expression>();
  known->value = llvm::cast<frontend::ast::Return>(function->definition->body.front())->value;
  known->function = std::move(function);
  return known.get();
}

Result<Operand> Interpreter::evaluate(llvm::StringRef text, llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> names) {
  TILEWISE_TRY(const Expression *expression, parse(text));
  Eager::Mark mark = sink_->mark();
  frontend::Budget budget;
  frontend::Sema sema(*sink_);
  Diagnostics diagnostics;
  frontend::Elaborator elaborator(budget, sema, diagnostics);
  Result<Operand> result = elaborator.evaluateWith(*expression->function, names, *expression->value);
  if (result)
    retain(*result);
  sink_->release(mark);

  std::optional<Failure> failure = sink_->takeFailure();
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error && !failure)
      failure = kernelFailure(diagnostic.message);
  if (!failure)
    return result;
  if (result)
    drop(*result);
  return std::move(*failure);
}

Operand Interpreter::kept(llvm::function_ref<Value()> make) {
  Eager::Mark mark = sink_->mark();
  Value value = make();
  Eager::retain(value);
  sink_->release(mark);
  return Operand(value);
}

Operand Interpreter::argument(const Type &type, uint64_t bits) {
  return kept([&] { return sink_->make(type, &bits); });
}

Operand Interpreter::pointer(const frontend::Type &type, uint64_t address, std::string name, const ArgumentSpan &span) {
  return kept([&] { return sink_->makePointer(type, address, std::move(name), span); });
}

void Interpreter::setProgram(std::array<uint32_t, 3> program, std::array<uint32_t, 3> grid) {
  sink_->setProgram(program, grid);
}

void Interpreter::retain(const Operand &operand) { frontend::forEachValue(operand, Eager::retain); }
void Interpreter::drop(const Operand &operand) { frontend::forEachValue(operand, Eager::drop); }
llvm::ArrayRef<std::byte> Interpreter::bytesOf(const frontend::Value &value) { return Eager::bytesOf(value); }

} // namespace tilewise::interpreter
