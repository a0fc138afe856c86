// One kernel on its way to the LLVM dialect: its function, the thread's coordinates, and
// shorthands.
#include "target/gpu/Lowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

static constexpr const char *kSharedName = "tilewise_shared";

Lowering::Lowering(func::FuncOp kernel, ModuleOp module, const Machine &machine)
    : kernel(kernel), module(module), builder(kernel.getContext()), loc(kernel.getLoc()), machine(machine) {}

Type Lowering::registerType(Type element) const {
  if (isa<tile::PtrType>(element))
    return LLVM::LLVMPointerType::get(builder.getContext(), 1);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32 && !element.isF16())
    return IntegerType::get(builder.getContext(), element.getIntOrFloatBitWidth());
  if (isa<IndexType>(element))
    return IntegerType::get(builder.getContext(), 64);
  if (isa<MapType>(element))
    return LLVM::LLVMPointerType::get(builder.getContext());
  return element;
}

Type Lowering::memoryType(Type element) const {
  if (element.isInteger(1))
    return IntegerType::get(builder.getContext(), 8);
  if (isa<tile::PtrType>(element))
    return IntegerType::get(builder.getContext(), 64);
  return registerType(element);
}

Value Lowering::toMemory(Value value, Type element) {
  if (element.isInteger(1))
    return make<LLVM::ZExtOp>(memoryType(element), value);
  if (isa<tile::PtrType>(element))
    return make<LLVM::PtrToIntOp>(memoryType(element), value);
  return value;
}

Value Lowering::fromMemory(Value value, Type element) {
  if (element.isInteger(1))
    return compare(LLVM::ICmpPredicate::ne, value, constant(value.getType(), 0));
  if (isa<tile::PtrType>(element))
    return make<LLVM::IntToPtrOp>(registerType(element), value);
  return value;
}

LLVM::LLVMFuncOp Lowering::createFunction() {
  SmallVector<Type> parameters;
  for (Type type : kernel.getArgumentTypes())
    parameters.push_back(isa<tile::PtrType>(type) ? registerType(type) : memoryType(type));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(builder.getContext()), parameters);
  auto function = builder.create<LLVM::LLVMFuncOp>(loc, kernel.getName(), type);
  // A tensor map is passed by value.
  constexpr unsigned kMapBytes = 128, kMapAlignment = 64;
  for (auto [index, argument] : llvm::enumerate(kernel.getArgumentTypes()))
    if (isa<MapType>(argument)) {
      Type bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), kMapBytes);
      function.setArgAttr(index, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
      function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(kMapAlignment));
    }
  machine.markKernel(function);
  return function;
}

LogicalResult Lowering::run() {
  builder.setInsertionPoint(kernel);
  if (sharedBytesOf(module)) {
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), 0);
    shared_ = builder.create<LLVM::GlobalOp>(loc, bytes, /*isConstant=*/false, LLVM::Linkage::External, kSharedName,
                                             Attribute(),
                                             /*alignment=*/1024, /*addrSpace=*/3);
  }
  function_ = createFunction();
  start_ = function_.addEntryBlock(builder);
  Block *body = builder.createBlock(&function_.getBody(), function_.getBody().end());
  builder.setInsertionPointToEnd(start_);
  Value thread = machine.threadIndex(*this);
  lane = make<LLVM::AndOp>(thread, i32(machine.lanes() - 1));
  warp = make<LLVM::LShrOp>(thread, i32(machine.laneBits()));
  for (auto [argument, parameter] : llvm::zip(kernel.getArguments(), start_->getArguments())) {
    if (isa<MapType>(argument.getType())) {
      set(argument, {machine.tensorMap(*this, parameter.getArgNumber())});
      continue;
    }
    bool isBool = argument.getType().isInteger(1);
    set(argument, {isBool ? fromMemory(parameter, argument.getType()) : Value(parameter)});
  }
  builder.create<LLVM::BrOp>(loc, ValueRange(), body);
  builder.setInsertionPointToEnd(body);
  if (failed(lowerBlock(kernel.getBody().front())))
    return failure();
  builder.create<LLVM::ReturnOp>(loc, ValueRange());
  kernel.erase();
  return success();
}

Value Lowering::atStart(llvm::function_ref<Value()> makeValue) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(start_->getTerminator());
  return makeValue();
}

uint32_t Lowering::threadBits(const LinearLayout &layout) {
  return layout.bitsOf(Level::Lane) | layout.bitsOf(Level::Warp);
}

Value Lowering::threadElement(const LinearLayout &layout) {
  Value &known = threadElements_[{layout.bases(Level::Lane).vec(), layout.bases(Level::Warp).vec()}];
  if (known)
    return known;
  return known = atStart([&]() -> Value {
           Value element;
           auto add = [&](Value part) { element = element ? make<LLVM::XOrOp>(element, part) : part; };
           for (auto [level, index] : {std::pair(Level::Lane, lane), std::pair(Level::Warp, warp)}) {
             ArrayRef<uint32_t> bases = layout.bases(level);
             for (unsigned bit = 0; bit < bases.size();) {
               // Bits whose bases double from one to the next move together: one mask and one
               // shift.
               unsigned end = bit + 1;
               while (end < bases.size() && bases[bit] != 0 && bases[end] == bases[bit] << (end - bit))
                 ++end;
               if (bases[bit] != 0) {
                 Value part = index;
                 if (bit != 0)
                   part = make<LLVM::LShrOp>(part, i32(bit));
                 part = make<LLVM::AndOp>(part, i32((1u << (end - bit)) - 1));
                 if (llvm::isPowerOf2_32(bases[bit]))
                   part = bases[bit] == 1 ? part : make<LLVM::ShlOp>(part, i32(llvm::Log2_32(bases[bit])));
                 else
                   part = make<LLVM::MulOp>(part, i32(bases[bit]));
                 add(part);
               }
               bit = end;
             }
           }
           return element ? element : i32(0);
         });
}

Value Lowering::xorConstant(Value value, uint32_t bits, uint32_t constant) {
  if (constant == 0)
    return value;
  if (bits & constant)
    return make<LLVM::XOrOp>(value, i32(constant));
  return make<LLVM::AddOp>(value, i32(constant));
}

Value Lowering::elementAt(const LinearLayout &layout, Value thread, uint32_t reg) {
  return xorConstant(thread, threadBits(layout), layout.element(reg));
}

SmallVector<Value> Lowering::elementsOf(const LinearLayout &layout) {
  Value thread = threadElement(layout);
  SmallVector<Value> elements;
  for (uint32_t reg = 0; reg < layout.registers(); ++reg)
    elements.push_back(elementAt(layout, thread, reg));
  return elements;
}

Value Lowering::ownerOf(const LinearLayout &layout) {
  unsigned lanes = layout.freeBits(Level::Lane), warps = layout.freeBits(Level::Warp);
  if (!lanes && !warps)
    return {};
  Value &known = owners_[{lanes, warps}];
  if (known)
    return known;
  return known = atStart([&] {
           Value copy = make<LLVM::OrOp>(make<LLVM::AndOp>(lane, i32(lanes)), make<LLVM::AndOp>(warp, i32(warps)));
           return compare(LLVM::ICmpPredicate::eq, copy, i32(0));
         });
}

Value Lowering::isFirstThread() {
  if (!firstThread_)
    firstThread_ = atStart([&] { return compare(LLVM::ICmpPredicate::eq, make<LLVM::OrOp>(lane, warp), i32(0)); });
  return firstThread_;
}

Value Lowering::isAskingWarp() {
  if (isBeside_)
    return {};
  // By a shuffle, which tells the assembler that all lanes have the same.
  if (!firstWarp_)
    firstWarp_ = atStart([&] {
      return compare(LLVM::ICmpPredicate::eq, machine.shuffle(*this, warp, ShuffleMode::Index, i32(0)), i32(0));
    });
  return firstWarp_;
}

Value Lowering::gatherBits(Value value, ArrayRef<unsigned> positions) {
  Value result;
  for (auto [index, position] : llvm::enumerate(positions)) {
    Value bit = make<LLVM::AndOp>(make<LLVM::LShrOp>(value, i32(position)), i32(1));
    bit = make<LLVM::ShlOp>(bit, i32(index));
    result = result ? make<LLVM::OrOp>(result, bit) : bit;
  }
  return result ? result : i32(0);
}

Value Lowering::threadMemory(unsigned bytes) {
  Value &known = threadMemories_[bytes];
  if (!known)
    known = atStart([&] {
      return make<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(builder.getContext()), builder.getI8Type(), i32(bytes),
                                  /*alignment=*/8);
    });
  return known;
}

Value Lowering::textAddress(StringRef text) {
  LLVM::GlobalOp &global = texts_[text];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size() + 1);
    global = builder.create<LLVM::GlobalOp>(loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                            "tilewise_text" + std::to_string(texts_.size()),
                                            builder.getStringAttr(text + llvm::Twine('\0')), /*alignment=*/1,
                                            /*addrSpace=*/1);
  }
  Value address = make<LLVM::AddressOfOp>(global);
  return make<LLVM::AddrSpaceCastOp>(LLVM::LLVMPointerType::get(builder.getContext()), address);
}

Value Lowering::sharedAddress(uint32_t offset) {
  Value base = make<LLVM::AddressOfOp>(shared_);
  return make<LLVM::GEPOp>(base.getType(), builder.getI8Type(), base, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
}

Value Lowering::advance(Value address, Value bytes) {
  return make<LLVM::GEPOp>(address.getType(), builder.getI8Type(), address, ArrayRef<LLVM::GEPArg>{bytes});
}

void Lowering::barrier() {
  machine.barrier(*this, hasBeside_ ? std::optional(machine.lanes() * numWarpsOf(module)) : std::nullopt);
}

uint32_t Lowering::scratchOffset(Operation *op) {
  return op->getAttrOfType<IntegerAttr>(GpuDialect::kSharedAttr).getInt();
}

Block *Lowering::newBlock() {
  OpBuilder::InsertionGuard guard(builder);
  Region *region = builder.getBlock()->getParent();
  return builder.createBlock(region, region->end());
}

Registers Lowering::branchAround(Value condition, Registers values, llvm::function_ref<Registers()> makeValues) {
  Region *region = builder.getBlock()->getParent();
  SmallVector<Type> types(ValueRange(values).getTypes());
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  Block *inside = builder.createBlock(region, region->end());
  Block *after = builder.createBlock(region, region->end(), types, SmallVector<Location>(types.size(), loc));
  builder.restoreInsertionPoint(here);
  builder.create<LLVM::CondBrOp>(loc, condition, inside, ValueRange(), after, values);
  builder.setInsertionPointToEnd(inside);
  Registers made = makeValues();
  builder.create<LLVM::BrOp>(loc, made, after);
  builder.setInsertionPointToEnd(after);
  return Registers(after->getArguments().begin(), after->getArguments().end());
}

Value Lowering::constant(Type type, int64_t value) {
  return make<LLVM::ConstantOp>(type, builder.getIntegerAttr(type, value));
}
Value Lowering::i32(int64_t value) { return constant(builder.getI32Type(), int32_t(value)); }
Value Lowering::floatConstant(Type type, double value) {
  return make<LLVM::ConstantOp>(type, builder.getFloatAttr(type, value));
}

Value Lowering::zero(Type element) {
  Type reg = registerType(element);
  if (isa<LLVM::LLVMPointerType>(reg))
    return make<LLVM::ZeroOp>(reg);
  return make<LLVM::ConstantOp>(reg, builder.getZeroAttr(reg));
}

Value Lowering::call(StringRef intrinsic, Type result, ValueRange operands) {
  return builder.create<LLVM::CallIntrinsicOp>(loc, result, builder.getStringAttr(intrinsic), operands).getResults();
}

Value Lowering::callFunction(StringRef name, Type result, ValueRange operands) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(result, llvm::to_vector(operands.getTypes()));
    function = builder.create<LLVM::LLVMFuncOp>(loc, name, type);
  }
  auto made = builder.create<LLVM::CallOp>(loc, function, operands);
  return made.getNumResults() ? made.getResult() : Value();
}

Value Lowering::assembly(StringRef text, StringRef constraints, Type result, ValueRange operands, bool effects) {
  bool isVoid = !result;
  auto op = builder.create<LLVM::InlineAsmOp>(
      loc, isVoid ? TypeRange() : TypeRange(result), operands, text, constraints,
      /*has_side_effects=*/effects, /*is_align_stack=*/false,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  return isVoid ? Value() : op.getResult(0);
}

} // namespace tilewise::gpu
