// The program ops: round trip, and an axis outside the grid is refused.
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics | %tilewise-opt | FileCheck %s

// CHECK-LABEL: func.func @where
func.func @where() -> i32 {
  // CHECK: %[[ID:.*]] = tile.program_id 0
  // CHECK: %[[COUNT:.*]] = tile.num_programs 2
  %id = tile.program_id 0
  %count = tile.num_programs 2
  // CHECK: arith.addi %[[ID]], %[[COUNT]] : i32
  %sum = arith.addi %id, %count : i32
  return %sum : i32
}

// -----

func.func @outside() -> i32 {
  // expected-error @+1 {{attribute 'axis' failed to satisfy constraint}}
  %id = tile.program_id 3
  return %id : i32
}
