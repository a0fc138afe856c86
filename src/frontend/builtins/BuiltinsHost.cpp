// What files ask of the host's modules at module level, answered while compiling: importlib, os,
// torch, triton's decorators.
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/sema/NumberTypes.h"
#include "frontend/values/Environment.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

/// The host's environment is never read: what a file falls back to is what it gets.
static Result<Operand> environmentDefault(CallContext &, Arguments a) { return a[1]; }

/// "3.2.0+git1" -> (3, 2, 0), which compares as versions do.
static Result<Operand> parseVersion(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string text, stringArgument(a[0], "version.parse's argument"));
  Elements numbers;
  llvm::StringRef rest = text;
  for (unsigned number; !rest.consumeInteger(10, number);) {
    numbers.push_back(Operand::ofInt(number));
    if (!rest.consume_front("."))
      break;
  }
  return Operand::ofTuple(std::move(numbers));
}

/// `collections.namedtuple("Pair", "first second")`, also with the names in a list.
static Result<Operand> namedTuple(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string name, stringArgument(a[0], "namedtuple()'s typename"));
  auto made = std::make_shared<RecordClass>();
  made->name = name;
  made->maker = RecordClass::Maker::NamedTuple;
  if (a[1].isString()) {
    std::string text = a[1].string();
    std::replace(text.begin(), text.end(), ',', ' ');
    llvm::SmallVector<llvm::StringRef> names;
    llvm::SplitString(text, names);
    for (llvm::StringRef field : names)
      made->fields.push_back(field.str());
  } else {
    if (!a[1].isSequence())
      return kernelFailure("namedtuple() takes its fields in a string or a list, got " + a[1].kindText());
    for (const Operand &field : a[1].elements()) {
      TILEWISE_TRY(std::string text, stringArgument(field, "namedtuple()'s field"));
      made->fields.push_back(std::move(text));
    }
  }
  made->fieldInfos.resize(made->fields.size());
  if (a[2].isSequence() && a[2].elements().size() <= made->fields.size())
    for (auto [info, value] : llvm::zip(llvm::reverse(made->fieldInfos), llvm::reverse(a[2].elements())))
      info.defaultValue = value;
  return Operand::ofClass(std::move(made));
}

/// `triton.jit(f)` as a call, and `triton.jit(...)` with options, which then takes the function.
static Result<Operand> jit(CallContext &, Arguments a) {
  if (!a[0].isFunction())
    return Operand::ofBuiltin(findBuiltin("triton.jit"));
  auto made = std::make_shared<FunctionValue>(*a[0].function());
  made->kind = FunctionValue::Kind::Jit;
  return Operand::ofFunction(std::move(made));
}
static Result<Operand> constexprFunction(CallContext &, Arguments a) {
  // What runs while compiling anyway stays what it is.
  if (a[0].isBuiltin())
    return a[0];
  if (!a[0].isFunction())
    return kernelFailure("triton.constexpr_function takes a function, got " + a[0].kindText());
  auto made = std::make_shared<FunctionValue>(*a[0].function());
  made->kind = FunctionValue::Kind::Constexpr;
  return Operand::ofFunction(std::move(made));
}
/// A decorator of the host that leaves the function what it is.
static Result<Operand> leaveAlone(CallContext &, Arguments a) { return a[0]; }
static Result<Operand> decorator(CallContext &, Arguments) {
  return Operand::ofBuiltin(findBuiltin("triton.leave_alone"));
}

static const std::shared_ptr<const RecordClass> &configClass() {
  static const auto kind = [] {
    auto made = std::make_shared<RecordClass>();
    made->name = "Config";
    made->fields = {"kwargs", "num_warps", "num_stages", "num_ctas", "maxnreg", "pre_hook"};
    return std::shared_ptr<const RecordClass>(std::move(made));
  }();
  return kind;
}
static Result<Operand> config(CallContext &, Arguments a) {
  if (!a[0].isDict())
    return kernelFailure("triton.Config takes a dict, got " + a[0].kindText());
  return Operand::ofRecord(configClass(), Elements(a.begin(), a.begin() + 6));
}

/// Only the language itself is ever there while compiling.
static Result<Operand> importModule(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string name, stringArgument(a[0], "importlib.import_module's name"));
  if (std::optional<std::string> module = knownModule(name))
    return Operand::ofModule(*module);
  return kernelFailure("the module '" + name + "' is not available while compiling");
}
/// A module that is there stands for its own specification, and is loaded.
static Result<Operand> findModule(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string name, stringArgument(a[0], "importlib.util.find_spec's name"));
  std::optional<std::string> module = knownModule(name);
  return module ? Operand::ofModule(*module) : Operand::none();
}
/// As torch would answer on a host with the target's device.
static Result<Operand> hasGpu(CallContext &context, Arguments) { return Operand::ofBool(context.facts().isCuda()); }
static Result<Operand> gpuCount(CallContext &context, Arguments) { return Operand::ofInt(context.facts().isCuda()); }
static Result<Operand> gpuCapability(CallContext &context, Arguments) {
  const CompileFacts &facts = context.facts();
  if (!facts.isCuda())
    return kernelFailure("torch.cuda.get_device_capability() asks for a GPU, and the target has none");
  return Operand::ofTuple({Operand::ofInt(facts.target.capability / 10), Operand::ofInt(facts.target.capability % 10)});
}
static Result<Operand> returnsNone(CallContext &, Arguments) { return Operand::none(); }
static Result<Operand> packageVersion(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string name, stringArgument(a[0], "version()'s package"));
  if (name == "triton")
    return moduleAttribute("triton", "__version__");
  return kernelFailure("the version of '" + name + "' is not known while compiling");
}

/// torch.finfo(dtype) and torch.iinfo(dtype): the limits of a type.
static Result<Operand> typeLimits(CallContext &, Arguments a) {
  TILEWISE_TRY(DType type, dtypeArgument(a[0], "torch.finfo's dtype"));
  static const auto kind = [] {
    auto made = std::make_shared<RecordClass>();
    made->name = "finfo";
    made->fields = {"min", "max", "eps", "tiny", "smallest_normal", "bits"};
    return std::shared_ptr<const RecordClass>(std::move(made));
  }();
  if (type.isFloat()) {
    const llvm::fltSemantics &format = floatSemantics(type);
    auto number = [](llvm::APFloat value) {
      bool losesInfo;
      value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      return Operand::ofFloat(value.convertToDouble());
    };
    Operand eps = Operand::ofFloat(std::ldexp(1.0, 1 - int(llvm::APFloat::semanticsPrecision(format))));
    Operand tiny = number(llvm::APFloat::getSmallestNormalized(format));
    return Operand::ofRecord(kind,
                             {number(llvm::APFloat::getLargest(format, /*Negative=*/true)),
                              number(llvm::APFloat::getLargest(format)), eps, tiny, tiny, Operand::ofInt(type.bits())});
  }
  if (!type.isInt())
    return kernelFailure("torch.iinfo takes a dtype of numbers, got " + type.str());
  unsigned bits = type.bits();
  llvm::APSInt low(type.isSigned() ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getZero(bits),
                   !type.isSigned());
  llvm::APSInt high(type.isSigned() ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits),
                    !type.isSigned());
  return Operand::ofRecord(kind, {Operand::ofInt(llvm::APSInt(low.extend(72), false)),
                                  Operand::ofInt(llvm::APSInt(high.extend(72), false)), Operand::none(),
                                  Operand::none(), Operand::none(), Operand::ofInt(bits)});
}

static constexpr unsigned kPython = Builtin::CompileTime | Builtin::PythonOnly;

static constexpr Builtin kRows[] = {
    {"importlib.import_module", "name, package=None", kPython, importModule},
    {"importlib.metadata.version", "name", kPython, packageVersion},
    {"importlib.util.find_spec", "name, package=None", kPython, findModule},
    {"importlib.util.module_from_spec", "spec", kPython, leaveAlone},
    {"importlib.loader.exec_module", "module", kPython, returnsNone},
    {"torch.cuda.is_available", "", kPython, hasGpu},
    {"torch.cuda.device_count", "", kPython, gpuCount},
    {"torch.cuda.get_device_capability", "device=None", kPython, gpuCapability},
    {"warnings.warn", "message, category=None, stacklevel=1, source=None", kPython, returnsNone},
    {"torch.finfo", "dtype", kPython, typeLimits},
    {"torch.iinfo", "dtype", kPython, typeLimits},
    {"os.environ.get", "key, default=None", kPython, environmentDefault},
    {"os.getenv", "key, default=None", kPython, environmentDefault},
    {"packaging.version.parse", "version", kPython, parseVersion},
    {"packaging.version.Version", "version", kPython, parseVersion},
    {"collections.namedtuple", "typename, field_names, defaults=None, rename=False, module=None", kPython, namedTuple},
    {"triton.jit",
     "fn=None, version=None, repr=None, launch_metadata=None, do_not_specialize=None, "
     "do_not_specialize_on_alignment=None, debug=None, noinline=None",
     kPython, jit},
    {"triton.constexpr_function", "fn", kPython, constexprFunction},
    {"triton.leave_alone", "fn", kPython, leaveAlone},
    {"triton.autotune",
     "configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None, "
     "warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False",
     kPython, decorator},
    {"triton.heuristics", "values", kPython, decorator},
    {"triton.must_use_result", "message=''", kPython, decorator},
    {"triton.aggregate", "cls", kPython, leaveAlone},
    {"triton.Config",
     "kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None, "
     "num_buffers_warp_spec=0, num_consumer_groups=0, reg_dec_producer=0, reg_inc_consumer=0, minRegAutoWS=None, "
     "maxRegAutoWS=None, pingpongAutoWS=None",
     kPython, config},
};

llvm::ArrayRef<Builtin> hostBuiltins() { return kRows; }

} // namespace tilewise::frontend
