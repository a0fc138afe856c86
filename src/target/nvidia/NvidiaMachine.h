// The GPU room's Machine for NVIDIA GPUs: PTX, instruction by instruction.
#pragma once

#include "target/gpu/Lowering.h"
#include "target/gpu/MatrixInstruction.h"

namespace tilewise::nvidia {

class NvidiaMachine : public gpu::Machine {
public:
  /// A compute capability such as 90.
  explicit NvidiaMachine(unsigned capability) : capability(capability) {}
  /// "nvidia:90"
  static std::string nameFor(unsigned capability) { return "nvidia:" + std::to_string(capability); }
  /// Makes "nvidia:..." known to the GPU room's passes.
  static void registerMaker();

  // NvidiaMachine.cpp
  std::string name() const override { return nameFor(capability); }
  unsigned laneBits() const override { return 5; }
  unsigned maxWarps() const override { return 32; }
  unsigned sharedLimit() const override;
  void markKernel(mlir::LLVM::LLVMFuncOp function) const override;
  mlir::Value threadIndex(gpu::Lowering &on) const override;
  mlir::Value programId(gpu::Lowering &on, unsigned axis) const override;
  mlir::Value numPrograms(gpu::Lowering &on, unsigned axis) const override;
  void barrier(gpu::Lowering &on, std::optional<unsigned> threads) const override;
  void warpBarrier(gpu::Lowering &on) const override;
  mlir::Value shuffle(gpu::Lowering &on, mlir::Value word, gpu::ShuffleMode mode, mlir::Value source) const override;
  // Access.cpp
  gpu::Registers load(gpu::Lowering &on, mlir::Type element, gpu::AccessHints hints, mlir::Value pointer,
                      mlir::Value enabled, llvm::ArrayRef<mlir::Value> others) const override;
  void store(gpu::Lowering &on, mlir::Type element, gpu::AccessHints hints, mlir::Value pointer, mlir::Value enabled,
             llvm::ArrayRef<mlir::Value> values) const override;
  // Atomics.cpp
  mlir::Value atomicRmw(gpu::Lowering &on, tile::AtomicRmwOp op, mlir::Value pointer, mlir::Value value,
                        mlir::Value enabled) const override;
  mlir::Value atomicCas(gpu::Lowering &on, tile::AtomicCasOp op, mlir::Value pointer, mlir::Value expected,
                        mlir::Value value, mlir::Value enabled) const override;
  void addShared(gpu::Lowering &on, mlir::Value address, mlir::Value value, mlir::Value enabled) const override;
  // Floats.cpp
  mlir::Value floatOp(gpu::Lowering &on, mlir::Operation *op, mlir::ValueRange operands) const override;
  mlir::Value convertFloat(gpu::Lowering &on, mlir::Value value, mlir::Type from, mlir::Type to) const override;
  mlir::Value toFloat(gpu::Lowering &on, mlir::Value value,
                      mlir::Type from) const; ///< f16, bf16 -> f32, exactly; others stay.
  mlir::Value fromFloat(gpu::Lowering &on, mlir::Value value,
                        mlir::Type to) const; ///< f32 -> f16, bf16, to nearest even; others stay.
  // Math.cpp
  mlir::Value mathOp(gpu::Lowering &on, mlir::Operation *op, mlir::ValueRange x) const;
  // LibdeviceCalls.cpp
  mlir::Value libraryCall(gpu::Lowering &on, tile::ExternCallOp op, mlir::ValueRange operands) const override;
  /// A function of the device library by libdevice's symbol, such as "sinf".
  mlir::Value callLibrary(gpu::Lowering &on, llvm::StringRef symbol, mlir::Type result,
                          mlir::ValueRange operands) const;
  // Mma.cpp
  gpu::MatrixChoice matrixInstructionFor(tile::DotOp dot, gpu::OperandWalks walks, unsigned warps) const override;
  std::optional<gpu::MatrixInstruction> matrixInstruction(llvm::StringRef name) const override;
  gpu::Registers multiply(gpu::Lowering &on, const gpu::MatrixInstruction &instruction, llvm::ArrayRef<mlir::Value> a,
                          llvm::ArrayRef<mlir::Value> b, llvm::ArrayRef<mlir::Value> c) const override;
  // Matrices.cpp
  bool hasMatrixLoads() const override { return true; }
  bool hasMatrixStores() const override { return capability >= 90; }
  gpu::Registers loadMatrices(gpu::Lowering &on, mlir::Value address, unsigned matrices, bool across) const override;
  void storeMatrices(gpu::Lowering &on, mlir::Value address, llvm::ArrayRef<mlir::Value> words,
                     bool across) const override;
  // Wgmma.cpp
  bool canMultiply(const gpu::MatrixInstruction &instruction, gpu::TileType tile, unsigned index) const override;
  gpu::Registers multiplyAsync(gpu::Lowering &on, gpu::MmaOp op, llvm::ArrayRef<mlir::Value> a, mlir::Value b,
                               llvm::ArrayRef<mlir::Value> c) const override;
  gpu::Registers waitForMultiplies(gpu::Lowering &on, unsigned pending,
                                   llvm::ArrayRef<mlir::Value> sums) const override;
  // AsyncCopies.cpp
  bool canCopyAsync(unsigned bytes) const override;
  void copyAsync(gpu::Lowering &on, mlir::Value shared, mlir::Value pointer, unsigned bytes, mlir::Value mask,
                 mlir::Value enabled) const override;
  void commitCopies(gpu::Lowering &on) const override;
  void waitForCopies(gpu::Lowering &on, unsigned pending) const override;
  void publishShared(gpu::Lowering &on) const override;
  // BoxCopies.cpp
  bool hasBoxCopies() const override { return capability >= 90; }
  unsigned warpsBeside() const override;
  std::optional<RegisterShares> registerShares(unsigned warps) const override;
  unsigned programsByRegisters(unsigned warps, unsigned registers) const override;
  void takeRegisters(gpu::Lowering &on, unsigned registers, bool areMore) const override;
  mlir::Value tensorMap(gpu::Lowering &on, unsigned argument) const override;
  void makeSignal(gpu::Lowering &on, mlir::Value signal, unsigned givers, mlir::Value enabled) const override;
  void giveSignal(gpu::Lowering &on, mlir::Value signal, mlir::Value enabled) const override;
  void copyBoxes(gpu::Lowering &on, mlir::Value map, llvm::ArrayRef<gpu::BoxCopy> boxes, mlir::Value signal,
                 unsigned bytes, mlir::Value enabled) const override;
  void awaitSignal(gpu::Lowering &on, mlir::Value signal, mlir::Value half, mlir::Value enabled) const override;
  // HostCalls.cpp
  void print(gpu::Lowering &on, llvm::StringRef format, llvm::ArrayRef<mlir::Value> values) const override;
  void endLaunch(gpu::Lowering &on, llvm::StringRef message, llvm::StringRef file, unsigned line) const override;
  // Assembly.cpp
  bool inlineAssembly(gpu::Lowering &on, tile::InlineAsmOp op, mlir::ValueRange operands,
                      llvm::SmallVectorImpl<mlir::Value> &results) const override;

  const unsigned capability;
};

} // namespace tilewise::nvidia
