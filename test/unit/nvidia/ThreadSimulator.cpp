// Runs a lowered NVIDIA kernel on the host, thread by thread.
#include "ThreadSimulator.h"

#include "libdevice/Libdevice.h"
#include "target/gpu/Gpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>
#include <cstring>

using namespace mlir;

namespace tilewise::nvidiatest {

namespace {

/// The bits of a scalar, or of the elements of a vector or struct.
using Bits = llvm::SmallVector<uint64_t, 4>;

uint64_t mask(uint64_t value, unsigned width) { return width >= 64 ? value : value & ((uint64_t(1) << width) - 1); }
int64_t extend(uint64_t value, unsigned width) { return int64_t(value << (64 - width)) >> (64 - width); }
unsigned widthOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

double toDouble(uint64_t bits, unsigned width) {
  if (width == 64)
    return std::bit_cast<double>(bits);
  if (width == 32)
    return std::bit_cast<float>(uint32_t(bits));
  return double(std::bit_cast<_Float16>(uint16_t(bits)));
}

uint64_t fromDouble(double value, unsigned width) {
  if (width == 64)
    return std::bit_cast<uint64_t>(value);
  if (width == 32)
    return std::bit_cast<uint32_t>(float(value));
  return std::bit_cast<uint16_t>(_Float16(value));
}

uint16_t roundToBf16(float value) {
  if (std::isnan(value))
    return 0x7fff;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float fromBf16(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

struct Thread {
  unsigned id = 0;
  Operation *next = nullptr;
  llvm::DenseMap<Value, Bits> values;
  bool done = false;
};

class Machine {
public:
  Machine(const Simulation &simulation) : simulation_(simulation) {
    ModuleOp module = simulation.module;
    threads_ = 32 * gpu::numWarpsOf(module);
    shared_.resize(gpu::sharedBytesOf(module) + 16);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        function_ = function;
  }

  std::string run() {
    for (uint32_t z = 0; z < simulation_.grid[2]; ++z)
      for (uint32_t y = 0; y < simulation_.grid[1]; ++y)
        for (uint32_t x = 0; x < simulation_.grid[0] && error_.empty(); ++x) {
          program_ = {x, y, z};
          runProgram();
        }
    return error_;
  }

private:
  void fail(const llvm::Twine &what) {
    if (error_.empty())
      error_ = what.str();
  }

  uint8_t *sharedBase() { return reinterpret_cast<uint8_t *>((uintptr_t(shared_.data()) + 15) & ~uintptr_t(15)); }

  void runProgram() {
    // What was there before is anything but zero.
    std::memset(shared_.data(), 0xcd, shared_.size());
    std::vector<Thread> threads(threads_);
    for (unsigned id = 0; id < threads_; ++id) {
      threads[id].id = id;
      threads[id].next = &function_.getBody().front().front();
      for (auto [index, argument] : llvm::enumerate(function_.getArguments()))
        threads[id].values[argument] = {mask(simulation_.arguments[index], widthOf(argument.getType()))};
    }
    while (error_.empty()) {
      for (unsigned i = 0; i < threads_ && error_.empty(); ++i)
        advance(threads[simulation_.backwards ? threads_ - 1 - i : i]);
      if (!error_.empty() || llvm::all_of(threads, [](Thread &thread) { return thread.done; }))
        return;
      meet(threads);
    }
  }

  static bool isBarrier(Operation *op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return call && call.getIntrin() == "llvm.nvvm.barrier0";
  }
  static bool isShuffle(Operation *op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return call && call.getIntrin().starts_with("llvm.nvvm.shfl");
  }

  void meet(std::vector<Thread> &threads) {
    bool shuffled = false;
    for (unsigned first = 0; first < threads_; first += 32) {
      Operation *op = threads[first].next;
      if (threads[first].done || !isShuffle(op))
        continue;
      shuffled = true;
      for (unsigned lane = 0; lane < 32; ++lane)
        if (threads[first + lane].next != op)
          return fail("lanes of a warp are at different shuffles");
      std::vector<uint64_t> given, result;
      for (unsigned lane = 0; lane < 32; ++lane)
        given.push_back(threads[first + lane].values[op->getOperand(1)][0]);
      bool isXor = cast<LLVM::CallIntrinsicOp>(op).getIntrin().contains("bfly");
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint64_t source = threads[first + lane].values[op->getOperand(2)][0];
        result.push_back(given[(isXor ? lane ^ source : source) & 31]);
      }
      for (unsigned lane = 0; lane < 32; ++lane) {
        threads[first + lane].values[op->getResult(0)] = {result[lane]};
        threads[first + lane].next = op->getNextNode();
      }
    }
    if (shuffled)
      return;
    for (Thread &thread : threads)
      if (thread.done || thread.next != threads[0].next)
        return fail("threads are at different barriers");
    for (Thread &thread : threads)
      thread.next = thread.next->getNextNode();
  }

  void advance(Thread &thread) {
    while (!thread.done && error_.empty() && !isBarrier(thread.next) && !isShuffle(thread.next))
      step(thread);
  }

  void jump(Thread &thread, Block *block, ValueRange operands) {
    llvm::SmallVector<Bits> passed;
    for (Value operand : operands)
      passed.push_back(thread.values[operand]);
    for (auto [argument, value] : llvm::zip(block->getArguments(), passed))
      thread.values[argument] = value;
    thread.next = &block->front();
  }

  uint8_t *address(uint64_t value, size_t size) {
    auto *at = reinterpret_cast<uint8_t *>(value);
    if (value % size)
      fail("misaligned access of " + llvm::Twine(size) + " bytes");
    uint8_t *shared = sharedBase();
    if (at >= shared && at + size <= shared + shared_.size() - 16)
      return at;
    for (auto &[global, bytes] : tables_)
      if (at >= bytes.data() && at + size <= bytes.data() + bytes.size())
        return at;
    for (const Span &span : simulation_.memory)
      if (at >= span.begin && at + size <= static_cast<const uint8_t *>(span.begin) + span.bytes)
        return at;
    fail("access out of bounds");
    return nullptr;
  }

  Bits loadFrom(uint64_t where, unsigned bytes, unsigned count) {
    uint8_t *at = address(where, size_t(bytes) * count);
    Bits result(count, 0);
    for (unsigned i = 0; at && i < count; ++i)
      std::memcpy(&result[i], at + i * bytes, bytes);
    return result;
  }

  void storeTo(uint64_t where, unsigned bytes, llvm::ArrayRef<uint64_t> values) {
    uint8_t *at = address(where, bytes * values.size());
    for (unsigned i = 0; at && i < values.size(); ++i)
      std::memcpy(at + i * bytes, &values[i], bytes);
  }

  /// The bytes of a constant table.
  uint8_t *tableOf(LLVM::GlobalOp global) {
    std::vector<uint8_t> &bytes = tables_[global];
    if (bytes.empty()) {
      auto values = cast<DenseElementsAttr>(*global.getValue());
      unsigned width = widthOf(values.getElementType()) / 8;
      for (Attribute value : values.getValues<Attribute>()) {
        APInt bits = isa<FloatAttr>(value) ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                                           : cast<IntegerAttr>(value).getValue();
        for (unsigned byte = 0; byte < width; ++byte)
          bytes.push_back(uint8_t(bits.extractBitsAsZExtValue(8, byte * 8)));
      }
    }
    return bytes.data();
  }

  void step(Thread &thread);
  Bits assembly(Thread &thread, LLVM::InlineAsmOp op);
  Bits intrinsic(Thread &thread, LLVM::CallIntrinsicOp op);
  Bits library(Thread &thread, LLVM::CallOp op);
  std::optional<Bits> roundedArithmetic(StringRef head, llvm::ArrayRef<uint64_t> operands);
  Bits atomic(StringRef head, uint64_t where, llvm::ArrayRef<uint64_t> values);

  const Simulation &simulation_;
  LLVM::LLVMFuncOp function_;
  unsigned threads_ = 0;
  std::vector<uint8_t> shared_;
  llvm::MapVector<Operation *, std::vector<uint8_t>> tables_;
  std::array<uint32_t, 3> program_{};
  std::string error_;
};

Bits Machine::intrinsic(Thread &thread, LLVM::CallIntrinsicOp op) {
  StringRef name = op.getIntrin();
  auto arg = [&](unsigned index) { return thread.values[op.getOperand(index)][0]; };
  if (name.ends_with("sreg.tid.x"))
    return {thread.id};
  if (name.contains("sreg.ctaid."))
    return {program_[name.back() - 'x']};
  if (name.contains("sreg.nctaid."))
    return {simulation_.grid[name.back() - 'x']};
  unsigned width = widthOf(op.getResult(0).getType());
  if (name == "llvm.maxnum" || name == "llvm.minnum") {
    double a = toDouble(arg(0), width), b = toDouble(arg(1), width);
    return {fromDouble(name == "llvm.maxnum" ? std::fmax(a, b) : std::fmin(a, b), width)};
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
    long double low = isSigned ? -std::ldexp(1.0L, width - 1) : 0, high = std::ldexp(1.0L, isSigned ? width - 1 : width) - 1;
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

/// Arithmetic and conversions with a rounding, such as add.rz.f32: by libdevice's functions of that name.
std::optional<Bits> Machine::roundedArithmetic(StringRef head, llvm::ArrayRef<uint64_t> operands) {
  llvm::SmallVector<StringRef, 4> parts;
  head.split(parts, '.');
  if (parts.size() < 3 || (parts[1] != "rn" && parts[1] != "rz" && parts[1] != "rm" && parts[1] != "rp"))
    return std::nullopt;
  std::string mode = (parts[1] == "rm" ? "rd" : parts[1] == "rp" ? "ru" : parts[1]).str(), symbol;
  bool isDouble = parts[2] == "f64";
  if (parts[0] == "cvt") {
    auto nameOf = [](StringRef type) {
      return type == "f32" ? "float" : type == "f64" ? "double" : type == "s32" ? "int" : type == "u32" ? "uint" : type == "s64" ? "ll" : "ull";
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
    // Shared addresses have 32 bits: offsets from where the program's memory begins, as sharedAddress made them.
    uint64_t where = uint64_t(uintptr_t(sharedBase())) + uint32_t(arg(0) - uint32_t(uintptr_t(sharedBase())));
    if (enabled)
      storeTo(where, 4, {uint32_t(loadFrom(where, 4, 1)[0] + arg(1))});
    return {};
  }
  if (head.starts_with("ld.relaxed"))
    return loadFrom(arg(0), 2, 1);
  if (text.starts_with("cvt.rn.bf16.f32"))
    return {roundToBf16(f32(0))};
  if (head == "cvt.rni.f64.f64")
    return {std::bit_cast<uint64_t>(std::nearbyint(std::bit_cast<double>(arg(0))))};
  if (head == "sqrt.rn.f64")
    return {std::bit_cast<uint64_t>(std::sqrt(std::bit_cast<double>(arg(0))))};
  if (head == "rcp.approx.ftz.f64") {
    const libdevice::Function *function = libdevice::findSymbol("rcp64h");
    uint64_t x = arg(0), result = 0;
    const void *pointer = &x;
    function->apply(&pointer, &result, 1);
    return {result};
  }
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
  if (text.starts_with("ex2.approx.f32"))
    return {std::bit_cast<uint32_t>(float(std::exp2(double(f32(0)))))};
  if (text.starts_with("sqrt.rn.f32"))
    return {std::bit_cast<uint32_t>(std::sqrt(f32(0)))};
  if (text.starts_with("rsqrt.approx.f32"))
    return {std::bit_cast<uint32_t>(float(1 / std::sqrt(double(f32(0)))))};
  if (text.starts_with("max.NaN.f32") || text.starts_with("min.NaN.f32")) {
    float a = f32(0), b = f32(1);
    float result = std::isnan(a) || std::isnan(b) ? NAN : text.starts_with("max") ? std::fmax(a, b) : std::fmin(a, b);
    return {std::bit_cast<uint32_t>(result)};
  }
  if (text.starts_with("fma.rn.bf16"))
    return {roundToBf16(float(double(fromBf16(arg(0))) * fromBf16(arg(1)) + fromBf16(arg(2))))};
  fail("unknown inline PTX: " + text);
  return {0};
}

void Machine::step(Thread &thread) {
  Operation *op = thread.next;
  thread.next = op->getNextNode();
  auto &values = thread.values;
  auto a = [&](unsigned index) { return values[op->getOperand(index)][0]; };
  unsigned from = op->getNumOperands() ? widthOf(op->getOperand(0).getType()) : 0;
  auto set = [&](Bits bits) { values[op->getResult(0)] = std::move(bits); };
  auto setInt = [&](uint64_t value) { set({mask(value, widthOf(op->getResult(0).getType()))}); };
  auto f = [&](unsigned index) { return toDouble(a(index), from); };
  // Doubles hold sums and products of f32 before rounding closely enough; the widths make the rounding.
  auto setFloat = [&](double value) { set({fromDouble(value, widthOf(op->getResult(0).getType()))}); };
  llvm::TypeSwitch<Operation *>(op)
      .Case<LLVM::BrOp>([&](auto br) { jump(thread, br.getDest(), br.getDestOperands()); })
      .Case<LLVM::CondBrOp>([&](auto br) {
        bool taken = a(0);
        jump(thread, taken ? br.getTrueDest() : br.getFalseDest(),
             taken ? br.getTrueDestOperands() : br.getFalseDestOperands());
      })
      .Case<LLVM::ReturnOp>([&](auto) { thread.done = true; })
      .Case<LLVM::ConstantOp>([&](auto constant) {
        if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
          setInt(number.getValue().bitcastToAPInt().getZExtValue());
        else
          setInt(cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue());
      })
      .Case<LLVM::ZeroOp>([&](auto) { set({0}); })
      .Case<LLVM::UndefOp>([&](auto undef) {
        set(Bits(isa<VectorType>(undef.getType()) ? cast<VectorType>(undef.getType()).getNumElements() : 1, 0));
      })
      .Case<LLVM::AddressOfOp>([&](auto address) {
        ModuleOp module = simulation_.module;
        auto global = module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName());
        set({uint64_t(uintptr_t(global.getValueOrNull() ? tableOf(global) : sharedBase()))});
      })
      .Case<LLVM::AddOp>([&](auto) { setInt(a(0) + a(1)); })
      .Case<LLVM::SubOp>([&](auto) { setInt(a(0) - a(1)); })
      .Case<LLVM::MulOp>([&](auto) { setInt(a(0) * a(1)); })
      .Case<LLVM::AndOp>([&](auto) { setInt(a(0) & a(1)); })
      .Case<LLVM::OrOp>([&](auto) { setInt(a(0) | a(1)); })
      .Case<LLVM::XOrOp>([&](auto) { setInt(a(0) ^ a(1)); })
      .Case<LLVM::ShlOp>([&](auto) { setInt(a(0) << a(1)); })
      .Case<LLVM::LShrOp>([&](auto) { setInt(a(0) >> a(1)); })
      .Case<LLVM::AShrOp>([&](auto) { setInt(extend(a(0), from) >> a(1)); })
      .Case<LLVM::UMinOp>([&](auto) { setInt(std::min(a(0), a(1))); })
      .Case<LLVM::UMaxOp>([&](auto) { setInt(std::max(a(0), a(1))); })
      .Case<LLVM::AbsOp>([&](auto) { setInt(extend(a(0), from) < 0 ? 0 - a(0) : a(0)); })
      .Case<LLVM::CountLeadingZerosOp>([&](auto) { setInt(from - std::bit_width(a(0))); })
      .Case<LLVM::UIToFPOp>([&](auto) {
        if (widthOf(op->getResult(0).getType()) == 32)
          return set({std::bit_cast<uint32_t>(float(a(0)))});
        setFloat(double(a(0)));
      })
      .Case<LLVM::CallOp>([&](auto call) { set(library(thread, call)); })
      .Case<LLVM::SMinOp>([&](auto) { setInt(std::min(extend(a(0), from), extend(a(1), from))); })
      .Case<LLVM::SMaxOp>([&](auto) { setInt(std::max(extend(a(0), from), extend(a(1), from))); })
      .Case<LLVM::SDivOp, LLVM::SRemOp, LLVM::UDivOp, LLVM::URemOp>([&](auto) {
        if (a(1) == 0 || (isa<LLVM::SDivOp, LLVM::SRemOp>(op) && extend(a(1), from) == -1))
          return fail("a division that LLVM leaves undefined");
        int64_t x = extend(a(0), from), y = extend(a(1), from);
        setInt(isa<LLVM::SDivOp>(op)   ? x / y
               : isa<LLVM::SRemOp>(op) ? x % y
               : isa<LLVM::UDivOp>(op) ? a(0) / a(1)
                                       : a(0) % a(1));
      })
      .Case<LLVM::ZExtOp, LLVM::TruncOp, LLVM::PtrToIntOp, LLVM::IntToPtrOp>([&](auto) { setInt(a(0)); })
      .Case<LLVM::SExtOp>([&](auto) { setInt(extend(a(0), from)); })
      .Case<LLVM::SelectOp>([&](auto) { set(values[op->getOperand(a(0) ? 1 : 2)]); })
      .Case<LLVM::ICmpOp>([&](auto compare) {
        uint64_t x = a(0), y = a(1);
        int64_t sx = extend(x, from), sy = extend(y, from);
        using P = LLVM::ICmpPredicate;
        P p = compare.getPredicate();
        setInt(p == P::eq    ? x == y
               : p == P::ne  ? x != y
               : p == P::slt ? sx < sy
               : p == P::sle ? sx <= sy
               : p == P::sgt ? sx > sy
               : p == P::sge ? sx >= sy
               : p == P::ult ? x < y
               : p == P::ule ? x <= y
               : p == P::ugt ? x > y
                             : x >= y);
      })
      .Case<LLVM::FCmpOp>([&](auto compare) {
        double x = f(0), y = f(1);
        using P = LLVM::FCmpPredicate;
        P p = compare.getPredicate();
        bool unordered = std::isnan(x) || std::isnan(y);
        bool result = p == P::uno   ? unordered
                      : p == P::ogt ? x > y
                      : p == P::olt ? x < y
                      : p == P::oge ? x >= y
                      : p == P::ole ? x <= y
                      : p == P::oeq ? x == y
                      : p == P::une ? unordered || x != y
                      : p == P::one ? x < y || x > y
                      : p == P::ueq ? unordered || x == y
                      : p == P::ugt ? unordered || x > y
                      : p == P::uge ? unordered || x >= y
                      : p == P::ult ? unordered || x < y
                      : p == P::ule ? unordered || x <= y
                      : p == P::ord ? !unordered
                                    : p == P::_true;
        setInt(result);
      })
      .Case<LLVM::FAddOp>([&](auto) { setFloat(f(0) + f(1)); })
      .Case<LLVM::FSubOp>([&](auto) { setFloat(f(0) - f(1)); })
      .Case<LLVM::FMulOp>([&](auto) { setFloat(f(0) * f(1)); })
      .Case<LLVM::FDivOp>([&](auto) { setFloat(f(0) / f(1)); })
      .Case<LLVM::FNegOp>([&](auto) { setFloat(-f(0)); })
      .Case<LLVM::FMAOp>([&](auto) {
        // The double product of two floats is exact; std::fma rounds to float once.
        setFloat(from == 32 ? double(std::fma(float(f(0)), float(f(1)), float(f(2)))) : std::fma(f(0), f(1), f(2)));
      })
      .Case<LLVM::FPExtOp, LLVM::FPTruncOp>([&](auto) { setFloat(f(0)); })
      .Case<LLVM::SIToFPOp>([&](auto) {
        if (widthOf(op->getResult(0).getType()) == 32)
          return set({std::bit_cast<uint32_t>(float(extend(a(0), from)))});
        setFloat(double(extend(a(0), from)));
      })
      .Case<LLVM::BitcastOp>([&](auto) {
        // Between a scalar and a vector of smaller elements, lowest first.
        Type to = op->getResult(0).getType();
        if (auto vector = dyn_cast<VectorType>(to)) {
          Bits parts;
          for (int64_t i = 0; i < vector.getNumElements(); ++i)
            parts.push_back(mask(a(0) >> (i * widthOf(to)), widthOf(to)));
          return set(parts);
        }
        uint64_t all = 0;
        for (auto [i, part] : llvm::enumerate(values[op->getOperand(0)]))
          all |= part << (i * from);
        set({all});
      })
      .Case<LLVM::ExtractElementOp>([&](auto) { set({values[op->getOperand(0)][a(1)]}); })
      .Case<LLVM::InsertElementOp>([&](auto) {
        Bits vector = values[op->getOperand(0)];
        vector[a(2)] = a(1);
        set(vector);
      })
      .Case<LLVM::ExtractValueOp>([&](auto extract) { set({values[op->getOperand(0)][extract.getPosition()[0]]}); })
      .Case<LLVM::GEPOp>([&](auto gep) {
        int64_t offset = 0;
        for (auto index : gep.getIndices())
          if (auto constant = dyn_cast<IntegerAttr>(index))
            offset = constant.getInt();
          else
            offset = extend(values[cast<Value>(index)][0], widthOf(cast<Value>(index).getType()));
        set({a(0) + uint64_t(offset) * (widthOf(gep.getElemType()) / 8)});
      })
      .Case<LLVM::LoadOp>([&](auto load) {
        auto vector = dyn_cast<VectorType>(load.getType());
        set(loadFrom(a(0), widthOf(load.getType()) / 8, vector ? vector.getNumElements() : 1));
      })
      .Case<LLVM::StoreOp>(
          [&](auto store) { storeTo(a(1), widthOf(store.getValue().getType()) / 8, values[store.getValue()]); })
      .Case<LLVM::InlineAsmOp>([&](auto assemblyOp) {
        Bits result = assembly(thread, assemblyOp);
        if (op->getNumResults())
          set(result);
      })
      .Case<LLVM::CallIntrinsicOp>([&](auto call) { set(intrinsic(thread, call)); })
      .Default([&](Operation *) { fail("unknown op " + op->getName().getStringRef()); });
}

} // namespace

std::string Simulation::run() { return Machine(*this).run(); }

} // namespace tilewise::nvidiatest
