// Pointer arithmetic, loads and stores: lane by lane through the block of addresses.
#include "reference/Checked.h"

#include "ir/Tile.h"

#include <cstring>

using namespace mlir;

namespace tilewise::reference {
namespace {

struct PtrAddDetails : Details {
  uint64_t bytes = 1;
};

template <typename T> void ptrAdd(const Instruction &i, Frame &frame) {
  uint64_t bytes = i.as<PtrAddDetails>().bytes;
  const uint64_t *__restrict pointer = frame.at<uint64_t>(i.in[0]);
  const T *__restrict offset = frame.at<T>(i.in[1]);
  uint64_t *__restrict out = frame.at<uint64_t>(i.out[0]);
  for (size_t k = 0, n = i.count; k < n; ++k)
    out[k] = pointer[k] + uint64_t(int64_t(Int<T>::sext(offset[k]))) * bytes;
}

bool decodePtrAdd(tile::PtrAddOp op, Decoder &decoder) {
  auto pointee = kindOf(cast<tile::PtrType>(tile::elementTypeOf(op.getType())).getPointee());
  if (!pointee)
    return false;
  auto details = std::make_unique<PtrAddDetails>();
  details->bytes = bytesOf(*pointee);
  return visitInt(*kindOf(op.getOffset().getType()), [&](auto tag) {
    Instruction &instruction = decoder.append(op);
    instruction.execute = ptrAdd<typename decltype(tag)::Type>;
    instruction.details = std::move(details);
  });
}

struct AccessDetails : Details {
  AccessSite site;
  Slot other = kNoSlot;
};

/// `T` is the element's storage: a bool in memory is true when its byte is not zero.
template <typename T> T readElement(uint64_t address) {
  if constexpr (std::is_same_v<T, Bool>) {
    return Bool{uint8_t(*reinterpret_cast<const uint8_t *>(address) != 0)};
  } else {
    T value;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(T));
    return value;
  }
}

template <typename T> void load(const Instruction &i, Frame &frame) {
  const auto &details = i.as<AccessDetails>();
  if (!mayAccess(details.site, i.count, frame))
    return;
  const uint64_t *__restrict pointer = frame.at<uint64_t>(i.in[0]);
  T *__restrict out = frame.at<T>(i.out[0]);
  const uint8_t *__restrict mask = details.site.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.site.mask);
  const T *__restrict other = details.other == kNoSlot ? nullptr : frame.at<T>(details.other);
  for (size_t k = 0, n = i.count; k < n; ++k) {
    if (mask && !mask[k]) {
      out[k] = other ? other[k] : T{};
      continue;
    }
    out[k] = readElement<T>(pointer[k]);
  }
}

template <typename T> void store(const Instruction &i, Frame &frame) {
  const auto &details = i.as<AccessDetails>();
  if (!mayAccess(details.site, i.count, frame))
    return;
  const uint64_t *__restrict pointer = frame.at<uint64_t>(i.in[0]);
  const T *__restrict value = frame.at<T>(i.in[1]);
  const uint8_t *__restrict mask = details.site.mask == kNoSlot ? nullptr : frame.at<uint8_t>(details.site.mask);
  for (size_t k = 0, n = i.count; k < n; ++k) {
    if (mask && !mask[k])
      continue;
    std::memcpy(reinterpret_cast<void *>(pointer[k]), &value[k], sizeof(T));
  }
}

bool decodeLoad(tile::LoadOp op, Decoder &decoder) {
  Kind kind = *kindOf(op.getType());
  auto details = std::make_unique<AccessDetails>();
  details->site = siteOf(op, "load", op.getPointer(), op.getMask(), decoder);
  if (op.getOther())
    details->other = decoder.slotOf(op.getOther());
  Instruction &instruction = decoder.append(op);
  instruction.details = std::move(details);
  if (kind == Kind::Bool)
    instruction.execute = load<Bool>;
  else
    visitBytes(bytesOf(kind), [&](auto tag) { instruction.execute = load<typename decltype(tag)::Type>; });
  return true;
}

bool decodeStore(tile::StoreOp op, Decoder &decoder) {
  auto details = std::make_unique<AccessDetails>();
  details->site = siteOf(op, "store", op.getPointer(), op.getMask(), decoder);
  Instruction &instruction = decoder.append(op);
  instruction.count = decoder.countOf(op.getPointer());
  instruction.details = std::move(details);
  visitBytes(bytesOf(*kindOf(op.getValue().getType())),
             [&](auto tag) { instruction.execute = store<typename decltype(tag)::Type>; });
  return true;
}

void nothing(const Instruction &, Frame &) {}

} // namespace

bool decodeMemory(Operation *op, Decoder &decoder) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::PtrAddOp op) { return decodePtrAdd(op, decoder); })
      .Case([&](tile::LoadOp op) { return decodeLoad(op, decoder); })
      .Case([&](tile::StoreOp op) { return decodeStore(op, decoder); })
      // A program's accesses happen one after another as it is; and nothing here makes use of what
      // is promised.
      .Case<tile::BarrierOp, tile::AssumeOp>([&](Operation *op) {
        decoder.append(op).execute = nothing;
        return true;
      })
      .Default(false);
}

} // namespace tilewise::reference
