// Accesses to global memory as PTX: as words of up to 16 bytes, predicated where a lane may be off.
#include "target/nvidia/NvidiaMachine.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// How a run of elements travels: as `count` registers of `bits` each.
struct Words {
  unsigned bits, count;

  static Words of(unsigned elementBytes, unsigned elements) {
    unsigned bytes = elementBytes * elements, word = elementBytes == 8 ? 8 : std::min(bytes, 4u);
    return {word * 8, bytes / word};
  }
  /// The letter of the inline-assembly constraint. PTX has no 8-bit registers: a byte sits in a
  /// 16-bit one.
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
  MemoryAccess(gpu::Lowering &on, Type element, gpu::AccessHints hints)
      : on_(on), element_(element), bytes_(gpu::elementBytes(element)), volatile_(hints.isVolatile) {
    if (hints.cache != tile::CacheModifier::none)
      modifiers_ += "." + tile::stringifyCacheModifier(hints.cache).str();
    if (hints.eviction != tile::Eviction::normal)
      modifiers_ += hints.eviction == tile::Eviction::first ? ".L1::evict_first" : ".L1::evict_last";
  }

  /// The elements at `pointer` where `on` (null: always), else `others`.
  gpu::Registers load(Value pointer, Value on, ArrayRef<Value> others) {
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
    Value loaded = on_.assembly(text, constraints, result, operands, /*effects=*/true);
    gpu::Registers parts;
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
    on_.assembly(text, constraints, {}, operands, /*effects=*/true);
  }

private:
  Type wordVector(Words words) {
    Type word = on_.builder.getIntegerType(words.bits);
    return words.count == 1 ? word : VectorType::get({words.count}, word);
  }

  gpu::Registers plainLoad(Value pointer, Words words) {
    Value loaded = on_.make<LLVM::LoadOp>(wordVector(words), pointer, words.bits / 8 * words.count);
    gpu::Registers parts;
    for (unsigned i = 0; i < words.count; ++i)
      parts.push_back(words.count == 1 ? loaded : on_.make<LLVM::ExtractElementOp>(loaded, on_.i32(i)));
    return parts;
  }

  void plainStore(Value pointer, Words words, ArrayRef<Value> values) {
    gpu::Registers parts = narrow(pack(values, words), words);
    Value stored = parts.front();
    if (words.count > 1) {
      stored = on_.make<LLVM::UndefOp>(wordVector(words));
      for (auto [i, part] : llvm::enumerate(parts))
        stored = on_.make<LLVM::InsertElementOp>(stored, part, on_.i32(i));
    }
    on_.builder.create<LLVM::StoreOp>(on_.loc, stored, pointer, words.bits / 8 * words.count);
  }

  /// Bytes leave the 16-bit registers that inline PTX keeps them in.
  gpu::Registers narrow(gpu::Registers parts, Words words) {
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
  gpu::Registers pack(ArrayRef<Value> values, Words words) {
    gpu::Registers parts;
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

  gpu::Registers unpack(ArrayRef<Value> parts, unsigned elements) {
    gpu::Registers values;
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

  gpu::Lowering &on_;
  Type element_;
  unsigned bytes_;
  bool volatile_;
  std::string modifiers_;
};

} // namespace

gpu::Registers NvidiaMachine::load(gpu::Lowering &on, Type element, gpu::AccessHints hints, Value pointer,
                                   Value enabled, ArrayRef<Value> others) const {
  return MemoryAccess(on, element, hints).load(pointer, enabled, others);
}

void NvidiaMachine::store(gpu::Lowering &on, Type element, gpu::AccessHints hints, Value pointer, Value enabled,
                          ArrayRef<Value> values) const {
  MemoryAccess(on, element, hints).store(pointer, enabled, values);
}

} // namespace tilewise::nvidia
