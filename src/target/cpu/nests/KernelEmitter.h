// What all parts of the CPU lowering share while one kernel is rewritten: the new function, its
// scratch, and where each value went.
//
// The CPU stage is `scf` loops over `arith`, `math` and `vector` ops on scalars and one-dimensional
// vectors, with LLVM's pointer ops for memory (`llvm.load` of a vector, `llvm.intr.masked.load`,
// ...). Global memory and scratch are both plain `!llvm.ptr`: nothing of what a memref carries is
// known better than the access inference knows it, and the conversion to LLVM has nothing left to
// convert there. Indices are i64, never `index`.
#pragma once

#include "ir/Tile.h"
#include "passes/AccessInference.h"
#include "target/cpu/Machine.h"
#include "target/cpu/Storage.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"

#include <array>

namespace tilewise::cpu {

/// Scratch that holds a block: element (i0, i1, ..) lies `offset + sum i_d * strides[d] * size`
/// bytes into the thread's arena.
struct Buffer {
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> shape, strides;
  mlir::Type element; ///< As in the block's type.

  bool operator==(const Buffer &other) const { return offset == other.offset && element == other.element; }
};

class KernelEmitter {
public:
  KernelEmitter(mlir::func::FuncOp source, const Machine &machine, tile::AccessInference &inference)
      : b(source.getContext()), machine(machine), inference(inference), source(source) {}

  mlir::OpBuilder b;
  Machine machine;
  tile::AccessInference &inference;
  mlir::func::FuncOp source;

  /// Scalars of the source -> scalars of the CPU stage. A block carried as one scalar (see
  /// CarriedBlock) is here, too.
  mlir::IRMapping scalars;
  /// Blocks that live in scratch.
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  /// Where each `cpu.scratch` is.
  llvm::DenseMap<mlir::Value, Buffer> rooms;

  mlir::Value arguments, scratch;
  mlir::Value programIds[3], programCounts[3];
  mlir::scf::ForOp programLoop;
  std::array<int, 3> programOrder{0, 1, 2}; ///< Axes of the grid, fastest first, see WalkOrder.h.
  mlir::Value nextProgramIds[3];            ///< Null until asked for, see Prefetch.h.
  int64_t scratchBytes = 0;
  /// i1: the launch writes more than the caches hold. Null where stores must not pass them by, see
  /// Streaming.h.
  mlir::Value streams;
  bool hasStreamed = false; ///< Some nest asked `streams`.
  /// i1: nobody else updates memory meanwhile (runtime/Alone.h). Null where others matter.
  mlir::Value alone;
  /// The first failure; the pass reports it where it happened and stops.
  bool failed = false;
  mlir::Value recordSlot = {};

  /// `rowPadding` elements lie unused between the rows of a matrix.
  Buffer allocate(llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t rowPadding = 0);
  /// What cannot happen did.
  mlir::Value fail(mlir::Operation *op, const llvm::Twine &message);
  /// The kernel holds what this engine cannot run.
  mlir::Value refuse(mlir::Operation *op, llvm::StringRef detail = "");

  mlir::Value i64(mlir::Location loc, int64_t value);
  mlir::Value zeroOf(mlir::Location loc, mlir::Type type);
  mlir::Value offsetPointer(mlir::Location loc, mlir::Value pointer, mlir::Value bytes);
  mlir::Value bufferPointer(mlir::Location loc, const Buffer &buffer);
  /// The value of an expression over scalars, in 64 bits.
  mlir::Value evaluate(mlir::Location loc, const tile::ScalarExpr &expr);
  /// One element from memory, in its CPU-stage type; the vector forms are in NestMemory.cpp.
  mlir::Value loadScalar(mlir::Location loc, mlir::Type element, mlir::Value pointer);
  void storeScalar(mlir::Location loc, mlir::Type element, mlir::Value value, mlir::Value pointer);

  /// Applies an op that works element by element (of arith, math or tile) to operands that are all
  /// scalars or all vectors of one length. Total ops get their guards here. Null, after a report,
  /// when the op is unknown.
  mlir::Value applyElementwise(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  /// Applies the combine region of a tile.reduce or tile.scan in the same way.
  llvm::SmallVector<mlir::Value> applyCombine(mlir::Operation *reduction, llvm::ArrayRef<mlir::Value> left,
                                              llvm::ArrayRef<mlir::Value> right);

  /// The launch's record, see HostCalls.h; asked for, it becomes a slot of the arguments.
  mlir::Value record();
  /// Functions of tile IR for the reference engine, see emit/EmitDelegated.cpp; null: none.
  mlir::OwningOpRef<mlir::ModuleOp> delegated;

  /// The first element of a block of this form: a pointer or an integer.
  mlir::Value firstElement(mlir::Location loc, const tile::AffineForm &form, mlir::Type element);

  /// Emits an op of the source that has neither blocks nor regions; or a choice of blocks known by
  /// their first elements.
  void emitScalarOp(mlir::Operation *op);
};

} // namespace tilewise::cpu
