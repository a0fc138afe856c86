// Operations, told one after the other -> lines of the kernel language.
#include "frontend/record/Recorder.h"

#include "frontend/syntax/AstPrinter.h"
#include "frontend/syntax/Token.h"
#include "support/Diagnostics.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

namespace tilewise::frontend {

// A value in a line, until names are given out.
static std::string markOf(Recorder::Value value) { return "\x01" + std::to_string(value) + "\x02"; }

static bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

bool Recorder::isFree(llvm::StringRef name) {
  return isIdentifier(name) && !isKeyword(name) && name != "tl" && name != "triton" && name != "libdevice" &&
         name != "float";
}

/// "tl.load", "libdevice.tanh", ".load"
static bool isDotted(llvm::StringRef name) {
  name.consume_front(".");
  for (;;) {
    auto [first, rest] = name.split('.');
    if (!isIdentifier(first))
      return false;
    if (rest.empty())
      return !name.ends_with(".");
    name = rest;
  }
}

Failure Recorder::refuse(const Place &place, std::string message) const {
  SourceFile file(place.file, lineAt(place).str(), std::max(1u, place.line));
  Diagnostics diagnostics;
  diagnostics.error({&file, place.line, std::max(1u, place.column)}, std::move(message));
  return kernelFailure(diagnostics.render());
}

Result<std::unique_ptr<Recorder>> Recorder::create(llvm::StringRef kernel, const Place &place) {
  std::unique_ptr<Recorder> made(new Recorder());
  if (!isFree(kernel))
    return made->refuse(place, "a kernel's name is an identifier, got '" + kernel.str() + "'");
  made->functions_.push_back({kernel.str(), place, {}, {}, {}, {Block::Kernel}});
  made->open_.push_back(0);
  return made;
}

Result<Recorder::Value> Recorder::parameter(llvm::StringRef name, llvm::StringRef annotation, const Place &place) {
  Function &kernel = functions_.front();
  if (!kernel.isAtStart || open_.size() != 1)
    return refuse(place, "the parameter '" + name.str() + "' comes after the kernel's first operation");
  if (!isFree(name))
    return refuse(place, isIdentifier(name) ? "a parameter cannot be called '" + name.str() +
                                                  "', which has a meaning in the kernel language"
                                            : "a parameter's name is an identifier, got '" + name.str() + "'");
  for (Value other : kernel.parameters)
    if (variables_[other].name == name)
      return refuse(place, "two parameters have the name '" + name.str() + "'");
  variables_.push_back({0, name.str(), {}, {}, false, /*isConstant=*/annotation == "constexpr"});
  kernel.parameters.push_back(Value(variables_.size() - 1));
  std::string text = annotation.empty() ? "" : annotation == "constexpr" ? "tl.constexpr" : quoted(annotation);
  kernel.annotations.push_back(std::move(text));
  return Value(variables_.size() - 1);
}

static std::string floatText(double number) {
  if (std::isnan(number))
    return "float(\"nan\")";
  if (std::isinf(number))
    return number > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  // The shortest that reads back as the same number.
  std::string text;
  for (int digits : {6, 9, 15, 17}) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, number);
    text = buffer;
    if (std::strtod(buffer, nullptr) == number)
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text.front() == '-' ? "(" + text + ")" : text;
}

Result<std::string> Recorder::textOf(const Item &item, const Place &place) const {
  switch (item.kind) {
  case Item::Kind::None:
    return std::string("None");
  case Item::Kind::Value:
    if (item.value >= variables_.size())
      return refuse(place, "this value does not belong to the kernel '" + functions_.front().name + "'");
    if (!variables_[item.value].isFunction && variables_[item.value].function != open_.back())
      return refuse(place, open_.size() > 1 ? "a function that is given to another can use its parameters only, not "
                                              "values of the kernel around it"
                                            : "a parameter or value of a function is used after its end");
    return markOf(item.value);
  case Item::Kind::Int:
    return item.integer < 0 ? "(" + std::to_string(item.integer) + ")" : std::to_string(item.integer);
  case Item::Kind::UInt:
    return std::to_string(uint64_t(item.integer));
  case Item::Kind::Float:
    return floatText(item.number);
  case Item::Kind::Bool:
    return std::string(item.integer ? "True" : "False");
  case Item::Kind::Text:
    return quoted(item.text);
  case Item::Kind::Name:
    if (!isDotted(item.text))
      return refuse(place, "the language has no name '" + item.text + "'");
    return item.text;
  case Item::Kind::Slice:
    return std::string(":");
  case Item::Kind::Tuple:
    break;
  }
  TILEWISE_TRY(std::string inner, textOf(item.items, place));
  return "(" + inner + (item.items.size() == 1 ? ",)" : ")");
}

Result<std::string> Recorder::textOf(Items items, const Place &place) const {
  std::string text;
  for (const Item &item : items) {
    TILEWISE_TRY(std::string one, textOf(item, place));
    text += (text.empty() ? "" : ", ") + (item.keyword.empty() ? "" : item.keyword + "=") + one;
  }
  return text;
}

Result<std::string> Recorder::callText(llvm::StringRef callee, Items items, const Place &place) const {
  if (!isDotted(callee))
    return refuse(place, "the language has no function '" + callee.str() + "'");
  for (const Item &item : items)
    if (!item.keyword.empty() && !isIdentifier(item.keyword))
      return refuse(place, "'" + item.keyword + "' cannot be the name of a parameter");
  std::string object;
  if (callee.starts_with(".")) {
    if (items.empty())
      return refuse(place, "the method '" + callee.drop_front().str() + "' needs what it is called on");
    TILEWISE_TRY(object, textOf(items.front(), place));
    items = items.drop_front();
  }
  TILEWISE_TRY(std::string arguments, textOf(items, place));
  return object + callee.str() + "(" + arguments + ")";
}

Result<void> Recorder::add(Result<std::string> text, const Place &place, std::optional<Value> defines) {
  if (!text)
    return text.takeFailure();
  if (open_.empty())
    return refuse(place, "the kernel has ended");
  Function &function = current();
  function.lines.push_back({unsigned(function.blocks.size()), std::move(*text), place, defines});
  function.hasElse = function.isAtStart = false;
  return {};
}

bool Recorder::areConstant(Items items) const {
  return llvm::all_of(items, [&](const Item &item) {
    return item.kind != Item::Kind::Value || (variables_[item.value].isConstant && !variables_[item.value].isAssigned);
  });
}

Result<Recorder::Value> Recorder::define(Result<std::string> text, const Place &place, bool isConstant) {
  if (!text)
    return text.takeFailure();
  Value value = newValue(place);
  variables_[value].isConstant = isConstant;
  TILEWISE_CHECK(add(markOf(value) + " = " + *text, place, value));
  return value;
}

Result<Recorder::Value> Recorder::call(llvm::StringRef callee, Items items, const Place &place) {
  Result<std::string> text = callText(callee, items, place);
  return define(std::move(text), place, /*isConstant=*/callee == "tl.cdiv" && text && areConstant(items));
}

Result<void> Recorder::callForEffect(llvm::StringRef callee, Items items, const Place &place) {
  return add(callText(callee, items, place), place);
}

Result<Recorder::Value> Recorder::apply(llvm::StringRef spelling, Items items, const Place &place) {
  static const llvm::StringSet<> binary = {"+",  "-",  "*", "/",  "//", "%",  "**", "&",  "|",   "^",
                                           "<<", ">>", "<", "<=", ">",  ">=", "==", "!=", "and", "or"};
  std::vector<std::string> texts;
  for (const Item &item : items) {
    TILEWISE_TRY(std::string text, textOf(item, place));
    texts.push_back(std::move(text));
  }
  // A type is known when the kernel is compiled, whatever has it.
  const bool isConstant = spelling == "." || areConstant(items);
  if (items.size() == 2 && binary.contains(spelling))
    return define(texts[0] + " " + spelling.str() + " " + texts[1], place, isConstant);
  if (items.size() == 1 && (spelling == "-" || spelling == "+" || spelling == "~"))
    return define(spelling.str() + texts[0], place, isConstant);
  if (items.size() == 1 && spelling == "not")
    return define("not " + texts[0], place, isConstant);
  if (items.size() == 1 && spelling == "=")
    return define(texts[0], place, isConstant);
  if (items.size() >= 2 && spelling == "[]")
    return define(texts[0] + "[" + llvm::join(llvm::ArrayRef(texts).drop_front(), ", ") + "]", place, isConstant);
  if (items.size() == 2 && spelling == "." && items[1].kind == Item::Kind::Name)
    return define(texts[0] + "." + texts[1], place, isConstant);
  if (items.size() == 3 && spelling == "if")
    return define(texts[1] + " if " + texts[0] + " else " + texts[2], place, isConstant);
  return refuse(place, "there is no operator '" + spelling.str() + "' of " + std::to_string(items.size()) +
                           (items.size() == 1 ? " operand" : " operands"));
}

Result<void> Recorder::assign(Value target, const Item &item, bool isTemporary, const Place &place) {
  Item itself;
  itself.kind = Item::Kind::Value;
  itself.value = target;
  TILEWISE_TRY(std::string left, textOf(itself, place));
  TILEWISE_TRY(std::string right, textOf(item, place));
  variables_[target].isAssigned = true;
  std::vector<Line> &lines = current().lines;
  // The line that made a temporary makes the variable instead.
  if (isTemporary && item.kind == Item::Kind::Value && !lines.empty() && lines.back().defines == item.value &&
      lines.back().depth == current().blocks.size() && item.value != target) {
    Line &last = lines.back();
    last.text = left + last.text.substr(right.size());
    last.defines = target;
    return {};
  }
  return add(left + " = " + right, place);
}

Result<void> Recorder::open(Block block, Result<std::string> text, const Place &place, std::optional<Value> defines) {
  TILEWISE_CHECK(add(std::move(text), place, defines));
  current().blocks.push_back(block);
  return {};
}

Result<Recorder::Value> Recorder::beginFor(llvm::StringRef callee, Items items, const Place &place) {
  TILEWISE_TRY(std::string iterated, callText(callee, items, place));
  Value index = newValue(place, /*isIndex=*/true);
  variables_[index].isConstant = callee == "tl.static_range";
  TILEWISE_CHECK(open(Block::For, "for " + markOf(index) + " in " + iterated + ":", place));
  return index;
}

Result<void> Recorder::beginWhile(const Item &condition, const Place &place) {
  TILEWISE_TRY(std::string text, textOf(condition, place));
  return open(Block::While, "while " + text + ":", place);
}

Result<void> Recorder::beginIf(const Item &condition, const Place &place) {
  TILEWISE_TRY(std::string text, textOf(condition, place));
  return open(Block::If, "if " + text + ":", place);
}

Result<void> Recorder::beginElse(const Place &place) {
  if (!current().hasElse)
    return refuse(place, "an else follows the end of an if");
  return open(Block::Else, std::string("else:"), place);
}

Result<Recorder::Value> Recorder::beginFunction(llvm::MutableArrayRef<Value> parameters, const Place &place) {
  const size_t index = functions_.size();
  variables_.push_back({index, "combine_" + std::to_string(index), {}, {}, true, true});
  const auto self = Value(variables_.size() - 1);
  functions_.push_back({variables_.back().name, place, {}, {}, {}, {Block::Function}});
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    variables_.push_back({index, "p" + std::to_string(i), {}, {}, false});
    parameter = Value(variables_.size() - 1);
    functions_.back().parameters.push_back(parameter);
    functions_.back().annotations.emplace_back();
  }
  open_.push_back(index);
  return self;
}

Result<void> Recorder::giveBack(Items items, const Place &place) {
  if (open_.size() < 2)
    return refuse(place, "a kernel gives nothing back: it stores its results");
  TILEWISE_TRY(std::string text, textOf(items, place));
  return add("return " + text, place);
}

Result<void> Recorder::end() {
  Function &function = current();
  const Block block = function.blocks.back();
  if (block == Block::Kernel)
    return launchFailure("tw_recorder_end without a block that was begun");
  // A block needs a line.
  if (function.lines.empty() || function.lines.back().depth < function.blocks.size())
    TILEWISE_CHECK(add(std::string("pass"), function.lines.empty() ? function.place : function.lines.back().place));
  if (block == Block::Function) {
    open_.pop_back();
    return {};
  }
  function.blocks.pop_back();
  function.hasElse = block == Block::If;
  return {};
}

} // namespace tilewise::frontend
