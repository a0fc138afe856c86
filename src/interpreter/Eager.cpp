// The sink that executes: values, and ops as kernels of one op.
#include "interpreter/Eager.h"

#include "frontend/EmitTile.h"
#include "ir/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstring>

namespace tilewise::interpreter {

/// The elements follow in memory; malloc's alignment of 16 is that of two words.
struct Eager::Buffer {
  uint32_t holders, origin; ///< `origin`: of pointers, which of spans_ and names_ is theirs.
  size_t bytes;
  std::byte *data() { return reinterpret_cast<std::byte *>(this + 1); }
};

Eager::Eager() : context_(mlir::MLIRContext::Threading::DISABLED) {
  context_.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                       mlir::scf::SCFDialect>();
  frame_.grid = {1, 1, 1};
  launch_.print = reference::plainLaunch().print;
  frame_.launch = &launch_;
}

Eager::~Eager() { release({0}); }

void Eager::setProgram(std::array<uint32_t, 3> program, std::array<uint32_t, 3> grid) {
  frame_.program = program;
  frame_.grid = grid;
}

Value Eager::allocate(const Type &type) {
  size_t bytes = size_t(type.numElements()) * type.element.bytes();
  auto *buffer = static_cast<Buffer *>(std::malloc(sizeof(Buffer) + bytes));
  *buffer = {1, 0, bytes};
  values_.push_back(buffer);
  return {type, buffer};
}

Value Eager::retype(const Value &operand, frontend::DType element) {
  if (emitter_)
    return emitter_->retype(operand, element);
  Value value = make(operand.type.withElement(element), bytesOf(operand).data());
  static_cast<Buffer *>(value.handle)->origin = static_cast<Buffer *>(operand.handle)->origin;
  return value;
}

Value Eager::make(const Type &type, const void *bytes) {
  Value value = allocate(type);
  auto *buffer = static_cast<Buffer *>(value.handle);
  std::memcpy(buffer->data(), bytes, buffer->bytes);
  return value;
}

Value Eager::makePointer(const Type &type, uint64_t address, std::string name, const ArgumentSpan &span) {
  Value value = make(type, &address);
  static_cast<Buffer *>(value.handle)->origin = firstOrigin_ + uint32_t(spans_.size()) - 1;
  spans_.push_back(span);
  names_.push_back(std::move(name));
  return value;
}

void Eager::forgetPointers() {
  firstOrigin_ += uint32_t(spans_.size()) - 1;
  spans_.resize(1);
  names_.resize(1);
  frame_.process.forget();
}

Value Eager::filled(const Type &type, const llvm::APInt &bits) {
  Value value = allocate(type);
  auto *buffer = static_cast<Buffer *>(value.handle);
  uint64_t word = bits.getZExtValue();
  size_t bytes = type.element.bytes();
  for (size_t at = 0; at < buffer->bytes; at += bytes)
    std::memcpy(buffer->data() + at, &word, bytes);
  return value;
}

llvm::ArrayRef<std::byte> Eager::bytesOf(const Value &value) {
  auto *buffer = static_cast<Buffer *>(value.handle);
  return {buffer->data(), buffer->bytes};
}

void Eager::retain(const Value &value) { ++static_cast<Buffer *>(value.handle)->holders; }

void Eager::drop(const Value &value) {
  auto *buffer = static_cast<Buffer *>(value.handle);
  if (--buffer->holders == 0)
    std::free(buffer);
}

void Eager::release(Mark mark) {
  while (values_.size() > mark.count) {
    drop({{}, values_.back()});
    values_.pop_back();
  }
}

std::unique_ptr<Eager::SmallKernel> Eager::decode(llvm::ArrayRef<Value> operands, Emit emit) {
  mlir::OpBuilder builder(&context_);
  mlir::Location nowhere = builder.getUnknownLoc();
  llvm::SmallVector<mlir::Type> types;
  for (const Value &operand : operands)
    types.push_back(frontend::convertType(operand.type, &context_));
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(nowhere));
  builder.setInsertionPointToEnd(module->getBody());
  auto function = builder.create<mlir::func::FuncOp>(nowhere, "op", builder.getFunctionType(types, {}));
  mlir::Block *body = function.addEntryBlock();
  llvm::SmallVector<Value> arguments;
  for (auto [operand, argument] : llvm::zip(operands, body->getArguments()))
    arguments.push_back(frontend::EmitTile::wrap(operand.type, argument));

  llvm::SmallVector<Value> results;
  {
    frontend::EmitTile sink(body);
    emitter_ = &sink;
    results = emit(sink, arguments);
    emitter_ = nullptr;
  }
  // Decoding may put other ops in the place of one: the terminator knows what the results are then.
  llvm::SmallVector<mlir::Value> returned(llvm::map_range(results, frontend::EmitTile::unwrap));
  auto end = mlir::OpBuilder::atBlockEnd(body).create<mlir::func::ReturnOp>(nowhere, returned);

  auto op = std::make_unique<SmallKernel>();
  reference::Decoder decoder;
  for (mlir::BlockArgument argument : body->getArguments())
    op->arguments.push_back(decoder.slotOf(argument));
  Result<reference::Code> code = decoder.decode(*body);
  for (auto [result, value] : llvm::zip(results, end.getOperands()))
    op->results.emplace_back(result.type, decoder.slotOf(value));
  if (!code) {
    op->failure = code.takeFailure();
    return op;
  }
  op->code = std::move(*code);
  op->prologue = std::move(decoder.prologue);
  op->frameBytes = decoder.frameBytes();
  return op;
}

uint32_t Eager::originOf(llvm::ArrayRef<Value> operands) {
  std::optional<uint32_t> origin;
  for (const Value &operand : operands)
    if (operand.type.element.isPointer()) {
      uint32_t own = static_cast<Buffer *>(operand.handle)->origin;
      // A choice between two arguments' pointers is nobody's.
      origin = !origin || *origin == own ? own : 0;
    }
  return origin.value_or(0);
}

bool Eager::haveOneOrigin(llvm::ArrayRef<Value> values) {
  std::optional<uint32_t> origin;
  return llvm::all_of(values, [&](const Value &value) {
    uint32_t own = static_cast<Buffer *>(value.handle)->origin;
    if (!value.type.element.isPointer())
      return true;
    bool same = !origin || *origin == own;
    origin = own;
    return same;
  });
}

llvm::SmallVector<Value> Eager::execute(const SmallKernel &op, llvm::ArrayRef<Value> operands) {
  ++activity.ops;
  // Buffers start at multiples of a cache line, and so must the frame.
  constexpr size_t kLine = 64;
  if (op.failure && !frame_.failure)
    frame_.failure = op.failure;
  if (memory_.size() < op.frameBytes + kLine)
    memory_.assign(op.frameBytes + kLine, std::byte(0));
  frame_.memory = memory_.data() + (kLine - reinterpret_cast<uintptr_t>(memory_.data()) % kLine) % kLine;
  for (auto [slot, operand] : llvm::zip(op.arguments, operands)) {
    llvm::ArrayRef<std::byte> bytes = bytesOf(operand);
    std::memcpy(frame_.at<std::byte>(slot), bytes.data(), bytes.size());
  }
  uint32_t origin = originOf(operands);
  // An access has its pointers first.
  size_t known = origin < firstOrigin_ ? 0 : origin - firstOrigin_ + 1;
  known = known < spans_.size() ? known : 0;
  launch_.spans = spans_[known];
  launch_.names = names_[known];
  bool ran = !frame_.failure && op.prologue.run(frame_) && op.code.run(frame_);
  llvm::SmallVector<Value> results;
  for (const auto &[type, slot] : op.results) {
    Value result = allocate(type);
    auto *buffer = static_cast<Buffer *>(result.handle);
    buffer->origin = type.element.isPointer() ? origin : 0;
    if (ran)
      std::memcpy(buffer->data(), frame_.at<std::byte>(slot), buffer->bytes);
    else
      std::memset(buffer->data(), 0, buffer->bytes);
    results.push_back(std::move(result));
  }
  return results;
}

llvm::SmallVector<Value> Eager::run(OpKey key, llvm::ArrayRef<Value> operands, Emit emit) {
  if (emitter_)
    return emit(*emitter_, operands);
  for (const Value &operand : operands)
    key.add(operand.type);
  std::unique_ptr<SmallKernel> &op = ops_[key.bytes()];
  if (!op)
    op = decode(operands, emit);
  return execute(*op, operands);
}

std::optional<llvm::APInt> Eager::known(const Value &scalar) {
  if (emitter_)
    return emitter_->known(scalar);
  activity.askedForValue = true;
  uint64_t word = 0;
  llvm::ArrayRef<std::byte> bytes = bytesOf(scalar);
  std::memcpy(&word, bytes.data(), bytes.size());
  return llvm::APInt(64, word).trunc(scalar.type.element.bits());
}

void Eager::setProvenance(const frontend::Provenance &provenance) {
  if (emitter_)
    emitter_->setProvenance(provenance);
}

} // namespace tilewise::interpreter
