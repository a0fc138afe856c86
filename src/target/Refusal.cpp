// The mark on a location that says whose fault an error is.
#include "target/Refusal.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace tilewise {

static constexpr llvm::StringLiteral kKernel = "tile.fault.kernel", kLaunch = "tile.fault.launch";

static InFlightDiagnostic errorMarked(Operation *op, StringRef mark) {
  MLIRContext *context = op->getContext();
  return emitError(FusedLoc::get(context, {op->getLoc()}, StringAttr::get(context, mark)));
}

InFlightDiagnostic kernelError(Operation *op) { return errorMarked(op, kKernel); }
InFlightDiagnostic launchError(Operation *op) { return errorMarked(op, kLaunch); }

InFlightDiagnostic refuse(Operation *op, StringRef engine, StringRef detail) {
  return kernelError(op) << "the " << engine << " engine cannot run " << op->getName().getStringRef()
                         << (detail.empty() ? "" : " ") << detail << " yet";
}

ErrorKind faultOf(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto mark = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  if (mark && mark == kKernel)
    return ErrorKind::Kernel;
  return mark && mark == kLaunch ? ErrorKind::Launch : ErrorKind::Internal;
}

} // namespace tilewise
