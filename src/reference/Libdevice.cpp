// Calls of libdevice: the table's own functions, looped over whole buffers.
#include "reference/Code.h"

#include "ir/Tile.h"
#include "libdevice/Libdevice.h"

using namespace mlir;

namespace tilewise::reference {
namespace {

struct LibraryDetails : Details {
  const libdevice::Function *function = nullptr;
};

void libraryLoop(const Instruction &i, Frame &frame) {
  const void *operands[4] = {};
  for (size_t k = 0; k < i.in.size(); ++k)
    operands[k] = frame.at<void>(i.in[k]);
  i.as<LibraryDetails>().function->apply(operands, frame.at<void>(i.out[0]), i.count);
}

Kind kindOf(libdevice::Element element) {
  using libdevice::Element;
  switch (element) {
  case Element::Bool:
    return Kind::Bool;
  case Element::I32:
  case Element::U32:
    return Kind::I32;
  case Element::I64:
  case Element::U64:
    return Kind::I64;
  case Element::F32:
    return Kind::F32;
  case Element::F64:
    return Kind::F64;
  }
  return Kind::Bool;
}

} // namespace

bool decodeLibdevice(Operation *op, Decoder &decoder) {
  auto call = dyn_cast<tile::ExternCallOp>(op);
  if (!call)
    return false;
  const libdevice::Function *function = libdevice::findSymbol(call.getSymbol());
  bool fits = function && kindOf(function->result) == *kindOf(call.getType()) &&
              llvm::equal(function->operands(), call.getOperandTypes(),
                          [](libdevice::Element element, Type type) { return kindOf(element) == *kindOf(type); });
  if (!fits) {
    decoder.fail(
        kernelFailure("the reference engine has no library function '" + call.getSymbol().str() + "' of these types"));
    return true;
  }
  auto details = std::make_unique<LibraryDetails>();
  details->function = function;
  Instruction &instruction = decoder.append(op);
  instruction.execute = libraryLoop;
  instruction.details = std::move(details);
  return true;
}

} // namespace tilewise::reference
