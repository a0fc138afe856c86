// The sink that executes: each op runs at once on the reference engine, so that a kernel can be
// stepped through line by line.
//
// An op is run as a kernel of that one op: EmitTile builds it, the reference engine decodes it, and
// it is kept under a key of the op, its parameters and the types of its operands. So an op means
// here what it means in a compiled kernel; there is no second implementation.
//
//     x + y     key: binary AddFloat, fp32[64], fp32[64]
//               first time      func(a, b) { arith.addf a, b }  ->  one instruction and a frame with three buffers
//               every time      copy x and y into the frame, run the instruction, copy the result out
//
// Constants are made as they are: a loop's counter would need a kernel for each of its values. The
// function of a reduction, scan or map is the exception: its elements are many and its ops the same
// for all, so it is emitted into the one-op kernel's region. While that happens `emitter_` is set
// and every op goes there instead of being run.
#pragma once

#include "frontend/sema/OpSink.h"
#include "interpreter/OpKey.h"
#include "reference/Code.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

namespace tilewise::interpreter {

// The types in OpSink.def.
using frontend::AtomicOp;
using frontend::BinaryOp;
using frontend::CompareOp;
using frontend::ConvertOp;
using frontend::DotPrecision;
using frontend::DType;
using frontend::Promise;
using frontend::Type;
using frontend::UnaryOp;
using frontend::Value;

class Eager final : public frontend::OpSink {
public:
  Eager();
  ~Eager() override;

  /// Which program all that follows belongs to.
  void setProgram(std::array<uint32_t, 3> program, std::array<uint32_t, 3> grid);

  void setPrint(std::function<void(llvm::StringRef)> print) { launch_.print = std::move(print); }

  /// A pointer argument and the memory that it, and every pointer made from it, may touch: checked
  /// mode by another way than in compiled kernels, since each op is decoded alone. The argument a
  /// pointer comes from goes along with the value.
  Value makePointer(const Type &type, uint64_t address, std::string name, const ArgumentSpan &span);
  /// A value from the elements' bytes, one after another; a bool takes a byte.
  Value make(const Type &type, const void *bytes);
  static llvm::ArrayRef<std::byte> bytesOf(const Value &value);

  /// Values made since the mark are gone after release(), except those that somebody has retained
  /// and not yet dropped.
  struct Mark {
    size_t count;
  };
  Mark mark() const { return {values_.size()}; }
  void release(Mark mark);
  static void retain(const Value &value);
  static void drop(const Value &value);

  /// Pointers made so far touch what they like from now on.
  void forgetPointers();
  /// Whether all pointers among the values come from one argument.
  static bool haveOneOrigin(llvm::ArrayRef<Value> values);

  /// A kernel of a few ops, decoded.
  struct SmallKernel {
    reference::Code prologue, code;
    size_t frameBytes = 0;
    llvm::SmallVector<reference::Slot, 4> arguments;
    llvm::SmallVector<std::pair<Type, reference::Slot>, 2> results;
    std::optional<Failure> failure; ///< Why the engine cannot run it.
  };
  using Emit = llvm::function_ref<llvm::SmallVector<Value>(OpSink &, llvm::ArrayRef<Value>)>;
  /// The kernel of what `emit` does with values of the operands' types.
  std::unique_ptr<SmallKernel> decode(llvm::ArrayRef<Value> operands, Emit emit);
  llvm::SmallVector<Value> execute(const SmallKernel &kernel, llvm::ArrayRef<Value> operands);

  /// What happened since it was last cleared.
  struct Activity {
    size_t ops = 0;             ///< That were run.
    bool askedForValue = false; ///< A decision hung on a runtime value.
  };
  Activity activity;

  /// The first failure since the last call, as an access outside of a tensor: ops that follow one
  /// give zeros.
  std::optional<Failure> takeFailure() { return std::exchange(frame_.failure, std::nullopt); }

  void setProvenance(const frontend::Provenance &provenance) override;
  bool executes() const override { return !emitter_; }
  std::optional<llvm::APInt> known(const Value &scalar) override;
  Value constantInt(const Type &type, const llvm::APInt &bits) override;
  Value constantFloat(const Type &type, const llvm::APFloat &value) override;
  Value retype(const Value &operand, DType element) override;
#define TILEWISE_SINK_OP(RESULT, NAME, PARAMETERS, NAMES) RESULT NAME PARAMETERS override;
#include "frontend/sema/OpSink.def"

private:
  /// `key` names the op and its parameters; the operands' types are added here.
  Values run(OpKey key, ValueList operands, Emit emit);
  /// Any op of OpSink.def, as a kernel of that one op.
  template <typename Result, typename... Parameters>
  Result runOp(llvm::StringRef name, Result (OpSink::*op)(Parameters...), const std::decay_t<Parameters> &...arguments);
  /// The same for an op with a function in it. Nothing names the function, so the kernel serves
  /// once.
  template <typename... Parameters>
  MaybeValues runRegionOp(MaybeValues (OpSink::*op)(Parameters...), const std::decay_t<Parameters> &...arguments);

  /// Which argument the pointers among the operands come from, and so those among the results.
  static uint32_t originOf(llvm::ArrayRef<Value> operands);
  /// A constant of this element, given by its bits.
  Value filled(const Type &type, const llvm::APInt &bits);

  struct Buffer;
  Value allocate(const Type &type);

  mlir::MLIRContext context_;
  llvm::StringMap<std::unique_ptr<SmallKernel>> ops_;
  std::vector<Buffer *> values_;
  std::vector<std::byte> memory_; ///< Of the frame, as large as the largest op so far needs.
  reference::Frame frame_;
  reference::LaunchContext launch_;
  frontend::OpSink *emitter_ = nullptr;
  /// Where pointers come from; the first stands for those that come from nowhere known.
  std::vector<ArgumentSpan> spans_{ArgumentSpan()};
  std::vector<std::string> names_{""};
  uint32_t firstOrigin_ = 1; ///< That of spans_[1]; a lower one is forgotten.
};

} // namespace tilewise::interpreter
