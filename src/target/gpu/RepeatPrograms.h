// One program of the GPU does several programs of a kernel, one after the other.
//
// A GPU begins a program when another one has ended. Where one fills a multiprocessor, nothing is
// copied while it stores its last sums, and nothing is multiplied while the next one's first boxes
// are on their way: a tenth of the time of a matmul with K = 1024. So as many programs are launched
// as there are multiprocessors, and each goes through the kernel's own:
//
//     func.func @matmul(.., %x: i32, %y: i32, %z: i32)       the grid that was asked for
//       scf.for %n = program_id 0 to x * y * z step num_programs 0 {
//         the kernel, for program (n mod x, n / x mod y, n / (x * y))
//       } {gpu.programs}
//
// With warps of their own for copies (SpecializeWarps.cpp) the next program's first boxes are there
// when it begins. Programs have no order among each other, so that no barrier is needed between the
// stores of one and of the next.
//
// All programs must take about as long, since who does which is settled before: loops whose bounds
// follow from the program's number, or from memory, are against it. And no program may wait for
// another, or tell the host anything.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilewise::gpu {

/// Empty when the kernel's programs can be repeated. The kernel has its rings, gpu-place-copies.
std::string whyNotRepeated(mlir::func::FuncOp kernel);
void repeatPrograms(mlir::func::FuncOp kernel);

} // namespace tilewise::gpu
