// `x.name` of tensors, compile-time values, types, modules and objects of the host; of records see
// EvaluateObjects.cpp.
#include "frontend/python/Evaluate.h"

#include "frontend/builtins/Stdlib.h"
#include "support/DidYouMean.h"
#include "support/Try.h"

#include "llvm/ADT/Twine.h"

namespace tilewise::frontend {

/// What a tensor tells of itself; nothing when there is no such attribute.
static std::optional<Operand> tensorAttribute(const Operand &tensor, llvm::StringRef name) {
  const Type &type = tensor.value().type;
  if (name == "dtype")
    return Operand::ofType(type.element);
  if (name == "type")
    return Operand::ofType(type);
  if (name == "shape" || name == "numel") {
    Elements extents;
    for (int64_t extent : type.shape)
      extents.push_back(Operand::ofInt(extent));
    return name == "shape" ? Operand::ofTuple(std::move(extents)) : Operand::ofInt(type.numElements());
  }
  if (std::optional<Operand> method = tensorMethod(name))
    return Operand::ofMethod(tensor, std::move(*method));
  return std::nullopt;
}

/// What numpy and torch call otherwise, or nothing.
static std::string spelledOtherwise(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kSpellings[] = {
      {"astype", ".to(dtype)"},    {"float", ".to(tl.float32)"},     {"double", ".to(tl.float64)"},
      {"half", ".to(tl.float16)"}, {"bfloat16", ".to(tl.bfloat16)"}, {"int", ".to(tl.int32)"},
      {"long", ".to(tl.int64)"},   {"bool", ".to(tl.int1)"},         {"size", ".shape"},
      {"ndim", "len(x.shape)"},    {"mean", "tl.sum(x) / x.numel"},  {"transpose", ".trans()"},
      {"t", ".trans()"},           {"matmul", "tl.dot(a, b)"}};
  for (const auto &[other, ours] : kSpellings)
    if (name == other)
      return ("; write " + ours).str();
  return "";
}

static std::vector<std::string> tensorAttributeNames() {
  std::vector<std::string> names{"dtype", "type", "shape", "numel", "to", "T"};
  for (llvm::ArrayRef<Builtin> family : builtinFamilies())
    for (const Builtin &row : family)
      if (row.flags & Builtin::Method)
        names.push_back(row.lastName().str());
  for (const std::string &name : stdlib::names())
    if (stdlib::isMethod(name))
      names.push_back(name);
  return names;
}

Result<Operand> Evaluator::evaluateAttribute(const ast::Attribute &expr) {
  TILEWISE_TRY(Operand object, evaluate(*expr.value));
  return attributeOf(object, expr.attr, expr.loc, expr.attrLoc);
}

/// What a compile-time value that is no object tells of itself.
static Result<Operand> constantAttribute(const Operand &object, llvm::StringRef name) {
  if (name == "value") // constexpr.value
    return object;
  if (name == "type")
    return constexprTypeOf(object);
  llvm::StringRef family = object.isString()                   ? "str"
                           : object.isList()                   ? "list"
                           : object.isTuple()                  ? "tuple"
                           : object.isDict()                   ? "dict"
                           : object.isInt() || object.isBool() ? "int"
                           : object.isFloat()                  ? "float"
                                                               : "";
  if (!family.empty())
    if (const Builtin *method = findBuiltin((family + "." + name).str()))
      return Operand::ofMethod(object, Operand::ofBuiltin(method));
  if (object.isFunction() && name == "__name__")
    return Operand::ofString(object.function()->name);
  return kernelFailure(object.kindText() + " has no attribute '" + name.str() + "'");
}

Result<Operand> Evaluator::attributeOf(const Operand &object, llvm::StringRef name, SourceLoc loc, SourceLoc nameLoc) {
  if (object.isRuntime()) {
    if (auto found = tensorAttribute(object, name))
      return *found;
    if (name == "T" && sema_) {
      if (object.value().type.rank() != 2)
        return report(nameLoc, ".T is of a block of rank 2, got " + object.kindText() +
                                   "; tl.permute moves any dimensions, and v[:, None] makes a column of a vector");
      setPlace(loc);
      auto transposed = sema_->permute(object.value(), {1, 0});
      return transposed ? Result<Operand>(Operand(*transposed))
                        : Result<Operand>(reportFailure(nameLoc, transposed.takeFailure()));
    }
    auto inLanguage = moduleAttribute("triton.language", name);
    if (!inLanguage && inLanguage.failure().code == MessageCode::NotYet)
      return report(nameLoc, "the method ." + name.str() + " is not supported yet");
    const std::string other = spelledOtherwise(name);
    return report(nameLoc, "a tensor has no attribute '" + name.str() + "'" +
                               (other.empty() ? didYouMean(name, tensorAttributeNames()) : other));
  }
  if (object.isRecord() || object.isNamedTuple() || object.isClass())
    return recordAttribute(object, name, nameLoc);
  Result<Operand> result = [&]() -> Result<Operand> {
    if (object.isModule() && object.moduleName() == "torch.version" && name == "cuda")
      return facts().isCuda() ? Operand::ofString("12.8") : Operand::none();
    if (object.isModule())
      return moduleAttribute(object.moduleName(), name);
    if (object.isType() && name != "value") // constexpr.value
      return typeAttribute(object.type(), name);
    if (object.isHostObject())
      return object.hostObject()->environment->getAttribute(*object.hostObject(), name);
    return constantAttribute(object, name);
  }();
  return result ? std::move(result) : Result<Operand>(reportFailure(nameLoc, result.takeFailure()));
}

} // namespace tilewise::frontend
