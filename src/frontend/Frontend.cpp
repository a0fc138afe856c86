// Kernel text and the types of its arguments -> tile IR: parse, bind the signature, elaborate,
// verify.
#include "frontend/Frontend.h"

#include "frontend/EmitTile.h"
#include "frontend/KernelNames.h"
#include "frontend/builtins/BlockAccess.h"
#include "frontend/builtins/Stdlib.h"
#include "frontend/elaborate/Elaborate.h"
#include "frontend/python/FileEnvironment.h"
#include "frontend/python/ModuleLoader.h"
#include "frontend/syntax/Parser.h"
#include "ir/Tile.h"
#include "support/Try.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

#include <set>

namespace tilewise::frontend {

namespace {

/// One kernel on its way to tile IR.
class KernelElaboration {
public:
  KernelElaboration(const EmitRequest &request, mlir::MLIRContext &context, Diagnostics &diagnostics)
      : request_(request), context_(context), diagnostics_(diagnostics) {
    budget_.steps = request.maxSteps.value_or(budget_.steps);
    budget_.visits = request.visits;
  }
  ~KernelElaboration() {
    if (loader_)
      loader_->onAssumption = nullptr;
  }

  mlir::OwningOpRef<mlir::ModuleOp> emit();

private:
  /// A parameter: a compile-time value, or the type of an argument of the function.
  struct Bound {
    std::string name;
    SourceLoc loc;
    std::optional<Operand> constant;
    std::vector<ArgumentPart> parts = {};
    std::optional<DescriptorSpec> descriptor = {};
    bool isText = false;  ///< `constant` is the text of the value.
    bool isExtra = false; ///< One of the positional arguments that `*args` takes.
  };

  bool findKernel();
  bool openFile(const ast::FunctionDef &definition);
  bool bindSignature();
  bool bindOne(std::string name, SourceLoc loc, bool isConstexpr, const ArgumentSpec &spec);
  size_t extrasIn(size_t given) const;
  llvm::SmallVector<std::pair<llvm::StringRef, Operand>>
  gatherExtras(llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters) const;
  bool resolveConstants(llvm::MutableArrayRef<std::pair<llvm::StringRef, Operand>> parameters);
  mlir::func::FuncOp createFunction(mlir::ModuleOp module);
  bool error(SourceLoc loc, std::string message) {
    diagnostics_.error(loc, std::move(message));
    return false;
  }
  /// For what is wrong with an argument before the kernel sees it.
  bool refuse(size_t argument, SourceLoc loc, std::string message) {
    if (request_.visits && argument < request_.arguments.size())
      request_.visits->refused = argument;
    return error(loc, std::move(message));
  }

  const EmitRequest &request_;
  mlir::MLIRContext &context_;
  Diagnostics &diagnostics_;
  std::unique_ptr<ast::Module> tree_;
  std::shared_ptr<ModuleLoader> loader_;
  std::unique_ptr<FileEnvironment> fileEnvironment_;
  FunctionValue kernel_;
  std::vector<Bound> bound_;
  Budget budget_;
};

} // namespace

bool KernelElaboration::findKernel() {
  tree_ = parseModule(*request_.file, diagnostics_);
  if (diagnostics_.hasErrors())
    return false;
  ast::FunctionDef *definition = tree_->findFunction(request_.kernel);
  SourceLoc top{request_.file, request_.file->firstLine(), 1};
  if (!definition) {
    Diagnostics ignored;
    return error(top, "the file has no kernel '" + request_.kernel + "'" +
                          otherKernels(request_.kernel, listKernels(*request_.file, ignored)));
  }
  if (!request_.environment && !openFile(*definition))
    return false;
  kernel_.name = request_.kernel;
  kernel_.definition = definition;
  kernel_.environment = request_.environment ? request_.environment : fileEnvironment_.get();
  return parseBody(*definition, diagnostics_);
}

/// The file as the kernel's environment, and what its decorators say.
bool KernelElaboration::openFile(const ast::FunctionDef &definition) {
  loader_ =
      request_.readImport ? std::make_shared<ModuleLoader>(request_.readImport) : std::make_shared<ModuleLoader>();
  request_.imports = loader_;
  loader_->onAssumption = [this, told = std::set<std::string>()](SourceLoc loc, std::string message) mutable {
    if (told.insert(message).second)
      diagnostics_.note(loc, std::move(message));
  };
  loader_->facts = request_.facts;
  fileEnvironment_ = std::make_unique<FileEnvironment>(*tree_, request_.defines, loader_.get());
  fileEnvironment_->facts = request_.facts;
  fileEnvironment_->limitSteps(budget_.steps);
  Decoration decoration = fileEnvironment_->decorationOf(definition.decorators);
  if (decoration.kind != FunctionValue::Kind::Jit)
    return error(definition.nameLoc, "'" + request_.kernel + "' is not a kernel; decorate it with @triton.jit");
  for (const Operand &listed : llvm::concat<const Operand>(decoration.notSpecialized, decoration.notOnAlignment))
    for (auto [i, parameter] : llvm::enumerate(definition.parameters))
      if (ast::isConstexprAnnotation(parameter.annotation) &&
          (listed.isString() ? parameter.name == listed.string() : listed.asInt64() == int64_t(i)))
        return error(parameter.loc, parameter.name.str() + " marked as constexpr and listed in do_not_specialize/"
                                                           "do_not_specialize_on_alignment; remove one of the two");
  for (const ast::Expr *other : decoration.others)
    if (llvm::StringRef name = ast::lastName(other); name != "staticmethod" && name != "classmethod")
      diagnostics_.note(other->loc, "the decorator '" + tree_->text(*other).split('(').first.str() +
                                        "' is not known; the kernel is compiled as if it were not there");
  return true;
}

bool KernelElaboration::bindOne(std::string name, SourceLoc loc, bool isConstexpr, const ArgumentSpec &spec) {
  std::string quoted = "'" + name + "'";
  if (spec.isConstant) {
    // A value that holds parts can be had when the function has its arguments.
    bound_.push_back({std::move(name), loc, Operand::ofString(spec.text)});
    bound_.back().isText = true;
    return true;
  }
  auto descriptor = parseDescriptor(spec.text);
  if (descriptor && *descriptor) {
    bound_.push_back({std::move(name), loc, std::nullopt, partsOf(spec), std::move(*descriptor)});
    return true;
  }
  std::optional<DType> type = parseDType(spec.text);
  if (!type)
    return refuse(bound_.size(), loc, "the parameter " + quoted + " is given the unknown type '" + spec.text + "'");
  if (isConstexpr)
    return refuse(bound_.size(), loc,
                  "the parameter " + quoted + " is tl.constexpr: give its value, as 1024, not the type '" + spec.text +
                      "'");
  if (!convertType(*type, &context_))
    return refuse(bound_.size(), loc,
                  "the parameter " + quoted + " has type " + type->str() + ", which is not supported yet");
  bound_.push_back({std::move(name), loc, std::nullopt, partsOf(spec)});
  return true;
}

/// The texts of constants -> their values; names of parts mean what was bound after the parameters.
bool KernelElaboration::resolveConstants(llvm::MutableArrayRef<std::pair<llvm::StringRef, Operand>> parameters) {
  llvm::StringMap<Operand> parts;
  // From the back: parts come last, and may be constants themselves.
  for (auto [bound, parameter] : llvm::reverse(llvm::zip(bound_, parameters))) {
    if (bound.isText) {
      std::string text = parameter.second.string();
      auto value = evaluateLiteral(text, kernel_.environment, &parts);
      if (!value)
        return refuse(size_t(&bound - bound_.data()), bound.loc,
                      "the parameter '" + bound.name + "' is given '" + text +
                          "', which is neither a type nor a literal: " + value.failure().message);
      parameter.second = std::move(*value);
    }
    if (isPartName(bound.name))
      parts[bound.name] = parameter.second;
  }
  return true;
}

/// How many arguments `*args` takes, each an entry of its own in the signature; 0 without such a
/// parameter, and where its one entry is the whole tuple, as in "(__part0, __part1)".
size_t KernelElaboration::extrasIn(size_t given) const {
  llvm::ArrayRef<ast::Parameter> parameters = kernel_.definition->parameters;
  auto *rest = llvm::find_if(
      parameters, [](const ast::Parameter &parameter) { return parameter.kind == ast::ParameterKind::VarArgs; });
  size_t at = size_t(rest - parameters.begin());
  if (rest == parameters.end() || given < parameters.size())
    return 0;
  const ArgumentSpec &first = request_.arguments[at];
  bool isTuple = first.isConstant && llvm::StringRef(first.text).trim().starts_with("(");
  return given == parameters.size() && isTuple ? 0 : given - parameters.size() + 1;
}

bool KernelElaboration::bindSignature() {
  llvm::ArrayRef<ast::Parameter> parameters = kernel_.definition->parameters;
  size_t given = request_.arguments.size() - std::min(request_.partCount, request_.arguments.size());
  size_t extras = extrasIn(given), next = 0;
  if (given > parameters.size() && extras == 0)
    return error(kernel_.definition->nameLoc, "the kernel '" + kernel_.name + "' has " +
                                                  std::to_string(parameters.size()) +
                                                  " parameters, the signature gives " + std::to_string(given));
  for (const ast::Parameter &parameter : parameters) {
    if (parameter.kind == ast::ParameterKind::KwArgs)
      return error(parameter.loc,
                   "a kernel cannot have a parameter '**" + parameter.name.str() + "'; name each parameter");
    if (parameter.kind == ast::ParameterKind::VarArgs && extras != 0) {
      for (size_t i = 0; i < extras; ++i) {
        if (!bindOne(parameter.name.str() + "[" + std::to_string(i) + "]", parameter.loc, false,
                     request_.arguments[next++]))
          return false;
        bound_.back().isExtra = true;
      }
      continue;
    }
    if (next < given) {
      if (!bindOne(parameter.name.str(), parameter.loc, ast::isConstexprAnnotation(parameter.annotation),
                   request_.arguments[next++]))
        return false;
      continue;
    }
    if (parameter.kind == ast::ParameterKind::VarArgs) {
      bound_.push_back({parameter.name.str(), parameter.loc, Operand::ofTuple({})});
      continue;
    }
    if (!parameter.defaultValue)
      return error(parameter.loc, "the signature gives no argument for the parameter '" + parameter.name.str() +
                                      "' of the kernel '" + kernel_.name + "', which has " +
                                      std::to_string(parameters.size()) + " parameters");
    EnvironmentEvaluator evaluator(
        budget_, [&](llvm::StringRef name) { return kernel_.environment->lookup(name, LookupUse::Default); },
        kernel_.environment);
    auto value = evaluator.evaluate(*parameter.defaultValue);
    if (!value)
      return error(parameter.defaultValue->loc,
                   "the default of '" + parameter.name.str() + "' cannot be evaluated: " + value.failure().message);
    bound_.push_back({parameter.name.str(), parameter.loc, std::move(*value)});
  }
  for (size_t i = 0; given + i < request_.arguments.size(); ++i)
    if (!bindOne(partNameOf(i), kernel_.definition->nameLoc, false, request_.arguments[given + i]))
      return false;
  return true;
}

/// One value per parameter: what `*args` takes becomes its tuple.
llvm::SmallVector<std::pair<llvm::StringRef, Operand>>
KernelElaboration::gatherExtras(llvm::ArrayRef<std::pair<llvm::StringRef, Operand>> parameters) const {
  llvm::SmallVector<std::pair<llvm::StringRef, Operand>> gathered;
  Elements extras;
  for (auto [bound, parameter] : llvm::zip(bound_, parameters)) {
    if (!bound.isExtra) {
      gathered.push_back(parameter);
      continue;
    }
    extras.push_back(parameter.second);
    if (extras.size() == 1)
      gathered.emplace_back(llvm::StringRef(bound.name).split('[').first, Operand());
    gathered.back().second = Operand::ofTuple(extras);
  }
  return gathered;
}

/// "d", "d.shape[0]", "d.strides[1]"
static std::string partName(llvm::StringRef parameter, const ArgumentPart &part) {
  std::string dimension = "[" + std::to_string(part.dimension) + "]";
  switch (part.kind) {
  case ArgumentPart::Kind::Extent:
    return parameter.str() + ".shape" + dimension;
  case ArgumentPart::Kind::Stride:
    return parameter.str() + ".strides" + dimension;
  default:
    return parameter.str();
  }
}

mlir::func::FuncOp KernelElaboration::createFunction(mlir::ModuleOp module) {
  mlir::OpBuilder builder(&context_);
  auto placeOf = [&](SourceLoc loc) {
    return mlir::FileLineColLoc::get(&context_, (loc.file ? loc.file : request_.file)->path(), loc.line, loc.column);
  };
  llvm::SmallVector<mlir::Type> types;
  for (const Bound &bound : bound_)
    for (const ArgumentPart &part : bound.parts)
      types.push_back(convertType(*parseDType(part.type), &context_));
  builder.setInsertionPointToEnd(module.getBody());
  auto function = builder.create<mlir::func::FuncOp>(placeOf(kernel_.definition->nameLoc), kernel_.name,
                                                     builder.getFunctionType(types, {}));
  function->setAttr(tile::TileDialect::kKernelAttr, builder.getUnitAttr());
  mlir::Block *body = function.addEntryBlock();
  unsigned index = 0;
  for (const Bound &bound : bound_)
    for (const ArgumentPart &part : bound.parts) {
      function.setArgAttr(index, tile::TileDialect::kNameAttr, builder.getStringAttr(partName(bound.name, part)));
      if (part.divisibility > 1)
        function.setArgAttr(index, tile::TileDialect::kDivisibilityAttr,
                            builder.getI32IntegerAttr(int32_t(part.divisibility)));
      body->getArgument(index).setLoc(placeOf(bound.loc));
      ++index;
    }
  return function;
}

/// A descriptor of the host from the values that the code takes for it.
static Result<Operand> hostDescriptor(Sema &sema, const DescriptorSpec &spec, const Elements &parts) {
  size_t rank = spec.blockShape.size();
  Elements shape(parts.begin() + 1, parts.begin() + 1 + rank), strides(parts.begin() + 1 + rank, parts.end()), block;
  strides.push_back(Operand::ofInt(1));
  for (int64_t extent : spec.blockShape)
    block.push_back(Operand::ofInt(extent));
  return makeDescriptor(sema, parts.front(), Operand::ofTuple(std::move(shape)), Operand::ofTuple(std::move(strides)),
                        Operand::ofTuple(std::move(block)), Operand::ofString(spec.padWithNan ? "nan" : "zero"));
}

/// Constants that a splat or a promotion left unused.
static void eraseDeadConstants(mlir::func::FuncOp function) {
  llvm::SmallVector<mlir::Operation *> dead;
  function.walk([&](mlir::arith::ConstantOp constant) {
    if (constant->use_empty())
      dead.push_back(constant);
  });
  for (mlir::Operation *op : dead)
    op->erase();
}

mlir::OwningOpRef<mlir::ModuleOp> KernelElaboration::emit() {
  context_.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                       mlir::scf::SCFDialect>();
  if (!findKernel() || !bindSignature())
    return {};
  for (const Bound &bound : llvm::ArrayRef(bound_).take_front(request_.arguments.size()))
    request_.argumentNames.push_back(bound.name);
  mlir::OwningOpRef<mlir::ModuleOp> module(
      mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context_, request_.file->path(), 1, 1)));
  mlir::func::FuncOp function = createFunction(*module);

  {
    EmitTile sink(&function.getBody().front());
    Sema sema(sink, request_.facts);
    llvm::SmallVector<std::pair<llvm::StringRef, Operand>> parameters;
    unsigned index = 0;
    for (auto [at, bound] : llvm::enumerate(bound_)) {
      if (bound.constant) {
        parameters.emplace_back(bound.name, *bound.constant);
        continue;
      }
      Elements parts;
      for (const ArgumentPart &part : bound.parts)
        parts.push_back(Operand(EmitTile::wrap(*parseDType(part.type), function.getArgument(index++))));
      if (!bound.descriptor) {
        parameters.emplace_back(bound.name, parts.front());
        continue;
      }
      auto descriptor = hostDescriptor(sema, *bound.descriptor, parts);
      if (!descriptor) {
        refuse(at, bound.loc,
               "the parameter '" + bound.name + "' is given '" + bound.descriptor->str() +
                   "': " + descriptor.failure().message);
        return {};
      }
      parameters.emplace_back(bound.name, std::move(*descriptor));
    }
    if (!resolveConstants(parameters))
      return {};
    Elaborator elaborator(budget_, sema, diagnostics_);
    auto perParameter = gatherExtras(parameters);
    Result<void> done = elaborator.elaborateKernel(
        kernel_, llvm::ArrayRef(perParameter).take_front(kernel_.definition->parameters.size()));
    for (const SourceFile *file : sink.files())
      if (file != request_.file && file != &stdlib::source())
        request_.otherFiles.push_back(
            std::make_shared<const SourceFile>(file->path().str(), file->text().str(), file->firstLine()));
    if (!done) {
      request_.isFault = done.failure().kind == ErrorKind::Internal;
      if (!done.failure().message.empty())
        error(kernel_.definition->nameLoc, done.failure().message);
      return {};
    }
  }
  mlir::OpBuilder::atBlockEnd(&function.getBody().front()).create<mlir::func::ReturnOp>(function.getLoc());
  eraseDeadConstants(function);

  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic &diagnostic) {
    complaint += diagnostic.str();
    return mlir::success();
  });
  if (mlir::failed(mlir::verify(*module))) {
    request_.isFault = true;
    error(kernel_.definition->nameLoc, "the front end made tile IR that does not verify: " + complaint);
    return {};
  }
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> emitTile(const EmitRequest &request, mlir::MLIRContext &context,
                                           Diagnostics &diagnostics) {
  return KernelElaboration(request, context, diagnostics).emit();
}

} // namespace tilewise::frontend
