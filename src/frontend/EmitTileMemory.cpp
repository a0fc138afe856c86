// The sink that builds tile IR: loads, stores, atomics, promises, what comes from outside, and what
// a person sees.
#include "frontend/EmitTile.h"

#include "ir/Tile.h"

using namespace mlir;

namespace tilewise::frontend {

static tile::CacheModifier modifierOf(CacheModifier cache) {
  static constexpr tile::CacheModifier modifiers[] = {
      tile::CacheModifier::none, tile::CacheModifier::ca, tile::CacheModifier::cg, tile::CacheModifier::cs,
      tile::CacheModifier::cv,   tile::CacheModifier::wb, tile::CacheModifier::wt};
  return modifiers[size_t(cache)];
}

static tile::Eviction evictionOf(EvictionPolicy policy) {
  static constexpr tile::Eviction policies[] = {tile::Eviction::normal, tile::Eviction::first, tile::Eviction::last};
  return policies[size_t(policy)];
}

Value EmitTile::load(const Value &pointer, const Value *mask, const Value *other, const LoadOptions &options) {
  DType element = pointer.type.element.pointee();
  Type type = pointer.type.withElement(element.isBool() ? DType(Scalar::Int8) : element);
  return make<tile::LoadOp>(type, typeOf(type), unwrap(pointer), mask ? unwrap(*mask) : mlir::Value(),
                            other ? unwrap(*other) : mlir::Value(), modifierOf(options.cache),
                            evictionOf(options.eviction), options.isVolatile);
}

void EmitTile::store(const Value &pointer, const Value &value, const Value *mask, const LoadOptions &options) {
  builder_.create<tile::StoreOp>(loc_, unwrap(pointer), unwrap(value), mask ? unwrap(*mask) : mlir::Value(),
                                 modifierOf(options.cache), evictionOf(options.eviction));
}

static tile::MemOrder orderOf(MemoryOrder order) {
  static constexpr tile::MemOrder orders[] = {tile::MemOrder::relaxed, tile::MemOrder::acquire, tile::MemOrder::release,
                                              tile::MemOrder::acq_rel};
  return orders[size_t(order)];
}

static tile::MemScope scopeOf(MemoryScope scope) {
  static constexpr tile::MemScope scopes[] = {tile::MemScope::cta, tile::MemScope::gpu, tile::MemScope::sys};
  return scopes[size_t(scope)];
}

Value EmitTile::atomic(AtomicOp op, const Value &pointer, const Value &value, const Value *mask,
                       const AtomicOptions &options) {
  static constexpr tile::AtomicKind kinds[] = {
      tile::AtomicKind::add,   tile::AtomicKind::fadd,  tile::AtomicKind::max_s, tile::AtomicKind::max_u,
      tile::AtomicKind::min_s, tile::AtomicKind::min_u, tile::AtomicKind::and_,  tile::AtomicKind::or_,
      tile::AtomicKind::xor_,  tile::AtomicKind::xchg};
  return make<tile::AtomicRmwOp>(value.type, typeOf(value.type), kinds[size_t(op)], unwrap(pointer), unwrap(value),
                                 mask ? unwrap(*mask) : mlir::Value(), orderOf(options.order), scopeOf(options.scope));
}

Value EmitTile::compareAndSwap(const Value &pointer, const Value &expected, const Value &value,
                               const AtomicOptions &options) {
  return make<tile::AtomicCasOp>(value.type, typeOf(value.type), unwrap(pointer), unwrap(expected), unwrap(value),
                                 orderOf(options.order), scopeOf(options.scope));
}

void EmitTile::barrier() { builder_.create<tile::BarrierOp>(loc_); }

void EmitTile::print(llvm::StringRef prefix, llvm::ArrayRef<Value> values, bool hex) {
  SmallVector<mlir::Value> operands;
  SmallVector<bool> isSigned;
  for (const Value &value : values) {
    operands.push_back(unwrap(value));
    isSigned.push_back(value.type.element.isSigned());
  }
  builder_.create<tile::PrintOp>(loc_, prefix, operands, isSigned, hex);
}

void EmitTile::assertion(const Value &condition, llvm::StringRef message, const Value *mask) {
  builder_.create<tile::AssertOp>(loc_, unwrap(condition), message, mask ? unwrap(*mask) : mlir::Value());
}

Value EmitTile::hint(const Value &value, Promise promise, llvm::ArrayRef<int64_t> numbers) {
  DenseI64ArrayAttr promised[3];
  promised[size_t(promise)] = builder_.getDenseI64ArrayAttr(numbers);
  return make<tile::HintOp>(value.type, typeOf(value.type), unwrap(value), promised[0], promised[1], promised[2]);
}

void EmitTile::assume(const Value &condition) { builder_.create<tile::AssumeOp>(loc_, unwrap(condition)); }

static SmallVector<mlir::Value> unwrapAll(llvm::ArrayRef<Value> values) {
  return llvm::map_to_vector(values, [](const Value &value) { return EmitTile::unwrap(value); });
}

Value EmitTile::externCall(llvm::StringRef symbol, llvm::ArrayRef<Value> operands, DType result, bool impure) {
  Type type = operands.empty() ? Type(result) : operands.front().type.withElement(result);
  return make<tile::ExternCallOp>(type, typeOf(type), symbol, unwrapAll(operands), impure);
}

llvm::SmallVector<Value> EmitTile::inlineAsm(llvm::StringRef assembly, llvm::StringRef constraints,
                                             llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results,
                                             unsigned pack, bool impure) {
  SmallVector<mlir::Type> types = llvm::map_to_vector(results, [&](const Type &type) { return typeOf(type); });
  auto op = builder_.create<tile::InlineAsmOp>(loc_, types, assembly, constraints, unwrapAll(operands), pack, impure);
  llvm::SmallVector<Value> values;
  for (auto [type, value] : llvm::zip_equal(results, op.getResults()))
    values.push_back(wrap(type, value));
  return values;
}

} // namespace tilewise::frontend
