// The GPU room's passes: tile IR -> laid-out blocks -> one thread's registers. The one place where
// they are named and documented.
#ifndef TILEWISE_TARGET_GPU_PASSES
#define TILEWISE_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def InsertChecks : Pass<"gpu-insert-checks", "::mlir::ModuleOp"> {
  let summary = "check every access against the memory of the arguments behind its pointer";
  let description = [{
    For launches in checked mode. For each pointer argument that an access may come from, the kernel gets two more arguments, the begin and end of its
    memory, and the module lists them in `gpu.checked_arguments`. A pointer that may come from anywhere else is not checked.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def ExpandPrecision : Pass<"gpu-expand-precision", "::mlir::ModuleOp"> {
  let summary = "a dot of precision tf32x3, bf16x3 or bf16x6 => several dots";
  let description = [{
    Where matrix instructions can multiply the parts, each f32 operand becomes a sum of narrower parts, and the dot becomes a sum of the dots of those
    pairs of parts that matter. Other such dots are computed by FMAs.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
}

def ChooseMma : Pass<"gpu-choose-mma", "::mlir::ModuleOp"> {
  let summary = "choose the matrix instruction for each dot";
  let description = [{
    The choice depends on types, precision and shape. The dot gets the attribute `gpu.mma`, such as "m16n8k16.f16", which determines its layouts. A dot
    without it is computed by FMAs, with its operands in shared memory. A dot that starts from zeros and is then added to a block starts from that block instead.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def SplitDots : Pass<"gpu-split-dots", "::mlir::ModuleOp"> {
  let summary = "a dot by FMAs whose operands do not fit in shared memory => two dots";
  let description = "Each has half of K. Repeated until the operands fit.";
  let options = [Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def NoteExchanges : Pass<"gpu-note-exchanges", "::mlir::ModuleOp"> {
  let summary = "mark gathers that exchange elements in pairs";
  let description = [{
    A gather at `position ^ constant`, as a sorting network has it, gets `gpu.exchange`: the bits in which the numbers of two elements that change places
    differ. Where these bits tell registers and lanes, no shared memory is needed.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def AssignLayouts : Pass<"gpu-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "give every block a layout over registers, lanes and warps, and convert between layouts";
  let description = [{
    NaturalLayouts.h explains the choice of layouts. Every block type gets a `#gpu.layout`, and the module the attributes `gpu.num_warps` and
    `gpu.machine`. A `gpu.convert_layout` is added where an op needs a block in another layout.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def PlaceCopies : Pass<"gpu-place-copies", "::mlir::ModuleOp"> {
  let summary = "place the operands of matrix instructions in shared memory, directly from global memory where they are loaded";
  let description = [{
    A dot by an asynchronous instruction becomes `gpu.mma` on tiles. A block that a loop loads only for dots is copied into a ring without passing
    through registers: `gpu.fill`, `gpu.await`. The attribute `gpu.ahead` of such a loop is the number of iterations by which its copies may run ahead.
    Boxes of tensors are copied by the machine's copy engine: `gpu.fill_box`, `gpu.await_box`; the tensor's map becomes one more argument of the
    kernel, and its plan is kept in the module's `gpu.tensor_maps`. Other operands are written to shared memory by `gpu.stage`.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3", "iterations of a loop in flight, unless the loop sets it">,
    Option<"boxes", "boxes", "bool", /*default=*/"true", "use the copy engine for boxes of tensors, if there is one">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def SpecializeWarps : Pass<"gpu-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "let separate warps request the boxes of a kernel's loops";
  let description = [{
    In kernels with `tl.range(warp_specialize=True)`, and elsewhere if it pays. Everything that the boxes depend on becomes a program of its own,
    `gpu.beside`. Slots of rings are handed over by signals, `gpu.await_release` and `gpu.release`, so the computing warps need no barrier for them.
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false", "do it in every kernel, even if it is neither requested nor pays">,
    Option<"keepsRegisters", "keeps-registers", "bool", /*default=*/"false", "give all threads the same number of registers">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect", "::mlir::scf::SCFDialect"];
}

def PipelineLoops : Pass<"gpu-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "let copies into rings run ahead of their uses";
  let description = [{
    In a loop with `gpu.ahead`, copies for a later iteration begin in an earlier one, and those for the first iterations before the loop. A
    multiplication into sums that the loop carries is awaited one iteration later. `gpu.ahead = 0` means that other warps make the copies.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect", "::mlir::scf::SCFDialect"];
}

def SinkWidenings : Pass<"gpu-sink-widenings", "::mlir::ModuleOp"> {
  let summary = "convert to wider elements only where the result is needed";
  let description = [{
    An elementwise op whose result takes more registers than its operands moves down to the first op that uses it, so that fewer registers are taken
    in between, where there may be a barrier that the assembler moves nothing across.
  }];
}

def AllocateShared : Pass<"gpu-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "assign offsets in shared memory";
  let description = [{
    Each op that needs scratch (SharedScratch.h) gets its offset in bytes, `gpu.shared`, and the module `gpu.shared_bytes`.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def InsertBarriers : Pass<"gpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "insert barriers between conflicting uses of memory";
  let description = [{
    The threads of a program do not run in step. A `gpu.barrier` is inserted between an op that reads shared scratch and a later one that writes it,
    and between accesses to global memory that may reach the same element from different threads.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def CheckBarriers : Pass<"gpu-check-barriers", "::mlir::ModuleOp"> {
  let summary = "check that every pair of conflicting accesses has a barrier in between";
  let description = [{
    Independent of `gpu-insert-barriers`: starts from each read and write, and looks at all accesses that can be reached without passing a barrier. A
    failure is a fault of ours, not of the kernel.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def PlanResidency : Pass<"gpu-plan-residency", "::mlir::ModuleOp"> {
  let summary = "choose how many programs should at least share a multiprocessor";
  let description = [{
    Sets `gpu.min_programs`. For kernels that only move memory and need few registers at a time it makes the assembler use at most 64 registers. For
    kernels with dots, and those that need more registers than a thread has, it is one program, so that as much as possible stays in registers.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def VerifyStage : Pass<"gpu-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check the guarantees of a GPU engine's stage";
  let description = [{
    Every block has a layout, every op can be lowered in the layouts of its operands and results, and every op that needs scratch has it. A failure is a
    fault of ours, not of the kernel.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def ToLlvm : Pass<"gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "laid-out blocks => one thread's registers, in the LLVM dialect";
  let description = [{
    A block becomes the registers in which one thread holds its part, in order. The module's machine provides the instructions.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
