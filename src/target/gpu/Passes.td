// The GPU room's passes: tile IR -> laid-out blocks -> one thread's registers. The one place where
// they are named and documented.
#ifndef TILEWISE_TARGET_GPU_PASSES
#define TILEWISE_TARGET_GPU_PASSES

include "mlir/Pass/PassBase.td"

def InsertChecks : Pass<"gpu-insert-checks", "::mlir::ModuleOp"> {
  let summary = "hold every access against the memory of the arguments that its pointer is made from";
  let description = [{
    For launches in checked mode. The kernel gets two more arguments for each pointer argument that an access comes from, the begin and the end of its memory, and
    the module `gpu.checked_arguments`, a list of these. A pointer that may come from elsewhere is not checked.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def ExpandPrecision : Pass<"gpu-expand-precision", "::mlir::ModuleOp"> {
  let summary = "make several dots of one that asks for tf32x3, bf16x3 or bf16x6";
  let description = [{
    Each f32 operand becomes a sum of narrower parts, and the dot a sum of dots of the pairs of parts that count, where matrix instructions multiply
    such parts. What stays is multiplied by FMAs.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
}

def ChooseMma : Pass<"gpu-choose-mma", "::mlir::ModuleOp"> {
  let summary = "say which matrix instruction multiplies each dot";
  let description = [{
    By types, precision and shape. A dot gets the attribute `gpu.mma`, such as "m16n8k16.f16", which decides its layouts; one that gets none is multiplied
    by FMAs, its operands in shared memory. Where a dot starts from zeros and is then added to a block, it starts from that block.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def SplitDots : Pass<"gpu-split-dots", "::mlir::ModuleOp"> {
  let summary = "make two of a dot by FMAs whose operands do not fit into shared memory";
  let description = [{
    Each has half as much k; again, until they fit.
  }];
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
  let summary = "give every block a layout over registers, lanes and warps; convert where two of them meet";
  let description = [{
    NaturalLayouts.h says where blocks live. The module gets the attributes `gpu.num_warps` and `gpu.machine`, every block type a
    `#gpu.layout`, and a `gpu.convert_layout` stands wherever an op wants a block elsewhere than it lives.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", /*default=*/"4", "warps of a program">,
    Option<"machine", "machine", "std::string", /*default=*/"\"nvidia:90\"", "vendor:model, such as nvidia:90">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def PlaceCopies : Pass<"gpu-place-copies", "::mlir::ModuleOp"> {
  let summary = "put operands of matrix instructions into shared memory, straight from global memory where they are loaded";
  let description = [{
    A dot by an asynchronous instruction becomes `gpu.mma` on tiles. A block that a loop loads for nothing but dots is copied into a ring
    without passing through registers: `gpu.fill`, `gpu.await`; a loop that does so says in `gpu.ahead` by how many iterations these copies may
    run ahead. Boxes of tensors are copied by the machine's copy engine: `gpu.fill_box`, `gpu.await_box`, with a map of the tensor as one more
    argument of the kernel and its plan in the module's `gpu.tensor_maps`. Other operands are written to shared memory by `gpu.stage`.
  }];
  let options = [
    Option<"numStages", "num-stages", "unsigned", /*default=*/"3", "iterations of a loop in flight, where the loop does not say">,
    Option<"boxes", "boxes", "bool", /*default=*/"true", "have the copy engine copy boxes of tensors, where there is one">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def SpecializeWarps : Pass<"gpu-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "have warps of their own ask for the boxes of a kernel's loops";
  let description = [{
    In kernels with `tl.range(warp_specialize=True)`, and where it pays. What the boxes follow from becomes a program of its own, `gpu.beside`; slots of rings are
    handed over by signals, `gpu.await_release` and `gpu.release`, and the warps that compute need not meet for them.
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false", "whether the kernel asks for it or not, and whether it pays or not">,
    Option<"keepsRegisters", "keeps-registers", "bool", /*default=*/"false", "all threads have as many registers">];
  let dependentDialects = ["::tilewise::gpu::GpuDialect", "::mlir::scf::SCFDialect"];
}

def PipelineLoops : Pass<"gpu-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "let copies into rings run ahead of what uses them";
  let description = [{
    In loops with `gpu.ahead` the copies for a later iteration begin in an earlier one, and those of the first iterations before the loop. A
    multiplication into sums that the loop carries is waited for one iteration later. With `gpu.ahead = 0` others see to the copies.
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
  let summary = "give ops that work through shared memory the offset of their scratch";
  let description = [{
    Each op that needs scratch (SharedScratch.h) gets `gpu.shared`, its offset in bytes, and the module `gpu.shared_bytes`.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def InsertBarriers : Pass<"gpu-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "put barriers between uses of one place in memory";
  let description = [{
    Threads of a program run apart. A `gpu.barrier` goes where one op reads shared scratch that a later one writes, and where accesses to global
    memory may meet at one element from different threads.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def CheckBarriers : Pass<"gpu-check-barriers", "::mlir::ModuleOp"> {
  let summary = "check that no two threads meet in memory without a barrier between them";
  let description = [{
    Independently of `gpu-insert-barriers`: from each read and write, all are looked at that can be reached without passing a barrier. What trips this
    is a mistake of ours, not of the kernel.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def PlanResidency : Pass<"gpu-plan-residency", "::mlir::ModuleOp"> {
  let summary = "say how many programs should at least share a multiprocessor";
  let description = [{
    Kernels that only move memory, with few registers at one time, get `gpu.min_programs`, by which the assembler keeps them within 64 registers;
    those with more than a thread has, and those with dots, get one program, so that as much as possible stays in registers.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def VerifyStage : Pass<"gpu-verify-stage", "::mlir::ModuleOp"> {
  let summary = "check what a GPU engine's stage promises";
  let description = [{
    Every block has a layout, every op knows how to work in the ones it meets, and has its scratch. What trips this is a mistake of ours, not of
    the kernel.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect"];
}

def ToLlvm : Pass<"gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "laid-out blocks => one thread's registers, in the LLVM dialect";
  let description = [{
    A block becomes the registers that one thread holds of it, in order. The module's machine says which instructions there are.
  }];
  let dependentDialects = ["::tilewise::gpu::GpuDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif
