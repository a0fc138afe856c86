// One program of the GPU does several programs of a kernel, one after the other.
//
// A GPU begins a program when another one has ended. Where one fills a multiprocessor, nothing is
// copied while it stores its last sums, and nothing is multiplied while the next one's first boxes
// are on their way: a tenth of the time of a matmul with K = 1024. So as many programs are launched
// as there are multiprocessors, and each goes through the kernel's own:
//
//     func.func @matmul(.., %x: i32, %y: i32, %z: i32)       the grid that was asked for
//       scf.for %turn = 0 to .. {
//         the kernel, for program (n mod x, n / x mod y, n / (x * y))
//       } {gpu.programs}
//
// With warps of their own for copies (SpecializeWarps.cpp) the next program's first boxes are there
// when it begins. Programs have no order among each other, so that no barrier is needed between the
// stores of one and of the next.
//
// Who does which program is settled before. Every other turn goes backwards, as an ox ploughs; of
// 12 programs on 4 multiprocessors:
//
//     turn 0     0  1  2  3
//     turn 1     7  6  5  4
//     turn 2     8  9 10 11
//
// So the work is even where it grows with the program's number, as in causal attention, too. Loops
// whose bounds are in memory are against it: nobody knows how even they are. And no program may
// wait for another, or tell the host anything.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tilewise::gpu {

/// Empty when the kernel's programs can be repeated. The kernel has its rings, gpu-place-copies.
std::string whyNotRepeated(mlir::func::FuncOp kernel);
void repeatPrograms(mlir::func::FuncOp kernel);

} // namespace tilewise::gpu
