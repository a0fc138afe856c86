// Atomics: kernels that have any run on one thread, program after program and lane after lane, so
// plain memory is enough.
#include "reference/Checked.h"

#include "ir/Tile.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {
namespace {

struct AtomicDetails : Details {
  AccessSite site;
};

/// Runs `update(old) -> new` at each lane's address and gives the old element.
template <typename T, typename Update> void updateLanes(const Instruction &i, Frame &frame, Update update) {
  const auto &details = i.as<AtomicDetails>();
  if (!mayAccess(details.site, i.count, frame))
    return;
  const uint64_t *pointer = frame.at<uint64_t>(i.in[0]);
  const uint8_t *mask = details.site.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.site.mask);
  T *out = frame.at<T>(i.out[0]);
  for (size_t k = 0; k < i.count; ++k) {
    T old{};
    if (!mask || mask[k]) {
      std::memcpy(&old, reinterpret_cast<void *>(pointer[k]), sizeof(T));
      T updated = update(old, k);
      std::memcpy(reinterpret_cast<void *>(pointer[k]), &updated, sizeof(T));
    }
    out[k] = old;
  }
}

template <typename T, tile::AtomicKind kKind> void rmwInt(const Instruction &i, Frame &frame) {
  const T *value = frame.at<T>(i.in[1]);
  updateLanes<T>(i, frame, [&](T old, size_t k) {
    using K = tile::AtomicKind;
    using I = Int<T>;
    T x = value[k];
    if constexpr (kKind == K::add)
      return I::make(typename I::Unsigned(I::zext(old) + I::zext(x)));
    else if constexpr (kKind == K::max_s)
      return I::sext(x) > I::sext(old) ? x : old;
    else if constexpr (kKind == K::max_u)
      return I::zext(x) > I::zext(old) ? x : old;
    else if constexpr (kKind == K::min_s)
      return I::sext(x) < I::sext(old) ? x : old;
    else if constexpr (kKind == K::min_u)
      return I::zext(x) < I::zext(old) ? x : old;
    else if constexpr (kKind == K::and_)
      return I::make(typename I::Unsigned(I::zext(old) & I::zext(x)));
    else if constexpr (kKind == K::or_)
      return I::make(typename I::Unsigned(I::zext(old) | I::zext(x)));
    else
      return I::make(typename I::Unsigned(I::zext(old) ^ I::zext(x)));
  });
}

template <typename T> void addFloat(const Instruction &i, Frame &frame) {
  const T *value = frame.at<T>(i.in[1]);
  updateLanes<T>(i, frame,
                 [&](T old, size_t k) { return Float<T>::narrow(Float<T>::widen(old) + Float<T>::widen(value[k])); });
}

template <typename T> void exchange(const Instruction &i, Frame &frame) {
  const T *value = frame.at<T>(i.in[1]);
  updateLanes<T>(i, frame, [&](T, size_t k) { return value[k]; });
}

template <typename T> void compareAndSwap(const Instruction &i, Frame &frame) {
  const T *expected = frame.at<T>(i.in[1]), *value = frame.at<T>(i.in[2]);
  updateLanes<T>(i, frame, [&](T old, size_t k) { return old == expected[k] ? value[k] : old; });
}

template <tile::AtomicKind kKind> bool chooseInt(Kind kind, Instruction &instruction) {
  return visitInt(kind, [&](auto tag) { instruction.execute = rmwInt<typename decltype(tag)::Type, kKind>; });
}

bool chooseRmw(tile::AtomicKind atomic, Kind kind, Instruction &instruction) {
  using K = tile::AtomicKind;
  switch (atomic) {
  case K::add:
    return chooseInt<K::add>(kind, instruction);
  case K::max_s:
    return chooseInt<K::max_s>(kind, instruction);
  case K::max_u:
    return chooseInt<K::max_u>(kind, instruction);
  case K::min_s:
    return chooseInt<K::min_s>(kind, instruction);
  case K::min_u:
    return chooseInt<K::min_u>(kind, instruction);
  case K::and_:
    return chooseInt<K::and_>(kind, instruction);
  case K::or_:
    return chooseInt<K::or_>(kind, instruction);
  case K::xor_:
    return chooseInt<K::xor_>(kind, instruction);
  case K::fadd:
    return visitFloat(kind, [&](auto tag) { instruction.execute = addFloat<typename decltype(tag)::Type>; });
  case K::xchg:
    visitBytes(bytesOf(kind), [&](auto tag) { instruction.execute = exchange<typename decltype(tag)::Type>; });
    return true;
  }
  return false;
}

Instruction &appendAtomic(Operation *op, Value pointer, Value mask, Decoder &decoder) {
  decoder.hasAtomics = true;
  auto details = std::make_unique<AtomicDetails>();
  details->site = siteOf(op, "atomic", pointer, mask, decoder);
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  return instruction;
}

} // namespace

bool decodeAtomics(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::AtomicRmwOp op) {
        return chooseRmw(op.getKind(), *kindOf(op.getType()), appendAtomic(op, op.getPointer(), op.getMask(), decoder));
      })
      .Case([&](tile::AtomicCasOp op) {
        Instruction &instruction = appendAtomic(op, op.getPointer(), {}, decoder);
        visitBytes(bytesOf(*kindOf(op.getType())),
                   [&](auto tag) { instruction.execute = compareAndSwap<typename decltype(tag)::Type>; });
        return true;
      })
      .Default(false);
}

} // namespace tilewise::reference
