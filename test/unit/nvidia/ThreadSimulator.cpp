// Runs a lowered NVIDIA kernel on the host, thread by thread.
#include "SimulatedThreads.h"

#include "llvm/ADT/TypeSwitch.h"

namespace tilewise::nvidiatest {

void Machine::step(Thread &thread) {
  Operation *op = thread.next;
  thread.next = op->getNextNode();
  auto &values = thread.values;
  auto a = [&](unsigned index) { return values[op->getOperand(index)][0]; };
  unsigned from = op->getNumOperands() ? widthOf(op->getOperand(0).getType()) : 0;
  auto set = [&](Bits bits) { values[op->getResult(0)] = std::move(bits); };
  auto setInt = [&](uint64_t value) { set({mask(value, widthOf(op->getResult(0).getType()))}); };
  auto f = [&](unsigned index) { return toDouble(a(index), from); };
  // Doubles hold sums and products of f32 before rounding closely enough; the widths make the
  // rounding.
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
      .Case<LLVM::CallOp>([&](auto call) {
        if (!hostCall(thread, call))
          set(library(thread, call));
      })
      .Case<LLVM::AllocaOp>([&](auto) {
        locals_.emplace_back(a(0));
        set({uint64_t(uintptr_t(locals_.back().data()))});
      })
      .Case<LLVM::AddrSpaceCastOp>([&](auto) { set({a(0)}); })
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

std::string Simulation::run() { return Machine(*this).run(); }

} // namespace tilewise::nvidiatest
