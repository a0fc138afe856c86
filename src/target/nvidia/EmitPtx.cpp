// The LLVM dialect -> optimised LLVM IR -> PTX.
#include "target/nvidia/EmitPtx.h"

#include "target/gpu/Gpu.h"
#include "target/nvidia/DeviceLibrary.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/Sink.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <mutex>

using namespace llvm;

namespace tilewise::nvidia {

namespace {

constexpr const char *kTriple = "nvptx64-nvidia-cuda";

/// The newest processor that LLVM 19 knows and that runs on this device: PTX for it assembles for
/// all later ones.
unsigned processorFor(unsigned capability) {
  for (unsigned known : {90, 89, 87, 86, 80})
    if (capability >= known)
      return known;
  return 75;
}

/// The oldest PTX version with all we use (7.5 for copies that leave out) that knows the processor,
/// so that old drivers take it.
unsigned ptxVersionFor(unsigned processor) { return processor >= 90 ? 80 : processor >= 89 ? 78 : 75; }

/// wgmma exists in "sm_90a" alone, whose PTX runs on no other capability than 9.0.
std::string processorName(unsigned capability) {
  return "sm_" + std::to_string(processorFor(capability)) + (capability == 90 ? "a" : "");
}

Result<std::unique_ptr<TargetMachine>> createMachine(unsigned capability) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(kTriple, error);
  if (!target)
    return internalFailure("LLVM has no NVPTX back end: " + error);
  unsigned processor = processorFor(capability);
  TargetOptions options;
  // Contraction is decided in tile IR; LLVM must not add its own.
  options.AllowFPOpFusion = FPOpFusion::Strict;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(kTriple, processorName(capability), "+ptx" + std::to_string(ptxVersionFor(processor)),
                                  options, std::nullopt, std::nullopt, CodeGenOptLevel::Aggressive));
  if (!machine)
    return internalFailure("LLVM cannot make code for compute capability " + std::to_string(capability));
  return machine;
}

/// Registers are SSA values from the start, so LLVM has little to do: fold, share, hoist.
void optimize(llvm::Module &module, TargetMachine &machine, PassObserver observer) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  observeIrPasses(callbacks, module, observer);
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt, observer ? &callbacks : nullptr);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  // Pass by pass: parsing a pipeline's text would link in all passes that LLVM has, 8.7 MB of them.
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  // The second round works on what hoisting and sharing exposed; ADCE takes loop-carried pointers
  // that only feed themselves. What only code behind a loop uses is computed there. Unrolling is
  // left to ptxas.
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(InstCombinePass());
  passes.addPass(ADCEPass());
  passes.addPass(SinkingPass());
  ModulePassManager whole;
  whole.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
  whole.run(module, modules);
}

/// Collects what LLVM reports; it must not print.
struct Collector : DiagnosticHandler {
  explicit Collector(std::string &messages) : messages(messages) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() == DS_Error) {
      raw_string_ostream os(messages);
      DiagnosticPrinterRawOStream printer(os);
      info.print(printer);
      os << '\n';
    }
    return true;
  }
  std::string &messages;
};

/// Threads of a block are fixed, which lets ptxas plan registers; it rejects launches with any
/// other number.
void annotateKernel(llvm::Module &module, unsigned threads, unsigned minPrograms, unsigned maxRegisters) {
  NamedMDNode *annotations = module.getOrInsertNamedMetadata("nvvm.annotations");
  LLVMContext &context = module.getContext();
  Type *i32 = Type::getInt32Ty(context);
  for (Function &function : module) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    auto add = [&](StringRef name, unsigned value) {
      Metadata *entries[] = {ValueAsMetadata::get(&function), MDString::get(context, name),
                             ConstantAsMetadata::get(ConstantInt::get(i32, value))};
      annotations->addOperand(MDNode::get(context, entries));
    };
    add("reqntidx", threads);
    add("reqntidy", 1);
    add("reqntidz", 1);
    // A bound that the author gives stands above our own.
    if (maxRegisters)
      add("maxnreg", maxRegisters);
    else if (minPrograms)
      add("minctasm", minPrograms);
  }
}

bool isWaitForMultiplies(const Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly && StringRef(assembly->getAsmString()).starts_with("wgmma.wait_group");
}

/// A wait for multiplications is the first that its block does. Behind a loop, address arithmetic
/// between the loop's end and the wait was enough for ptxas to give up and to do all of the loop's
/// multiplications one after the other (its advisory C7514).
void waitFirst(llvm::Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      auto wait = llvm::find_if(block, isWaitForMultiplies);
      if (wait == block.end())
        continue;
      auto first = block.getFirstInsertionPt();
      bool canMove = llvm::none_of(llvm::make_range(first, wait),
                                   [](const Instruction &before) { return before.mayHaveSideEffects(); });
      for (Value *operand : wait->operands())
        if (auto *def = dyn_cast<Instruction>(operand))
          canMove &= def->getParent() != &block || isa<PHINode>(def);
      if (canMove && first != wait)
        wait->moveBefore(block, first);
    }
}

/// Inline PTX with effects may need all lanes of a warp: nothing may move it under a condition.
/// MLIR 19 has no way to say so.
void markConvergent(llvm::Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *call = dyn_cast<CallInst>(&instruction))
          if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()); assembly && assembly->hasSideEffects())
            call->setConvergent();
}

} // namespace

Result<std::unique_ptr<llvm::Module>> translateToLlvm(mlir::ModuleOp module, LLVMContext &context, unsigned capability,
                                                      unsigned maxRegisters, PassObserver observer) {
  auto machine = createMachine(capability);
  if (!machine)
    return machine.takeFailure();
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context, "tilewise");
  if (!translated)
    return internalFailure("MLIR could not translate the NVIDIA kernel to LLVM IR");
  translated->setTargetTriple(kTriple);
  translated->setDataLayout((*machine)->createDataLayout());
  if (Result<void> linked = linkDeviceLibrary(*translated); !linked)
    return linked.takeFailure();
  markConvergent(*translated);
  annotateKernel(*translated, 32 * gpu::allWarpsOf(module), gpu::minProgramsOf(module), maxRegisters);
  optimize(*translated, **machine, observer);
  waitFirst(*translated);
  return translated;
}

Result<std::string> emitPtx(const llvm::Module &module, unsigned capability, PassObserver observer) {
  auto machine = createMachine(capability);
  if (!machine)
    return machine.takeFailure();
  // Code generation changes the module; the caller's stays as it is.
  std::unique_ptr<llvm::Module> copy = CloneModule(module);
  LLVMContext &context = copy->getContext();
  std::string messages;
  std::unique_ptr<DiagnosticHandler> previous = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<Collector>(messages));
  SmallString<0> text;
  raw_svector_ostream os(text);
  ObservedCodePasses passes(observer);
  bool unsupported = (*machine)->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::AssemblyFile);
  if (!unsupported)
    passes.run(*copy);
  context.setDiagnosticHandler(std::move(previous));
  if (unsupported)
    return internalFailure("LLVM's NVPTX back end cannot emit text");
  if (!messages.empty())
    return internalFailure("NVPTX: " + messages);
  return text.str().str();
}

} // namespace tilewise::nvidia
