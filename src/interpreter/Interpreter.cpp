// Expressions of the kernel language over operands -> their values, at once.
#include "interpreter/Interpreter.h"

#include "frontend/builtins/Stdlib.h"
#include "frontend/elaborate/Elaborate.h"
#include "frontend/python/LiveHost.h"
#include "frontend/syntax/Parser.h"
#include "interpreter/Eager.h"
#include "interpreter/OperandKey.h"
#include "support/Try.h"

namespace tilewise::interpreter {

/// An expression over operands of certain kinds.
struct Interpreter::Variant {
  enum class State {
    New,       ///< Not yet evaluated.
    Seen,      ///< Once, and nothing but the kinds mattered.
    Compiled,  ///< `code` gives the values of `result`.
    Elaborated ///< To be elaborated each time.
  };
  State state = State::New;
  bool usesHost = false;
  std::unique_ptr<Eager::SmallKernel> code;
  Operand result; ///< Its runtime values stand for those that `code` gives.
  std::vector<std::string> warnings;
  std::vector<Operand> kept;
};

/// `def expression(): return TEXT`, whose names are all bound by the caller.
struct Interpreter::Expression {
  std::shared_ptr<const frontend::FunctionValue> function;
  const frontend::ast::Expr *value = nullptr;
  std::vector<std::string> names;
  llvm::StringMap<Variant> variants;
};

namespace {
// Numbers are part of the key: a loop that counts to a million must not keep a million of them.
constexpr size_t kMostVariants = 4096;

const frontend::CompileFacts &interpretedFacts() {
  static const frontend::CompileFacts facts{.target = {}, .options = {}, .isInterpreted = true};
  return facts;
}

const frontend::Environment *libraryEnvironment() {
  static thread_local const frontend::Environment *environment = [] {
    std::optional<Operand> sum = frontend::stdlib::function("sum");
    return sum && sum->isFunction() ? sum->function()->environment : nullptr;
  }();
  return environment;
}
} // namespace

Interpreter::Interpreter() : sink_(std::make_unique<Eager>()) {}
Interpreter::~Interpreter() = default;

void Interpreter::reset() {
  sink_->forgetPointers();
  for (auto &entry : expressions_) {
    auto &variants = entry.second->variants;
    for (auto at = variants.begin(); at != variants.end();) {
      auto current = at++;
      if (current->second.usesHost) {
        variants.erase(current);
        --variantCount_;
      }
    }
  }
}

Result<Interpreter::Expression *> Interpreter::parse(llvm::StringRef text, llvm::ArrayRef<llvm::StringRef> names) {
  std::string key = text.str();
  for (llvm::StringRef name : names)
    (key += '\n') += name;
  std::unique_ptr<Expression> &known = expressions_[key];
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
  known->names.assign(names.begin(), names.end());
  return known.get();
}

size_t Interpreter::nameCount(const Expression &expression) { return expression.names.size(); }
void Interpreter::setPrint(std::function<void(llvm::StringRef)> print) { sink_->setPrint(std::move(print)); }

namespace {
using Bound = llvm::SmallVector<std::pair<llvm::StringRef, Operand>, 8>;

Bound bound(llvm::ArrayRef<std::string> names, llvm::ArrayRef<Operand> operands) {
  Bound result;
  for (auto [name, operand] : llvm::zip_equal(names, operands))
    result.emplace_back(name, operand);
  return result;
}
} // namespace

Result<Operand> Interpreter::elaborate(Expression &expression, llvm::ArrayRef<Operand> operands, Variant *variant) {
  Eager::Mark mark = sink_->mark();
  sink_->activity = {};
  frontend::Budget budget;
  frontend::Sema sema(*sink_, interpretedFacts());
  Diagnostics diagnostics;
  frontend::Elaborator elaborator(budget, sema, diagnostics);
  Result<Operand> result =
      elaborator.evaluateWith(*expression.function, bound(expression.names, operands), *expression.value);
  if (result)
    retain(*result);
  sink_->release(mark);

  std::optional<Failure> failure = sink_->takeFailure();
  bool saysMore = false;
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity == Severity::Error && !failure)
      failure = kernelFailure(diagnostic.message);
    else if (diagnostic.severity == Severity::Warning)
      warnings_.push_back(diagnostic.message);
    else
      saysMore = true;
  }
  if (!failure) {
    if (variant) {
      // What needs no op, as a number that becomes a scalar, is not worth a kernel.
      bool isFixed = !sink_->activity.askedForValue && !saysMore && sink_->activity.ops != 0;
      variant->state = isFixed ? Variant::State::Seen : Variant::State::Elaborated;
    }
    return result;
  }
  if (result)
    drop(*result);
  return std::move(*failure);
}

void Interpreter::emit(Expression &expression, llvm::ArrayRef<Operand> operands, llvm::ArrayRef<Value> values,
                       Variant &variant) {
  variant.state = Variant::State::Elaborated;
  bool good = false;
  auto code = sink_->decode(values, [&](frontend::OpSink &sink, llvm::ArrayRef<Value> arguments) {
    size_t next = 0;
    llvm::SmallVector<Operand, 8> inside;
    for (const Operand &operand : operands)
      inside.push_back(withValues(operand, [&](const Value &) { return arguments[next++]; }));
    frontend::Budget budget;
    frontend::Sema sema(sink, interpretedFacts());
    Diagnostics diagnostics;
    frontend::Elaborator elaborator(budget, sema, diagnostics);
    Result<Operand> result =
        elaborator.evaluateWith(*expression.function, bound(expression.names, inside), *expression.value);
    llvm::SmallVector<Value> results;
    if (!result || diagnostics.hasErrors())
      return results;
    good = true;
    variant.result = *result;
    forEachValue(*result, [&](const Value &value) { results.push_back(value); });
    for (const Diagnostic &diagnostic : diagnostics.all())
      variant.warnings.push_back(diagnostic.message);
    return results;
  });
  if (!good || code->failure)
    return;
  variant.code = std::move(code);
  variant.state = Variant::State::Compiled;
}

Result<Operand> Interpreter::run(const Variant &variant, llvm::ArrayRef<Value> values) {
  Eager::Mark mark = sink_->mark();
  llvm::SmallVector<Value> results = sink_->execute(*variant.code, values);
  std::optional<Failure> failure = sink_->takeFailure();
  size_t next = 0;
  Operand result = withValues(variant.result, [&](const Value &) { return results[next++]; });
  if (!failure)
    retain(result);
  sink_->release(mark);
  warnings_ = variant.warnings;
  if (failure)
    return std::move(*failure);
  return result;
}

Result<Operand> Interpreter::evaluate(Expression &expression, llvm::ArrayRef<Operand> operands) {
  warnings_.clear();
  OperandKey scan{libraryEnvironment()};
  if (!llvm::all_of(operands, [&](const Operand &operand) { return scan.add(operand); }))
    return elaborate(expression, operands, nullptr);
  if (variantCount_ > kMostVariants) {
    for (auto &entry : expressions_)
      entry.second->variants.clear();
    variantCount_ = 0;
  }
  auto [entry, isNew] = expression.variants.try_emplace(scan.key.bytes());
  Variant &variant = entry->second;
  if (isNew) {
    ++variantCount_;
    variant.usesHost = scan.usesHost;
    variant.kept = std::move(scan.kept);
  }
  if (variant.state == Variant::State::Seen)
    emit(expression, operands, scan.values, variant);
  // Pointers of two arguments in one kernel: whose a pointer is would be lost.
  if (variant.state == Variant::State::Compiled && Eager::haveOneOrigin(scan.values))
    return run(variant, scan.values);
  return elaborate(expression, operands, variant.state == Variant::State::New ? &variant : nullptr);
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
