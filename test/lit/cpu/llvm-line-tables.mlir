// RUN: %tilewise-opt --llvm-line-tables --mlir-print-debuginfo %s | FileCheck %s
// RUN: %tilewise emit --stage=llvm --line-tables %S/Inputs/calls.py:kernel --target=cpu:x86-64-v3 --signature "*fp32:16,1024" | FileCheck %s --check-prefix=LLVM
// RUN: %tilewise emit --stage=llvm %S/Inputs/calls.py:kernel --target=cpu:x86-64-v3 --signature "*fp32:16,1024" | FileCheck %s --check-prefix=PLAIN

// The kernel is a scope, and so is each function that it calls; places are in these scopes.
// CHECK-DAG: [[FILE:#di_file[0-9]*]] = #llvm.di_file<"k.py" in "">
// CHECK-DAG: [[KERNEL:#di_subprogram[0-9]*]] = #llvm.di_subprogram<{{.*}}name = "kernel"{{.*}}line = 8
// CHECK-DAG: [[CALLED:#di_subprogram[0-9]*]] = #llvm.di_subprogram<{{.*}}name = "inlined"{{.*}}line = 3
// CHECK-DAG: [[AT:#loc[0-9]*]] = loc("k.py":3:12)
// CHECK-DAG: [[CALL:#loc[0-9]*]] = loc("k.py":9:5)
// CHECK-DAG: [[SCOPED:#loc[0-9]*]] = loc(fused<[[CALLED]]>{{\[}}[[AT]]])
// CHECK-DAG: loc(callsite([[SCOPED]] at [[CALL]]))
// CHECK-DAG: loc(fused<[[KERNEL]]>
llvm.func @kernel(%p: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i32) : i32 loc(callsite(fused<7 : i32>["k.py":3:12] at "k.py":9:5))
  llvm.store %one, %p : i32, !llvm.ptr loc("k.py":10:5)
  llvm.return
} loc("k.py":8:1)

// Names come from the texts; what the library's tl.sum does is at the line that calls it.
// LLVM-DAG: [[K:![0-9]+]] = distinct !DISubprogram(name: "kernel"{{.*}}line: 12
// LLVM-DAG: [[S:![0-9]+]] = distinct !DISubprogram(name: "square"{{.*}}line: 7
// LLVM-DAG: [[C:![0-9]+]] = !DILocation(line: 14, column: 9, scope: [[K]])
// LLVM-DAG: !DILocation(line: 8, column: {{[0-9]+}}, scope: [[S]], inlinedAt: [[C]])
// LLVM-DAG: !DILocation(line: 15, column: {{[0-9]+}}, scope: [[K]])
// LLVM-NOT: stdlib
// PLAIN-NOT: !DILocation
