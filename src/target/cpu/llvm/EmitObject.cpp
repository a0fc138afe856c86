// LLVM IR -> optimised LLVM IR -> assembly or an ELF object, for one processor.
#include "target/cpu/llvm/EmitObject.h"
#include "artifact/HostNames.h"
#include "target/HostProcessor.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

#ifndef TILEWISE_WITH_AARCH64
#define TILEWISE_WITH_AARCH64 0
#endif

namespace tilewise::cpu {

static void initializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
#if TILEWISE_WITH_X86
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
#if TILEWISE_WITH_AARCH64
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
  });
}

namespace {

struct Processor {
  const llvm::Target *target;
  const char *triple;
  std::string name; ///< LLVM's.
};

} // namespace

/// Finds a processor by one of our names for a level of instructions or by LLVM's, in the first
/// architecture that knows it.
static std::optional<Processor> findProcessor(llvm::StringRef name) {
  if (name == "avx2")
    name = "x86-64-v3";
  else if (name == "avx512")
    name = "x86-64-v4";
  for (const char *triple : {"x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"}) {
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      continue;
    if (name == llvm::Triple(triple).getArchName())
      return Processor{target, triple, "generic"};
    std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
    if (known->isCPUStringValid(name))
      return Processor{target, triple, name.str()};
  }
  return std::nullopt;
}

namespace {

/// What the last compile of this thread used.
struct KeptCodeGenerator {
  std::string processor;
  std::unique_ptr<CodeGenerator> generator;
};

} // namespace

static thread_local KeptCodeGenerator kept;

void KeepCodeGenerator::operator()(CodeGenerator *generator) const {
  std::unique_ptr<CodeGenerator> owned(generator);
  if (!isSpoilt)
    kept = {processor, std::move(owned)};
}

Result<CodeGeneratorHandle> takeCodeGenerator(const Target &target) {
  initializeLlvm();
  const bool native = target.cpu.empty();
  KeepCodeGenerator keep{(native ? hostName() + ' ' + hostFeatures() : target.cpu + ' ' + target.cpuFeatures)};
  if (kept.generator && kept.processor == keep.processor)
    return CodeGeneratorHandle(kept.generator.release(), std::move(keep));
  std::optional<Processor> processor = findProcessor(native ? hostName() : target.cpu);
  if (!processor)
    return launchFailure("unknown processor '" + (native ? hostName() : target.cpu) +
                         "': expected x86-64, avx2, avx512" + (TILEWISE_WITH_AARCH64 ? ", aarch64" : "") +
                         " or LLVM's name of a processor, such as haswell or sapphirerapids");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // tile-form-fma has decided.
  std::unique_ptr<llvm::TargetMachine> machine(processor->target->createTargetMachine(
      processor->triple, processor->name, native ? hostFeatures() : target.cpuFeatures, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (!machine)
    return internalFailure(std::string("LLVM has no back end for ") + processor->triple);
  return CodeGeneratorHandle(new CodeGenerator(std::move(machine)), std::move(keep));
}

static Machine describe(const llvm::TargetMachine &machine) {
  auto has = [&](llvm::StringRef feature) { return machine.getMCSubtargetInfo()->checkFeatures(feature); };
  Machine result;
  if (machine.getTargetTriple().isAArch64()) {
    result.vectorBytes = 16;
    result.hasScale = result.hasRange = result.isX86 = false;
    return result;
  }
  bool wide = has("+avx512f") && has("+avx512vl") && has("+avx512bw") && has("+avx512dq");
  result.vectorBytes = wide ? 64 : has("+avx2") ? 32 : 16;
  result.vectorRegisters = wide ? 32 : 16;
  result.hasHalf = has("+f16c");
  result.hasScale = result.hasRange = wide;
  result.hasRound = has("+sse4.1");
  result.hasFma = has("+fma");
  result.hasVnni = (wide && has("+avx512vnni")) || has("+avxvnni");
  result.hasBf16 = wide && has("+avx512bf16");
  result.hasTileInt8 = has("+amx-tile") && has("+amx-int8");
  result.hasTileBf16 = has("+amx-tile") && has("+amx-bf16");
  return result;
}

void CodeGenerator::optimize(llvm::Module &module, PassObserver observer) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks callbacks;
  observeIrPasses(callbacks, module, observer);
  llvm::PassBuilder builder(machine_.get(), llvm::PipelineTuningOptions(), std::nullopt,
                            observer ? &callbacks : nullptr);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

/// What an object may refer to, and the linker provides: what we call by name, and fma, for f64 on
/// processors without the instruction. Any other call that LLVM made up would be missing, or slow,
/// where the kernel runs.
static Result<void> checkUndefined(llvm::StringRef bytes) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!object) {
    llvm::consumeError(object.takeError());
    return internalFailure("LLVM emitted an object that cannot be read back");
  }
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      continue;
    }
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty() && !name->starts_with(kHostPrefix) &&
        *name != "fma" && *name != "_GLOBAL_OFFSET_TABLE_")
      return internalFailure("LLVM made a call to '" + name->str() + "' out of an op that it has no instructions for");
  }
  return {};
}

/// LLVM's passes to machine code, and where they write it. Runs over one module after another: what
/// passes know of a function they forget at its end, and the printer and its streamer forget a
/// module at its end.
class CodeGenerator::CodePasses : public ObservedCodePasses {
public:
  using ObservedCodePasses::ObservedCodePasses;

  /// Null when LLVM cannot write this kind of file.
  static std::unique_ptr<CodePasses> make(llvm::LLVMTargetMachine &machine, llvm::CodeGenFileType kind,
                                          PassObserver observer) {
    auto passes = std::make_unique<CodePasses>(observer);
    return passes->addAll(machine, kind) ? std::move(passes) : nullptr;
  }

  std::string run(llvm::Module &module) {
    bytes_.clear();
    llvm::legacy::PassManager::run(module);
    return std::string(bytes_.begin(), bytes_.end());
  }

  /// Leaves out the reduction of loops' strength and what comes before for its sake. What that
  /// finds, nests are emitted with: an index that counts, and pointers to where the row begins. It
  /// took 15 % of the compile of vector add, and half of a convolution's.
  void add(llvm::Pass *pass) override {
    if (pass->getPassName() == "Loop Strength Reduction" ||
        pass->getPassName() == "Canonicalize Freeze Instructions in Loops")
      delete pass;
    else
      ObservedCodePasses::add(pass);
  }

private:
  /// LLVMTargetMachine::addPassesToEmitFile without the pass that follows a source's variables
  /// through registers: there are none, and that took 4 of the 7 % that line tables cost a compile
  /// of vector add; the rest is 2 %.
  bool addAll(llvm::LLVMTargetMachine &machine, llvm::CodeGenFileType kind) {
    llvm::TargetPassConfig *config = machine.createPassConfig(*this);
    config->setDisableVerify(true);
    config->disablePass(&llvm::LiveDebugValuesID);
    auto *info = new llvm::MachineModuleInfoWrapperPass(&machine);
    add(config);
    add(info);
    if (config->addISelPasses())
      return false;
    config->addMachinePasses();
    config->setInitialized();
    if (machine.addAsmPrinter(*this, stream_, nullptr, kind, info->getMMI().getContext()))
      return false;
    add(llvm::createFreeMachineFunctionPass());
    return true;
  }

  llvm::SmallVector<char, 0> bytes_;
  llvm::raw_svector_ostream stream_{bytes_};
};

CodeGenerator::CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine)
    : machine_(std::move(machine)), description_(describe(*machine_)) {}

CodeGenerator::~CodeGenerator() = default;

Result<std::string> CodeGenerator::emit(llvm::Module &module, llvm::CodeGenFileType kind, PassObserver observer) {
  const bool isObject = kind == llvm::CodeGenFileType::ObjectFile;
  std::unique_ptr<CodePasses> passesOfThis;
  std::unique_ptr<CodePasses> &passes = isObject && !observer ? objectPasses_ : passesOfThis;
  if (!passes)
    passes = CodePasses::make(static_cast<llvm::LLVMTargetMachine &>(*machine_), kind, observer);
  if (!passes)
    return internalFailure("LLVM cannot emit this kind of file");
  std::string text = passes->run(module);
  if (isObject)
    if (Result<void> checked = checkUndefined(text); !checked)
      return checked.takeFailure();
  return text;
}

} // namespace tilewise::cpu
