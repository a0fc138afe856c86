// What the GPU room asks of a vendor: facts that layouts and scratch are planned with, and the
// instructions of one thread.
//
// Everything in target/gpu works on blocks spread over registers, lanes and warps, and names no
// vendor. Where an answer differs from one GPU to the next it asks the module's Machine. A vendor's
// room implements this class, and registers a maker for its name:
//
//     module attributes {gpu.machine = "nvidia:90"}    ->    machineOf(module): the machine of that name
//
// so that every pass can be run alone on IR that says which machine it is for.
#pragma once

#include "ir/Tile.h"
#include "target/gpu/Gpu.h"
#include "target/gpu/MatrixInstruction.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewise::gpu {

class Lowering;
using Registers = llvm::SmallVector<mlir::Value>;

enum class ShuffleMode {
  Xor,  ///< From lane `this ^ source`.
  Index ///< From lane `source`.
};

/// How an access to global memory is asked for, beyond its address.
struct AccessHints {
  tile::CacheModifier cache = tile::CacheModifier::none;
  tile::Eviction eviction = tile::Eviction::normal;
  bool isVolatile = false;
};

/// How the operands of a dot, left and right, lie in memory: whether neighbours follow each other
/// along k. Not of one that is computed.
struct OperandWalks {
  bool leftAlongK = false, rightAlongK = false;
};

/// A box of a tensor and where it goes in shared memory: its first coordinate along each dimension.
struct BoxCopy {
  mlir::Value shared;
  llvm::SmallVector<mlir::Value> at;
};

struct MatrixChoice {
  std::string name; ///< Of the instruction; empty: there is none.
  /// What keeps the dot from a faster one, and what would not; empty for the fastest.
  std::string why;
  /// Operands of 8-bit floats are not converted first.
  bool takesNarrow = false;
  /// It multiplies the transposed right operand by the transposed left one, and gives the sums
  /// transposed.
  bool transposes = false;
};

class Machine {
public:
  virtual ~Machine() = default;

  // What passes ask.

  /// "nvidia:90"
  virtual std::string name() const = 0;
  /// log2 of the lanes of a warp.
  virtual unsigned laneBits() const = 0;
  virtual unsigned maxWarps() const = 0;
  /// Dynamic shared memory that one program may have, in bytes.
  virtual unsigned sharedLimit() const = 0;
  unsigned lanes() const { return 1u << laneBits(); }
  /// What a dot is best multiplied by, by so many warps.
  virtual MatrixChoice matrixInstructionFor(tile::DotOp dot, OperandWalks walks, unsigned warps) const = 0;
  virtual std::optional<MatrixInstruction> matrixInstruction(llvm::StringRef name) const = 0;
  /// Whether an asynchronous instruction can read this tile as its left (0) or right (1) operand.
  virtual bool canMultiply(const MatrixInstruction &instruction, TileType tile, unsigned index) const = 0;
  /// Whether there is `loadMatrices`.
  virtual bool hasMatrixLoads() const = 0;
  /// And `storeMatrices`.
  virtual bool hasMatrixStores() const = 0;
  /// Whether one thread can copy so many bytes from global to shared memory without waiting.
  virtual bool canCopyAsync(unsigned bytes) const = 0;
  /// Whether there is an engine that copies boxes of tensors.
  virtual bool hasBoxCopies() const = 0;
  /// Warps that a program needs beside those that compute, to have one of them ask for boxes; 0
  /// where that cannot be.
  virtual unsigned warpsBeside() const = 0;
  /// How the registers of a program's threads are best shared out between such warps and the
  /// `warps` that compute; nothing where all may have as many as a thread can have.
  struct RegisterShares {
    unsigned beside, rest;
  };
  virtual std::optional<RegisterShares> registerShares(unsigned warps) const = 0;
  /// How many programs of so many warps a multiprocessor has registers for, where a thread has this
  /// many.
  virtual unsigned programsByRegisters(unsigned warps, unsigned registers) const = 0;

  // The instructions of one thread, at the lowering's insertion point. Values are registers: see
  // Lowering::registerType.

  virtual void markKernel(mlir::LLVM::LLVMFuncOp function) const = 0;
  virtual mlir::Value threadIndex(Lowering &on) const = 0;
  virtual mlir::Value programId(Lowering &on, unsigned axis) const = 0;
  virtual mlir::Value numPrograms(Lowering &on, unsigned axis) const = 0;
  /// All threads of the program meet, or the first `threads` of them; what they wrote to shared and
  /// global memory before is seen by all after.
  virtual void barrier(Lowering &on, std::optional<unsigned> threads) const = 0;
  /// The lanes of a warp meet; what they wrote to shared memory before is seen by all of them
  /// after.
  virtual void warpBarrier(Lowering &on) const = 0;
  /// From here on the threads of these warps have so many registers.
  virtual void takeRegisters(Lowering &on, unsigned registers, bool areMore) const = 0;
  /// A 32-bit word of another lane. All lanes of the warp take part.
  virtual mlir::Value shuffle(Lowering &on, mlir::Value word, ShuffleMode mode, mlir::Value source) const = 0;

  /// Neighbours in memory that start at `pointer`, as one access; `others` where `enabled` is false
  /// (null: it never is).
  virtual Registers load(Lowering &on, mlir::Type element, AccessHints hints, mlir::Value pointer, mlir::Value enabled,
                         llvm::ArrayRef<mlir::Value> others) const = 0;
  virtual void store(Lowering &on, mlir::Type element, AccessHints hints, mlir::Value pointer, mlir::Value enabled,
                     llvm::ArrayRef<mlir::Value> values) const = 0;
  /// The old value; unspecified where `enabled` is false. Null, with the error reported, when there
  /// is no such instruction.
  virtual mlir::Value atomicRmw(Lowering &on, tile::AtomicRmwOp op, mlir::Value pointer, mlir::Value value,
                                mlir::Value enabled) const = 0;
  virtual mlir::Value atomicCas(Lowering &on, tile::AtomicCasOp op, mlir::Value pointer, mlir::Value expected,
                                mlir::Value value, mlir::Value enabled) const = 0;
  /// Adds to a 32-bit integer in shared memory, in one step, where `enabled` is true.
  virtual void addShared(Lowering &on, mlir::Value address, mlir::Value value, mlir::Value enabled) const = 0;

  /// C + A B of one tile: the registers of each in the order of the instruction's layouts. All
  /// lanes of the warp take part.
  virtual Registers multiply(Lowering &on, const MatrixInstruction &instruction, llvm::ArrayRef<mlir::Value> a,
                             llvm::ArrayRef<mlir::Value> b, llvm::ArrayRef<mlir::Value> c) const = 0;

  /// A word of 32 bits of each of 1, 2 or 4 matrices in shared memory, as MatrixAccess.h says. All
  /// lanes of the warp take part.
  virtual Registers loadMatrices(Lowering &on, mlir::Value address, unsigned matrices, bool across) const = 0;
  /// The way back: a word for each matrix.
  virtual void storeMatrices(Lowering &on, mlir::Value address, llvm::ArrayRef<mlir::Value> words,
                             bool across) const = 0;

  // Copies from global to shared memory that go on behind the thread's back, in groups, and matrix
  // instructions that do.

  /// `bytes` from `pointer` to `shared`, an address; zeros when `mask` is false (null: it never
  /// is). Nothing when `enabled` is false.
  virtual void copyAsync(Lowering &on, mlir::Value shared, mlir::Value pointer, unsigned bytes, mlir::Value mask,
                         mlir::Value enabled) const = 0;
  virtual void commitCopies(Lowering &on) const = 0;
  /// Of this thread's groups all but the last `pending` have arrived.
  virtual void waitForCopies(Lowering &on, unsigned pending) const = 0;
  // A copy engine: it fills shared memory from a box of a tensor, then gives a signal.

  /// The map that an argument of the kernel is, as `copyBoxes` takes it.
  virtual mlir::Value tensorMap(Lowering &on, unsigned argument) const = 0;
  /// By the thread where `enabled` is true. The signal is given when `givers` have given it; one
  /// who tells it of bytes gives it when so many have come.
  virtual void makeSignal(Lowering &on, mlir::Value signal, unsigned givers, mlir::Value enabled) const = 0;
  /// The warp gives the signal; all lanes take part.
  virtual void giveSignal(Lowering &on, mlir::Value signal, mlir::Value enabled) const = 0;
  /// Tells the signal of so many bytes, those of all boxes, and has the engine copy them. All lanes
  /// of the warp take part, and `enabled` is the same for them; null: it is true.
  virtual void copyBoxes(Lowering &on, mlir::Value map, llvm::ArrayRef<BoxCopy> boxes, mlir::Value signal,
                         unsigned bytes, mlir::Value enabled) const = 0;
  /// Until the signal has been given for the `half`-th (0 or 1) time, modulo 2.
  virtual void awaitSignal(Lowering &on, mlir::Value signal, mlir::Value half, mlir::Value enabled) const = 0;

  /// What this thread has written to shared memory is seen by matrix instructions, and by the copy
  /// engine, that begin after the next barrier.
  virtual void publishShared(Lowering &on) const = 0;
  /// Begins to multiply tiles: all that the op's warps do, as one group. `a` is a tile's address or
  /// the registers of a block.
  virtual Registers multiplyAsync(Lowering &on, MmaOp op, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                                  llvm::ArrayRef<mlir::Value> c) const = 0;
  virtual Registers waitForMultiplies(Lowering &on, unsigned pending, llvm::ArrayRef<mlir::Value> sums) const = 0;

  /// The calling thread has the host print a line when it next waits for the GPU. `format` is C's;
  /// `values` are of 32 or 64 bits, floats of 64.
  virtual void print(Lowering &on, llvm::StringRef format, llvm::ArrayRef<mlir::Value> values) const = 0;
  /// The calling thread ends the launch: whoever waits for it is told that it failed. Does not
  /// return.
  virtual void endLaunch(Lowering &on, llvm::StringRef message, llvm::StringRef file, unsigned line) const = 0;

  /// One element of an op on floats: arithmetic, comparison, conversion, function. Null, with the
  /// error reported, when there is none.
  virtual mlir::Value floatOp(Lowering &on, mlir::Operation *op, mlir::ValueRange operands) const = 0;
  virtual mlir::Value convertFloat(Lowering &on, mlir::Value value, mlir::Type from, mlir::Type to) const = 0;
  /// One element of a call of the mathematics library; as above.
  virtual mlir::Value libraryCall(Lowering &on, tile::ExternCallOp op, mlir::ValueRange operands) const = 0;
  /// Machine text on `op.getPack()` elements: operands and results element by element within each
  /// operand; false, with the error reported, when it cannot be.
  virtual bool inlineAssembly(Lowering &on, tile::InlineAsmOp op, mlir::ValueRange operands,
                              llvm::SmallVectorImpl<mlir::Value> &results) const = 0;
};

using MachineMaker = std::unique_ptr<Machine> (*)(llvm::StringRef model);
/// `vendor:model` names a machine from now on. Registering one twice changes nothing.
void registerMachine(llvm::StringRef vendor, MachineMaker make);
/// Null when nobody makes such a machine.
std::unique_ptr<Machine> makeMachine(llvm::StringRef name);
/// The machine that a module is compiled for, by its attribute `gpu.machine`; null when it names
/// none.
std::unique_ptr<Machine> machineOf(mlir::ModuleOp module);

} // namespace tilewise::gpu
