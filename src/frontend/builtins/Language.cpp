// The modules a kernel file can import: what `triton`, `triton.language` and their submodules
// offer, and what they do not yet.
#include "frontend/builtins/Builtins.h"
#include "frontend/builtins/Stdlib.h"
#include "libdevice/Libdevice.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

namespace tilewise::frontend {

/// Names of the language that the front end knows of but does not implement: the error says so
/// instead of "unknown".
static constexpr llvm::StringLiteral kNotYet[] = {"slice"};

std::optional<std::string> knownModule(llvm::StringRef dotted) {
  std::string name = dotted.str();
  if (dotted.consume_front("tilewise"))
    name = ("triton" + dotted).str();
  // Modules that are one and the same here, whatever a release or a back end called them.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kSame[] = {
      {"triton.language.core", "triton.language"},
      {"triton.language.standard", "triton.language"},
      {"triton.language.libdevice", "triton.language.extra.libdevice"},
      {"triton.language.extra.cuda.libdevice", "triton.language.extra.libdevice"},
      {"triton.language.extra.hip.libdevice", "triton.language.extra.libdevice"},
      {"torch._inductor.triton_helpers", "torch._inductor.runtime.triton_helpers"},
      {"torch._inductor.runtime.triton_helpers.libdevice", "triton.language.extra.libdevice"},
      {"torch._inductor.runtime.triton_helpers.math", "triton.language.math"},
  };
  for (const auto &[alias, canonical] : kSame)
    if (name == alias)
      return canonical.str();
  for (llvm::StringRef known :
       {"triton", "triton.language", "triton.language.math", "triton.language.random", "triton.language.target_info",
        "triton.language.extra", "triton.language.extra.cuda", "triton.language.extra.hip",
        "triton.language.extra.libdevice", "triton.tools.ragged_tma", "torch._inductor.runtime.triton_helpers", "math"})
    if (name == known)
      return name;
  return hostModule(name);
}

static std::vector<std::string> libdeviceNames() {
  std::vector<std::string> names;
  for (const libdevice::Name &name : libdevice::names())
    names.push_back(name.name.str());
  return names;
}

static std::vector<std::string> languageNames() {
  std::vector<std::string> names = stdlib::names();
  for (llvm::ArrayRef<Builtin> family : builtinFamilies())
    for (const Builtin &row : family)
      if (row.name().starts_with("tl.") && row.name().count('.') == 1)
        names.push_back(row.lastName().str());
  for (int i = 0; i <= int(Scalar::Fp64); ++i)
    names.push_back(languageName(Scalar(i)).str());
  for (llvm::StringRef name : kNotYet)
    names.push_back(name.str());
  return names;
}

static Result<Operand> languageAttribute(llvm::StringRef name) {
  if (std::optional<DType> type = dtypeOfLanguageName(name))
    return Operand::ofType(*type);
  if (const Builtin *builtin = findBuiltin(("tl." + name).str()))
    return Operand::ofBuiltin(builtin);
  if (std::optional<std::string> module = knownModule(("triton.language." + name).str()))
    return Operand::ofModule(*module);
  if (name == "PropagateNan")
    return Operand::ofModule("triton.language.PropagateNan");
  if (std::optional<Operand> function = stdlib::function(name))
    return *function;
  if (name.starts_with("_experimental_descriptor") || name == "_experimental_make_tensor_descriptor")
    return kernelFailure("tl." + name.str() +
                         " is gone from the language, and a descriptor of the host cannot be read "
                         "through a plain pointer; write d = tl.make_tensor_descriptor(base, shape, strides, "
                         "block_shape) and d.load(offsets) or d.store(offsets, value), or pass a TensorDescriptor");
  if (llvm::is_contained(kNotYet, name))
    return kernelFailure("tl." + name.str() + " is not supported yet", MessageCode::NotYet);
  if (findBuiltin(("tl.extra.libdevice." + name).str()))
    return kernelFailure("tl has no '" + name.str() + "', libdevice has: write 'from triton.language.extra import " +
                         "libdevice' and libdevice." + name.str() + "(...)");
  return kernelFailure("tl has no '" + name.str() + "'" + didYouMean(name, languageNames()));
}

static Result<Operand> pythonMath(llvm::StringRef name) {
  double value = llvm::StringSwitch<double>(name)
                     .Case("pi", M_PI)
                     .Case("e", M_E)
                     .Case("tau", 2 * M_PI)
                     .Case("inf", INFINITY)
                     .Case("nan", NAN)
                     .Default(0);
  if (value == 0) {
    if (const Builtin *function = findBuiltin(("math." + name).str()))
      return Operand::ofBuiltin(function);
    return kernelFailure("math." + name.str() + " is not available while compiling");
  }
  return Operand::ofFloat(value);
}

Result<Operand> moduleAttribute(llvm::StringRef module, llvm::StringRef name) {
  if (name == "loader") // Of the specification that importlib.util.find_spec gave.
    return Operand::ofModule("importlib.loader");
  if (module == "triton.language")
    return languageAttribute(name);
  if (module == "triton.language.random")
    return languageAttribute(name);
  if (module == "triton.language.math") {
    // What is elementwise is offered under both names; the rest of libdevice was once here too,
    // with `max` and `min` of two operands.
    const Builtin *ours = findBuiltin(("tl." + name).str());
    bool isMath = llvm::any_of(mathBuiltins(), [&](const Builtin &row) { return &row == ours; });
    const Builtin *libdevice = findBuiltin(("tl.extra.libdevice." + name).str());
    return isMath || !libdevice ? languageAttribute(name) : Result<Operand>(Operand::ofBuiltin(libdevice));
  }
  // Functions of other packages that kernels call, in the library under a prefix.
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kLibraryModules[] = {
      {"triton.tools.ragged_tma", "_ragged_"}, {"torch._inductor.runtime.triton_helpers", "_inductor_"}};
  for (const auto &[dotted, prefix] : kLibraryModules)
    if (module == dotted)
      if (std::optional<Operand> function = stdlib::member(prefix, name))
        return *function;
  if (module == "triton.language.extra.libdevice") {
    if (const Builtin *builtin = findBuiltin(("tl.extra.libdevice." + name).str()))
      return Operand::ofBuiltin(builtin);
    return kernelFailure("libdevice has no '" + name.str() + "'" + didYouMean(name, libdeviceNames()));
  }
  if (std::optional<std::string> inner = knownModule((module + "." + name).str()))
    return Operand::ofModule(*inner);
  if (hostModule(module))
    return hostModuleAttribute(module, name);
  for (llvm::StringRef own : {"target_info", "cuda"})
    if (module.ends_with(("." + own).str())) {
      if (const Builtin *builtin = findBuiltin((own + "." + name).str()))
        return Operand::ofBuiltin(builtin);
      std::vector<std::string> candidates;
      for (const Builtin &row : machineBuiltins())
        if (row.name().starts_with((own + ".").str()))
          candidates.push_back(row.lastName().str());
      return kernelFailure(own.str() + " has no '" + name.str() + "'" + didYouMean(name, candidates));
    }
  if (module == "triton.language.PropagateNan") {
    if (name == "NONE" || name == "ALL")
      return Operand::ofString(("PropagateNan." + name).str());
    return kernelFailure("tl.PropagateNan has NONE and ALL, got '" + name.str() + "'");
  }
  if (module == "math")
    return pythonMath(name);
  if (module == "triton") {
    if (name == "language")
      return Operand::ofModule("triton.language");
    if (name == "cdiv")
      return Operand::ofBuiltin(findBuiltin("tl.cdiv"));
    if (name == "__version__") // Of the language that this front end follows, for files that ask.
      return Operand::ofString("3.6.0");
    if (name == "testing" || name == "compiler")
      return kernelFailure("triton." + name.str() + " runs on the host and cannot be used in a kernel");
    if (const Builtin *builtin = findBuiltin(("triton." + name).str()))
      return Operand::ofBuiltin(builtin);
    return kernelFailure("triton." + name.str() + " runs on the host and cannot be used in a kernel" +
                         didYouMean(name, {"language", "cdiv", "next_power_of_2"}));
  }
  return kernelFailure("the module '" + module.str() + "' has nothing that a kernel can use; its attribute '" +
                       name.str() + "' was asked for");
}

std::optional<Operand> tensorMethod(llvm::StringRef name) {
  if (const Builtin *own = findBuiltin(("tl.tensor." + name).str()))
    return Operand::ofBuiltin(own);
  if (const Builtin *builtin = findBuiltin(("tl." + name).str()); builtin && (builtin->flags & Builtin::Method))
    return Operand::ofBuiltin(builtin);
  if (stdlib::isMethod(name))
    return stdlib::function(name);
  return stdlib::member("_tensor_", name); // Methods that are no functions of the language.
}

Result<Operand> typeAttribute(const Type &type, llvm::StringRef name) {
  DType element = type.element;
  if (name == "element_ty") {
    if (type.isBlock())
      return Operand::ofType(element);
    if (element.isPointer())
      return Operand::ofType(element.pointee());
    return kernelFailure(type.str() + " has no element_ty: it is neither a pointer nor a block");
  }
  if (name == "scalar")
    return Operand::ofType(element);
  if (name == "shape") {
    Elements extents;
    for (int64_t extent : type.shape)
      extents.push_back(Operand::ofInt(extent));
    return Operand::ofTuple(std::move(extents));
  }
  if (name == "name")
    return Operand::ofString(type.str());
  if (name == "primitive_bitwidth")
    return Operand::ofInt(element.bits());
  if (name == "int_bitwidth" && element.isInt())
    return Operand::ofInt(element.bits());
  if (name == "itemsize")
    return Operand::ofInt(element.bytes());
  if (name == "numel" && type.isBlock())
    return Operand::ofInt(type.numElements());
  if (name == "int_signedness" && element.isInt())
    return Operand::ofString(element.isSigned() ? "SIGNEDNESS.SIGNED" : "SIGNEDNESS.UNSIGNED");
  if (name == "fp_mantissa_width" && element.isFloat())
    return Operand::ofInt(element.mantissaBits());
  if (name == "exponent_bias" && element.isFloat())
    return Operand::ofInt(element.exponentBias());
  if (name == "address_space" && element.isPointer())
    return Operand::ofInt(1);
  if (const Builtin *method = findBuiltin(("dtype." + name).str()))
    return Operand::ofMethod(Operand::ofType(type), Operand::ofBuiltin(method));
  std::vector<std::string> candidates{"element_ty",
                                      "scalar",
                                      "shape",
                                      "name",
                                      "numel",
                                      "int_signedness",
                                      "itemsize",
                                      "primitive_bitwidth",
                                      "int_bitwidth",
                                      "exponent_bias",
                                      "fp_mantissa_width"};
  for (const Builtin &row : typeBuiltins())
    if (row.name().starts_with("dtype."))
      candidates.push_back(row.lastName().str());
  return kernelFailure("the dtype " + type.str() + " has no '" + name.str() + "'" + didYouMean(name, candidates));
}

Failure cannotLookInto(const HostObject &object, llvm::StringRef name) {
  bool inLanguage = bool(moduleAttribute("triton.language", name));
  return kernelFailure("kernels cannot look into " + object.description + " for '" + name.str() + "'" +
                       (inLanguage ? "; did you mean 'tl." + name.str() + "'?" : ""));
}

} // namespace tilewise::frontend
