// What inline PTX, intrinsics and the device library's functions do in the simulator.
#include "SimulatedThreads.h"

#include "libdevice/Libdevice.h"
#include "target/nvidia/NvidiaMachine.h"

namespace tilewise::nvidiatest {

Bits Machine::intrinsic(Thread &thread, LLVM::CallIntrinsicOp op) {
  StringRef name = op.getIntrin();
  auto arg = [&](unsigned index) { return thread.values[op.getOperand(index)][0]; };
  if (name.ends_with("sreg.tid.x"))
    return {thread.id};
  if (name.contains("sreg.ctaid."))
    return {program_[name.back() - 'x']};
  if (name.contains("sreg.nctaid."))
    return {blocks_[name.back() - 'x']};
  unsigned width = widthOf(op.getResult(0).getType());
  if (name == "llvm.maxnum" || name == "llvm.minnum") {
    double a = toDouble(arg(0), width), b = toDouble(arg(1), width);
    return {fromDouble(minOrMax(a, b, name == "llvm.maxnum"), width)};
  }
  auto rounded = [&](double (*function)(double)) { return Bits{fromDouble(function(toDouble(arg(0), width)), width)}; };
  if (name == "llvm.fabs")
    return rounded(std::fabs);
  if (name == "llvm.floor")
    return rounded(std::floor);
  if (name == "llvm.ceil")
    return rounded(std::ceil);
  if (name == "llvm.trunc")
    return rounded(std::trunc);
  if (name == "llvm.ctpop")
    return {uint64_t(std::popcount(mask(arg(0), width)))};
  if (name == "llvm.fptosi.sat" || name == "llvm.fptoui.sat") {
    long double value = toDouble(arg(0), widthOf(op.getOperand(0).getType()));
    bool isSigned = name == "llvm.fptosi.sat";
    long double low = isSigned ? -std::ldexp(1.0L, width - 1) : 0,
                high = std::ldexp(1.0L, isSigned ? width - 1 : width) - 1;
    if (std::isnan(value))
      return {0};
    value = std::min(std::max(std::trunc(value), low), high);
    return {mask(value < 0 ? uint64_t(int64_t(value)) : uint64_t(value), width)};
  }
  fail("unknown intrinsic " + name);
  return {0};
}

/// A function of the device library: libdevice's own values, which the GPU's are close to.
Bits Machine::library(Thread &thread, LLVM::CallOp op) {
  StringRef name = *op.getCallee();
  name.consume_front("tilewise_");
  name.consume_front("math_");
  const libdevice::Function *function = libdevice::findSymbol(name);
  if (!function) {
    fail("unknown function " + name);
    return {0};
  }
  uint64_t values[4], result = 0;
  const void *operands[4];
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    values[index] = thread.values[operand][0];
    operands[index] = &values[index];
  }
  function->apply(operands, &result, 1);
  return {mask(result, widthOf(op.getResult().getType()))};
}

/// Arithmetic and conversions with a rounding, such as add.rz.f32: by libdevice's functions of that
/// name.
std::optional<Bits> Machine::roundedArithmetic(StringRef head, llvm::ArrayRef<uint64_t> operands) {
  llvm::SmallVector<StringRef, 4> parts;
  head.split(parts, '.');
  if (parts.size() < 3 || (parts[1] != "rn" && parts[1] != "rz" && parts[1] != "rm" && parts[1] != "rp"))
    return std::nullopt;
  std::string mode = (parts[1] == "rm" ? "rd" : parts[1] == "rp" ? "ru" : parts[1]).str(), symbol;
  bool isDouble = parts[2] == "f64";
  if (parts[0] == "cvt") {
    auto nameOf = [](StringRef type) {
      return type == "f32"   ? "float"
             : type == "f64" ? "double"
             : type == "s32" ? "int"
             : type == "u32" ? "uint"
             : type == "s64" ? "ll"
                             : "ull";
    };
    symbol = std::string(nameOf(parts[3])) + "2" + nameOf(parts[2]) + "_" + mode;
  } else if (parts[0] == "fma") {
    symbol = std::string(isDouble ? "fma_" : "fmaf_") + mode;
  } else {
    symbol = (isDouble ? "d" : "f") + parts[0].str() + "_" + mode;
  }
  const libdevice::Function *function = libdevice::findSymbol(symbol);
  if (!function)
    return std::nullopt;
  uint64_t result = 0;
  llvm::SmallVector<const void *, 4> pointers;
  for (const uint64_t &operand : operands)
    pointers.push_back(&operand);
  function->apply(pointers.data(), &result, 1);
  return Bits{result};
}

/// By the machine's own table of where elements lie, which the card has confirmed.
void Machine::multiply(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op) {
  llvm::SmallVector<StringRef> parts;
  op.getAsmString().take_until([](char c) { return c == ' '; }).split(parts, '.');
  // mma.sync.aligned.SHAPE.row.col.C.A.B.C
  std::string name = (parts[3] + "." + parts[7]).str();
  auto instruction = nvidia::NvidiaMachine(90).matrixInstruction(name);
  if (!instruction)
    return fail("unknown matrix instruction " + name);
  unsigned width = parts[7] == "s8" ? 8 : parts[7] == "tf32" ? 32 : 16, perWord = 32 / width;
  auto number = [&](uint64_t bits) -> double {
    if (width == 8)
      return double(extend(bits, 8));
    return parts[7] == "bf16" ? fromBf16(bits) : toDouble(bits, width);
  };
  auto fill = [&](const LinearLayout &tile, unsigned firstOperand, std::vector<double> &matrix) {
    matrix.assign(tile.elements(), 0);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t reg = 0; reg < tile.registers(); ++reg) {
        uint64_t word = warp[lane].values[op->getOperand(firstOperand + reg / perWord)][0];
        matrix[tile.element(reg, lane)] = number(mask(word >> (reg % perWord * width), width));
      }
  };
  std::vector<double> a, b;
  fill(instruction->a, 0, a);
  fill(instruction->b, 4, b);
  const LinearLayout &c = instruction->c;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    Bits result;
    for (uint32_t reg = 0; reg < c.registers(); ++reg) {
      int64_t row = c.element(reg, lane) / instruction->n(), column = c.element(reg, lane) % instruction->n();
      double sum = 0;
      for (int64_t k = 0; k < instruction->k(); ++k)
        sum += a[row * instruction->k() + k] * b[k * instruction->n() + column];
      uint64_t before = warp[lane].values[op->getOperand(6 + reg)][0];
      result.push_back(width == 8 ? uint32_t(before + uint64_t(int64_t(sum)))
                                  : fromDouble(toDouble(before, 32) + sum, 32));
    }
    warp[lane].values[op->getResult(0)] = result;
  }
  for (Thread &thread : warp)
    thread.next = op->getNextNode();
}

/// ldmatrix, as the PTX manual says.
void Machine::loadMatrices(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  bool across = text.contains(".trans");
  unsigned matrices = text.contains(".x4") ? 4 : text.contains(".x2") ? 2 : 1;
  std::vector<Bits> words(32, Bits(matrices, 0));
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    uint64_t halves[8][8] = {};
    for (unsigned row = 0; row < 8; ++row) {
      uint64_t where = sharedPointer(warp[8 * matrix + row].values[op->getOperand(0)][0]);
      if (!address(where, 16))
        return;
      // Each lane reads its own part, but all of them together read it once.
      who_ = int(warp[8 * matrix + row].id);
      Bits read = loadFrom(where, 2, 8);
      llvm::copy(read, halves[row]);
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned at = lane / 4, pair = lane % 4 * 2;
      uint64_t low = across ? halves[pair][at] : halves[at][pair],
               high = across ? halves[pair + 1][at] : halves[at][pair + 1];
      words[lane][matrix] = low | high << 16;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    warp[lane].values[op->getResult(0)] = words[lane];
    warp[lane].next = op->getNextNode();
  }
}

/// stmatrix: the way back.
void Machine::storeMatrices(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op) {
  const bool across = op.getAsmString().contains(".trans");
  for (unsigned matrix = 0; matrix + 1 < op->getNumOperands(); ++matrix)
    for (unsigned row = 0; row < 8; ++row) {
      Bits halves;
      for (unsigned column = 0; column < 8; ++column) {
        unsigned lane = across ? 4 * column + row / 2 : 4 * row + column / 2, half = across ? row % 2 : column % 2;
        halves.push_back(mask(warp[lane].values[op->getOperand(1 + matrix)][0] >> (16 * half), 16));
      }
      Thread &owner = warp[8 * matrix + row];
      who_ = int(owner.id);
      uint64_t where = sharedPointer(owner.values[op->getOperand(0)][0]);
      if (!address(where, 16))
        return;
      storeTo(where, 2, halves);
    }
  for (Thread &thread : warp)
    thread.next = op->getNextNode();
}

namespace {

/// A wgmma descriptor, read as the PTX manual says.
struct Descriptor {
  uint32_t start, leading, stride, rowBytes;

  explicit Descriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3fff) * 16), leading(uint32_t(bits >> 16 & 0x3fff) * 16),
        stride(uint32_t(bits >> 32 & 0x3fff) * 16), rowBytes(256u >> (bits >> 62)) {}

  /// Where an element lies in shared memory: `row` counts along the operand's rows of neighbours'
  /// other dimension, `byte` along neighbours.
  uint32_t at(uint32_t row, uint32_t byte) const {
    uint32_t plain = start + row / 8 * stride + row % 8 * rowBytes + byte / rowBytes * leading + byte % rowBytes;
    return plain ^ (plain / 128 % (rowBytes / 16) * 16);
  }
};

} // namespace

void Machine::multiplyTiles(llvm::MutableArrayRef<Thread> group, LLVM::InlineAsmOp op) {
  Asynchronous &work = multiplications_[group.front().id / 128];
  llvm::SmallVector<StringRef> lines;
  op.getAsmString().split(lines, ';');
  unsigned sums = cast<LLVM::LLVMStructType>(op->getResult(0).getType()).getBody().size();
  auto operandOf = [&](Thread &thread, StringRef name) { // "$12"
    unsigned number = 0;
    name.trim().drop_front().getAsInteger(10, number);
    return thread.values[op->getOperand(number - sums)][0];
  };
  std::vector<Bits> now(128);
  for (unsigned i = 0; i < 128; ++i)
    for (unsigned sum = 0; sum < sums; ++sum)
      now[i].push_back(group[i].values[op->getOperand(sum)][0]);
  uint64_t da = 0, db = 0;
  for (StringRef line : lines) {
    line = line.trim();
    llvm::SmallVector<StringRef> parts;
    if (line.consume_front("add.u64 ")) {
      line.split(parts, ", ");
      uint64_t step = 0;
      parts[2].getAsInteger(10, step);
      uint64_t &descriptor = parts[0] == "da" ? da : db;
      descriptor = operandOf(group.front(), parts[1]) + step;
      for (Thread &thread : group)
        if (operandOf(thread, parts[1]) + step != descriptor)
          return fail("threads of a warpgroup differ in a descriptor");
    }
    if (!line.consume_front("wgmma.mma_async.sync.aligned."))
      continue;
    llvm::SmallVector<StringRef> head, words, tail;
    auto [name, rest] = line.split(" {");
    name.split(head, '.');
    auto [list, others] = rest.split("}, ");
    list.split(words, ", ");
    auto instruction = nvidia::NvidiaMachine(90).matrixInstruction(("wgmma." + head[0] + "." + head[2]).str());
    if (!instruction)
      return fail("unknown matrix instruction " + name);
    const bool isByteFloat = head[2].starts_with("e");
    unsigned width = head[2] == "s8" || isByteFloat ? 8 : head[2] == "tf32" ? 32 : 16;
    auto number = [width, isByteFloat, isE5 = head[2] == "e5m2", isBf16 = head[2] == "bf16"](uint64_t bits) -> double {
      if (isByteFloat)
        return llvm::APFloat(isE5 ? llvm::APFloat::Float8E5M2() : llvm::APFloat::Float8E4M3FN(), llvm::APInt(8, bits))
            .convertToDouble();
      // A tf32 is the upper part of an f32: the instruction cuts the rest off.
      return width == 8 ? double(extend(bits, 8))
             : isBf16   ? fromBf16(bits)
                        : toDouble(width == 32 ? bits & 0xffffe000u : bits, width);
    };
    bool leftInRegisters = others.starts_with("{");
    std::vector<double> left;
    const LinearLayout a = instruction->a, c = instruction->c;
    if (leftInRegisters) {
      auto [registers, behind] = others.drop_front().split("}, ");
      llvm::SmallVector<StringRef> names;
      registers.split(names, ", ");
      others = behind;
      left.assign(a.elements(), 0);
      for (unsigned i = 0; i < 128; ++i)
        for (uint32_t reg = 0; reg < a.registers(); ++reg) {
          uint64_t word = operandOf(group[i], names[reg * width / 32]);
          left[a.element(reg, i % 32, i / 32)] = number(mask(word >> (reg * width % 32), width));
        }
    }
    others.split(tail, ", "); // [da,] db, add, 1, 1, [across a,] across b
    bool acrossA = !leftInRegisters && width == 16 && tail[5] == "1", acrossB = width == 16 && tail.back() == "1";
    std::vector<unsigned> places;
    for (StringRef word : words) {
      unsigned place = 0;
      word.trim().drop_front().getAsInteger(10, place);
      places.push_back(place);
    }
    // The sums to be: promises, which the work keeps when it is done.
    std::vector<Bits> before(128), after(128);
    for (unsigned i = 0; i < 128; ++i)
      for (unsigned place : places) {
        before[i].push_back(now[i][place]);
        uint64_t promise = 0x7f900000 + promised_.size();
        promised_[promise] = promise;
        after[i].push_back(promise);
        now[i][place] = promise;
      }
    int64_t n = instruction->n(), depth = instruction->k();
    const int readers = SharedRaces::group(group.front().id / 128);
    auto multiply = [=, this, left = std::move(left)] {
      who_ = readers;
      auto read = [&](const Descriptor &tile, int64_t row, int64_t column, bool across) {
        uint32_t at = across ? tile.at(column, row * width / 8) : tile.at(row, column * width / 8);
        // Descriptors have 18 bits of an address.
        uint64_t where = uintptr_t(sharedBase()) + ((at - uint32_t(uintptr_t(sharedBase()))) & 0x3ffff);
        return number(loadFrom(where, width / 8, 1)[0]);
      };
      std::vector<double> rows(64 * depth), columns(depth * n);
      for (int64_t k = 0; k < depth; ++k) {
        for (int64_t row = 0; row < 64; ++row)
          rows[row * depth + k] = leftInRegisters ? left[row * depth + k] : read(Descriptor(da), row, k, acrossA);
        for (int64_t column = 0; column < n; ++column)
          columns[k * n + column] = read(Descriptor(db), column, k, acrossB);
      }
      for (unsigned i = 0; i < 128; ++i)
        for (uint32_t reg = 0; reg < c.registers(); ++reg) {
          int64_t row = c.element(reg, i % 32, i / 32) / n, column = c.element(reg, i % 32, i / 32) % n;
          double sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += rows[row * depth + k] * columns[k * n + column];
          auto kept = promised_.find(before[i][reg]);
          uint64_t start = kept == promised_.end() ? before[i][reg] : kept->second;
          promised_[after[i][reg]] = width == 8 && !isByteFloat ? uint32_t(start + uint64_t(int64_t(sum)))
                                                                : fromDouble(toDouble(start, 32) + sum, 32);
        }
    };
    work.open.push_back(std::move(multiply));
  }
  work.commit();
  if (!simulation_.backwards)
    work.wait(0);
  for (unsigned i = 0; i < 128; ++i)
    group[i].values[op->getResult(0)] = now[i];
}

void Machine::waitForTiles(llvm::MutableArrayRef<Thread> group, LLVM::InlineAsmOp op) {
  multiplications_[group.front().id / 128].wait(op.getAsmString().rsplit(' ').second.front() - '0');
  for (Thread &thread : group) {
    Bits sums;
    for (Value operand : op->getOperands()) {
      auto kept = promised_.find(thread.values[operand][0]);
      sums.push_back(kept == promised_.end() ? thread.values[operand][0] : kept->second);
    }
    thread.values[op->getResult(0)] = sums;
  }
}

/// atom.global.<order>.<scope>.<what>, one thread at a time.
Bits Machine::atomic(StringRef head, uint64_t where, llvm::ArrayRef<uint64_t> values) {
  auto [front, type] = head.rsplit('.');
  unsigned width = 0;
  type.drop_front(type.starts_with("bf") ? 2 : 1).getAsInteger(10, width);
  uint64_t old = loadFrom(where, width / 8, 1)[0], x = values[0], next = x;
  int64_t a = extend(old, width), b = extend(x, width);
  StringRef what = front.rsplit('.').second;
  if (what == "noftz")
    what = "add";
  if (what == "add" && type == "bf16")
    next = roundToBf16(fromBf16(old) + fromBf16(x));
  else if (what == "add" && type.starts_with("f"))
    next = fromDouble(toDouble(old, width) + toDouble(x, width), width);
  else if (what == "add")
    next = old + x;
  else if (what == "max")
    next = type.starts_with("s") ? uint64_t(std::max(a, b)) : std::max(old, x);
  else if (what == "min")
    next = type.starts_with("s") ? uint64_t(std::min(a, b)) : std::min(old, x);
  else if (what == "and")
    next = old & x;
  else if (what == "or")
    next = old | x;
  else if (what == "xor")
    next = old ^ x;
  else if (what == "cas")
    next = old == x ? values[1] : old;
  else if (what != "exch")
    fail("unknown atomic " + head);
  storeTo(where, width / 8, {mask(next, width)});
  return {old};
}

Bits Machine::assembly(Thread &thread, LLVM::InlineAsmOp op) {
  StringRef text = op.getAsmString();
  if (text.contains("_param_"))
    return {whichTensor(text)};
  if (copyEngine(thread, op, text))
    return {};
  auto arg = [&](unsigned index) { return thread.values[op.getOperand(index)][0]; };
  auto f32 = [&](unsigned index) { return std::bit_cast<float>(uint32_t(arg(index))); };
  bool predicated = text.consume_front("@$");
  if (predicated)
    text = text.drop_while([](char c) { return c != ' '; }).drop_front();
  bool isLoad = text.starts_with("ld."), isStore = text.starts_with("st.");
  if (isLoad || isStore) {
    unsigned count = text.contains(".v4") ? 4 : text.contains(".v2") ? 2 : 1;
    StringRef head = text.take_until([](char c) { return c == ' '; });
    unsigned bytes = head.ends_with("8") ? 1 : head.ends_with("16") ? 2 : head.ends_with("32") ? 4 : 8;
    bool on = !predicated || arg(count + 1);
    Bits values;
    for (unsigned i = 0; i < count; ++i)
      values.push_back(arg(i));
    if (isStore && on)
      storeTo(arg(count), bytes, values);
    return isStore ? Bits() : on ? loadFrom(arg(count), bytes, count) : values;
  }
  StringRef head = text.take_until([](char c) { return c == ' '; });
  unsigned operands = op->getNumOperands() - predicated;
  bool enabled = !predicated || arg(operands);
  if (head.starts_with("atom.global")) {
    llvm::SmallVector<uint64_t> values;
    for (unsigned index = 1; index < operands; ++index)
      values.push_back(arg(index));
    return enabled ? atomic(head, arg(0), values) : Bits{0xdeadbeef};
  }
  if (head == "red.shared.add.u32") {
    uint64_t where = sharedPointer(arg(0));
    who_ = SharedRaces::kAtomic;
    if (enabled)
      storeTo(where, 4, {uint32_t(loadFrom(where, 4, 1)[0] + arg(1))});
    who_ = int(thread.id);
    return {};
  }
  if (head == "cp.async.commit_group;") {
    thread.copies.commit();
    if (!simulation_.backwards)
      thread.copies.wait(0);
    return {};
  }
  if (head == "cp.async.wait_group") {
    thread.copies.wait(text.drop_front(head.size() + 1).front() - '0');
    return {};
  }
  if (head.starts_with("cp.async.")) {
    unsigned bytes = 0;
    text.rsplit("], ").second.consumeInteger(10, bytes);
    uint64_t to = sharedPointer(arg(0)), from = arg(1), read = operands > 2 && arg(2) ? 0 : bytes;
    if (enabled)
      thread.copies.open.push_back([=, this] {
        uint8_t *target = address(to, bytes), *source = read ? address(from, bytes) : nullptr;
        if (!target || (read && !source))
          return;
        std::vector<uint8_t> values(bytes);
        std::memcpy(values.data(), source, source ? read : 0);
        noteWrite(target, bytes, values.data());
        std::memcpy(target, values.data(), bytes);
      });
    return {};
  }
  if (head == "fence.proxy.async.shared::cta;" || head.starts_with("setmaxnreg."))
    return {};
  if (head.starts_with("ld.relaxed"))
    return loadFrom(arg(0), 2, 1);
  if (text.starts_with("cvt.rn.bf16.f32"))
    return {roundToBf16(f32(0))};
  if (head == "cvt.rni.f64.f64")
    return {std::bit_cast<uint64_t>(std::nearbyint(std::bit_cast<double>(arg(0))))};
  if (head == "sqrt.rn.f64")
    return {std::bit_cast<uint64_t>(std::sqrt(std::bit_cast<double>(arg(0))))};
  if (head.starts_with("cvt.rzi.")) {
    // Back from a float that came from such an integer, or one beyond it.
    double value = f32(0);
    bool isSigned = head[8] == 's', isLong = head.contains("64");
    if (isSigned)
      return {isLong ? uint64_t(int64_t(value)) : uint32_t(int32_t(value))};
    return {isLong ? uint64_t(value) : uint32_t(value)};
  }
  if (!head.starts_with("cvt.rn") && !head.starts_with("sqrt.rn") && !head.starts_with("fma.rn.bf16")) {
    llvm::SmallVector<uint64_t> values;
    for (unsigned index = 0; index < operands; ++index)
      values.push_back(arg(index));
    if (auto result = roundedArithmetic(head, values))
      return *result;
  }
  if (text.starts_with("cvt.rni.f32.f32"))
    return {std::bit_cast<uint32_t>(std::nearbyint(f32(0)))};
  if (text.starts_with("cvt.rni.s32.f32")) {
    double value = std::isnan(f32(0)) ? 0 : std::nearbyint(double(f32(0)));
    return {uint32_t(int32_t(std::fmin(std::fmax(value, -2147483648.0), 2147483647.0)))};
  }
  if (text.starts_with("ex2.approx.ftz.f32")) {
    float power = float(std::exp2(double(f32(0))));
    return {std::bit_cast<uint32_t>(power < std::numeric_limits<float>::min() ? 0.0f : power)};
  }
  if (text.starts_with("div.full.f32"))
    return {std::bit_cast<uint32_t>(f32(0) / f32(1))};
  if (text.starts_with("sqrt.rn.f32"))
    return {std::bit_cast<uint32_t>(std::sqrt(f32(0)))};
  if (text.starts_with("rsqrt.approx.f32"))
    return {std::bit_cast<uint32_t>(float(1 / std::sqrt(double(f32(0)))))};
  if (text.starts_with("max.NaN.f32") || text.starts_with("min.NaN.f32")) {
    float a = f32(0), b = f32(1);
    float result = std::isnan(a) || std::isnan(b) ? NAN : float(minOrMax(a, b, text.starts_with("max")));
    return {std::bit_cast<uint32_t>(result)};
  }
  if (text.starts_with("cvt.rna.tf32.f32"))
    return {(arg(0) + 0x1000) & 0xffffe000u};
  if (text.starts_with("fma.rn.bf16"))
    return {roundOnceToBf16(stickySum(double(fromBf16(arg(0))) * fromBf16(arg(1)), fromBf16(arg(2))))};
  fail("unknown inline PTX: " + text);
  return {0};
}

} // namespace tilewise::nvidiatest
