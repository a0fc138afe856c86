// Loads and stores -> global accesses of up to 16 bytes per thread, predicated where there is a mask.
//
// A group of registers that hold neighbours in memory (`nv.vector`) moves as one access, predicated by the group's mask. Where the mask may
// differ within a group, it is predicated by all of the group being on, and one branch follows: threads with a group that is partly
// on (at the border of an array) move the rest of it element by element. A branch, because narrow loads into the same registers
// would wait for the wide ones to arrive even when they are off.
#include "target/nvidia/Lowering.h"

using namespace mlir;

namespace tilewise::nv {

namespace {

/// How a run of elements travels: as `count` registers of `bits` each.
struct Words {
  unsigned bits, count;

  static Words of(unsigned elementBytes, unsigned elements) {
    unsigned bytes = elementBytes * elements, word = elementBytes == 8 ? 8 : std::min(bytes, 4u);
    return {word * 8, bytes / word};
  }
  /// The letter of the inline-assembly constraint. PTX has no 8-bit registers: a byte sits in a 16-bit one.
  std::string constraint() const { return bits <= 16 ? "h" : bits == 32 ? "r" : "l"; }
  unsigned registerBits() const { return std::max(bits, 16u); }
  std::string suffix() const {
    std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
    return vector + (bits == 8 ? ".u8" : ".b" + std::to_string(bits));
  }
  /// "$3" or "{$3, $4}"
  std::string operands(unsigned first) const {
    std::string list;
    for (unsigned i = 0; i < count; ++i)
      list += (i ? ", $" : "$") + std::to_string(first + i);
    return count == 1 ? list : "{" + list + "}";
  }
};

class MemoryAccess {
public:
  MemoryAccess(Lowering &on, Type element, tile::CacheModifier cache, tile::Eviction eviction, bool isVolatile)
      : on_(on), element_(element), bytes_(elementBytes(element)), volatile_(isVolatile) {
    if (cache != tile::CacheModifier::none)
      modifiers_ += "." + tile::stringifyCacheModifier(cache).str();
    if (eviction != tile::Eviction::normal)
      modifiers_ += eviction == tile::Eviction::first ? ".L1::evict_first" : ".L1::evict_last";
  }

  /// The elements at `pointer` where `on` (null: always), else `others`.
  Registers load(Value pointer, Value on, ArrayRef<Value> others) {
    Words words = Words::of(bytes_, others.size());
    Type word = on_.builder.getIntegerType(words.registerBits());
    if (!on && !volatile_ && modifiers_.empty())
      return unpack(plainLoad(pointer, words), others.size());
    SmallVector<Value> operands = pack(others, words);
    std::string text = (on ? "@$" + std::to_string(2 * words.count + 1) + " " : std::string());
    text += (volatile_ ? "ld.volatile.global" : "ld.global" + modifiers_) + words.suffix() + " " + words.operands(0) +
            ", [$" + std::to_string(2 * words.count) + "];";
    std::string constraints;
    for (unsigned i = 0; i < words.count; ++i)
      constraints += (i ? ",=" : "=") + words.constraint();
    // The values for lanes that are off sit in the result's registers already.
    for (unsigned i = 0; i < words.count; ++i)
      constraints += "," + std::to_string(i);
    constraints += ",l";
    operands.push_back(pointer);
    if (on) {
      constraints += ",b";
      operands.push_back(on);
    }
    Type result = word;
    if (words.count > 1)
      result = LLVM::LLVMStructType::getLiteral(word.getContext(), SmallVector<Type>(words.count, word));
    Value loaded = on_.ptx(text, constraints, result, operands, /*effects=*/true);
    Registers parts;
    for (unsigned i = 0; i < words.count; ++i)
      parts.push_back(words.count == 1 ? loaded : on_.make<LLVM::ExtractValueOp>(loaded, ArrayRef<int64_t>{i}));
    return unpack(narrow(std::move(parts), words), others.size());
  }

  void store(Value pointer, Value on, ArrayRef<Value> values) {
    Words words = Words::of(bytes_, values.size());
    if (!on && modifiers_.empty())
      return plainStore(pointer, words, values);
    SmallVector<Value> operands = pack(values, words);
    std::string text = (on ? "@$" + std::to_string(words.count + 1) + " " : std::string()) + "st.global" + modifiers_ +
                       words.suffix() + " [$" + std::to_string(words.count) + "], " + words.operands(0) + ";";
    std::string constraints;
    for (unsigned i = 0; i < words.count; ++i)
      constraints += words.constraint() + ",";
    constraints += "l";
    operands.push_back(pointer);
    if (on) {
      constraints += ",b";
      operands.push_back(on);
    }
    on_.ptx(text, constraints, {}, operands, /*effects=*/true);
  }

  /// The address of one element of a group, counted from the group's first: the other pointers then need not be kept.
  Value elementOf(ArrayRef<Value> pointers, unsigned reg, unsigned vector) {
    Value first = pointers[reg - reg % vector];
    if (reg % vector == 0)
      return first;
    return on_.make<LLVM::GEPOp>(first.getType(), on_.memoryType(element_), first,
                                 ArrayRef<LLVM::GEPArg>{int32_t(reg % vector)});
  }

private:
  Type wordVector(Words words) {
    Type word = on_.builder.getIntegerType(words.bits);
    return words.count == 1 ? word : VectorType::get({words.count}, word);
  }

  Registers plainLoad(Value pointer, Words words) {
    Value loaded = on_.make<LLVM::LoadOp>(wordVector(words), pointer, words.bits / 8 * words.count);
    Registers parts;
    for (unsigned i = 0; i < words.count; ++i)
      parts.push_back(words.count == 1 ? loaded : on_.make<LLVM::ExtractElementOp>(loaded, on_.i32(i)));
    return parts;
  }

  void plainStore(Value pointer, Words words, ArrayRef<Value> values) {
    Registers parts = narrow(pack(values, words), words);
    Value stored = parts.front();
    if (words.count > 1) {
      stored = on_.make<LLVM::UndefOp>(wordVector(words));
      for (auto [i, part] : llvm::enumerate(parts))
        stored = on_.make<LLVM::InsertElementOp>(stored, part, on_.i32(i));
    }
    on_.builder.create<LLVM::StoreOp>(on_.loc, stored, pointer, words.bits / 8 * words.count);
  }

  /// Bytes leave the 16-bit registers that inline PTX keeps them in.
  Registers narrow(Registers parts, Words words) {
    if (words.bits == 8)
      for (Value &part : parts)
        part = on_.make<LLVM::TruncOp>(on_.builder.getI8Type(), part);
    return parts;
  }

  Value toBits(Value value) {
    value = on_.toMemory(value, element_);
    Type bits = on_.builder.getIntegerType(bytes_ * 8);
    return value.getType() == bits ? value : on_.make<LLVM::BitcastOp>(bits, value);
  }

  Value fromBits(Value bits) {
    Type type = on_.memoryType(element_);
    return on_.fromMemory(bits.getType() == type ? bits : on_.make<LLVM::BitcastOp>(type, bits), element_);
  }

  /// Elements -> words, as inline PTX takes them.
  Registers pack(ArrayRef<Value> values, Words words) {
    Registers parts;
    unsigned perWord = values.size() / words.count;
    Type word = on_.builder.getIntegerType(words.registerBits());
    for (unsigned first = 0; first < values.size(); first += perWord) {
      if (perWord == 1) {
        Value bits = toBits(values[first]);
        parts.push_back(bits.getType() == word ? bits : on_.make<LLVM::ZExtOp>(word, bits));
        continue;
      }
      if (bytes_ == 2) {
        // NVPTX turns this into one mov.b32 of a pair.
        Value pair = on_.make<LLVM::UndefOp>(VectorType::get({2}, on_.builder.getI16Type()));
        for (unsigned i = 0; i < 2; ++i)
          pair = on_.make<LLVM::InsertElementOp>(pair, toBits(values[first + i]), on_.i32(i));
        parts.push_back(on_.make<LLVM::BitcastOp>(word, pair));
        continue;
      }
      Value packed;
      for (unsigned i = 0; i < perWord; ++i) {
        Value bits = on_.make<LLVM::ZExtOp>(word, toBits(values[first + i]));
        if (i)
          bits = on_.make<LLVM::ShlOp>(bits, on_.constant(word, i * bytes_ * 8));
        packed = packed ? on_.make<LLVM::OrOp>(packed, bits) : bits;
      }
      parts.push_back(packed);
    }
    return parts;
  }

  Registers unpack(ArrayRef<Value> parts, unsigned elements) {
    Registers values;
    unsigned perWord = elements / parts.size();
    Type bits = on_.builder.getIntegerType(bytes_ * 8);
    for (Value part : parts) {
      if (perWord == 1) {
        values.push_back(fromBits(part));
        continue;
      }
      Value pair = bytes_ == 2 && perWord == 2 ? on_.make<LLVM::BitcastOp>(VectorType::get({2}, bits), part) : Value();
      for (unsigned i = 0; i < perWord; ++i) {
        if (pair) {
          values.push_back(fromBits(on_.make<LLVM::ExtractElementOp>(pair, on_.i32(i))));
          continue;
        }
        Value shifted = i ? on_.make<LLVM::LShrOp>(part, on_.constant(part.getType(), i * bytes_ * 8)) : part;
        values.push_back(fromBits(on_.make<LLVM::TruncOp>(bits, shifted)));
      }
    }
    return values;
  }

  Lowering &on_;
  Type element_;
  unsigned bytes_;
  bool volatile_;
  std::string modifiers_;
};

unsigned vectorOf(Operation *op) {
  auto vector = op->getAttrOfType<IntegerAttr>(NvDialect::kVectorAttr);
  return vector ? vector.getInt() : 1;
}

Value both(Lowering &on, Value a, Value b) { return a && b ? on.make<LLVM::AndOp>(a, b) : a ? a : b; }

/// The masks of a load or store, group by group.
class GroupMasks {
public:
  GroupMasks(Lowering &on, Operation *op, Value mask) : on_(on), vector_(vectorOf(op)) {
    if (mask)
      masks_ = on.registersOf(mask);
    uniform_ = vector_ == 1 || op->hasAttr(NvDialect::kUniformMaskAttr);
    for (unsigned first = 0; first < masks_.size(); first += vector_)
      addGroup(ArrayRef<Value>(masks_).slice(first, vector_));
  }

  unsigned vector() const { return vector_; }
  /// On when the whole group is; null: always.
  Value all(unsigned group) const { return masks_.empty() ? Value() : all_[group]; }
  /// On where the element is and its group, as a whole, is not; null when the group is never split.
  Value single(unsigned reg) const {
    return split_[reg / vector_] ? both(on_, masks_[reg], notAll_[reg / vector_]) : Value();
  }
  /// Some group of this thread is partly on; null when none is ever split.
  Value anySplit() const {
    Value any;
    for (Value split : split_)
      if (split)
        any = any ? on_.make<LLVM::OrOp>(any, split) : split;
    return any;
  }

private:
  void addGroup(ArrayRef<Value> group) {
    all_.push_back(group.front());
    notAll_.emplace_back();
    split_.emplace_back();
    if (uniform_ || llvm::all_equal(group))
      return;
    Value all, any;
    for (Value mask : group) {
      all = both(on_, all, mask);
      any = any ? on_.make<LLVM::OrOp>(any, mask) : mask;
    }
    all_.back() = all;
    notAll_.back() = on_.make<LLVM::XOrOp>(all, on_.constant(on_.builder.getI1Type(), 1));
    split_.back() = both(on_, any, notAll_.back());
  }

  Lowering &on_;
  unsigned vector_;
  bool uniform_;
  Registers masks_;
  SmallVector<Value> all_, notAll_, split_;
};

/// `values` where `condition` is off, else what `make` gives: a branch around it. Without values only its effects count.
Registers branchAround(Lowering &on, Value condition, Registers values, llvm::function_ref<Registers()> make) {
  Region *region = on.builder.getBlock()->getParent();
  SmallVector<Type> types(ValueRange(values).getTypes());
  OpBuilder::InsertPoint here = on.builder.saveInsertionPoint();
  Block *inside = on.builder.createBlock(region, region->end());
  Block *after = on.builder.createBlock(region, region->end(), types, SmallVector<Location>(types.size(), on.loc));
  on.builder.restoreInsertionPoint(here);
  on.builder.create<LLVM::CondBrOp>(on.loc, condition, inside, ValueRange(), after, values);
  on.builder.setInsertionPointToEnd(inside);
  Registers made = make();
  on.builder.create<LLVM::BrOp>(on.loc, made, after);
  on.builder.setInsertionPointToEnd(after);
  return Registers(after->getArguments().begin(), after->getArguments().end());
}

} // namespace

LogicalResult Lowering::lowerLoad(tile::LoadOp op) {
  Type element = cast<tile::PtrType>(tile::elementTypeOf(op.getPointer().getType())).getPointee();
  MemoryAccess access(*this, element, op.getCache(), op.getEviction(), op.getIsVolatile());
  const Registers pointers = registersOf(op.getPointer());
  GroupMasks masks(*this, op, op.getMask());
  Value zero = isa<tile::PtrType>(element)
                   ? make<LLVM::ZeroOp>(registerType(element))
                   : Value(make<LLVM::ConstantOp>(registerType(element), builder.getZeroAttr(registerType(element))));
  Registers others = op.getOther() ? registersOf(op.getOther()) : Registers(pointers.size(), zero);
  unsigned vector = masks.vector();
  Registers result;
  for (unsigned first = 0; first < pointers.size(); first += vector)
    llvm::append_range(
        result, access.load(pointers[first], masks.all(first / vector), ArrayRef<Value>(others).slice(first, vector)));
  if (Value split = masks.anySplit())
    result = branchAround(*this, split, result, [&] {
      Registers filled = result;
      for (auto [reg, value] : llvm::enumerate(filled))
        if (Value single = masks.single(reg))
          value = access.load(access.elementOf(pointers, reg, vector), single, value).front();
      return filled;
    });
  set(op, std::move(result));
  return success();
}

LogicalResult Lowering::lowerStore(tile::StoreOp op) {
  Type element = cast<tile::PtrType>(tile::elementTypeOf(op.getPointer().getType())).getPointee();
  MemoryAccess access(*this, element, op.getCache(), op.getEviction(), /*isVolatile=*/false);
  const Registers pointers = registersOf(op.getPointer()), values = registersOf(op.getValue());
  bool block = isBlock(op.getValue().getType());
  Value owner = block ? ownerOf(layoutOf(op.getValue().getType())) : isFirstThread();
  GroupMasks masks(*this, op, op.getMask());
  unsigned vector = masks.vector();
  for (unsigned first = 0; first < pointers.size(); first += vector)
    access.store(pointers[first], both(*this, masks.all(first / vector), owner),
                 ArrayRef<Value>(values).slice(first, vector));
  if (Value split = masks.anySplit())
    branchAround(*this, split, {}, [&] {
      for (unsigned reg = 0; reg < pointers.size(); ++reg)
        if (Value single = masks.single(reg))
          access.store(access.elementOf(pointers, reg, vector), both(*this, single, owner), values[reg]);
      return Registers();
    });
  return success();
}

} // namespace tilewise::nv
