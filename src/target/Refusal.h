// Errors of a pass that are not ours: the kernel asks for what an engine does not have, or the
// launch for what a device cannot give.
//
// A pass reports at an op's location. Whose fault an error is travels with that location, so that
// the driver can tell a kernel that cannot be run from a pass that broke: an error without such a
// mark is ours.
#pragma once

#include "support/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace tilewise {

/// Starts an error that is the kernel's.
mlir::InFlightDiagnostic kernelError(mlir::Operation *op);
/// Starts an error that is the launch's: its options, or the device's limits.
mlir::InFlightDiagnostic launchError(mlir::Operation *op);
/// "the cpu engine cannot run tile.scan yet"; `detail` follows the op's name.
mlir::InFlightDiagnostic refuse(mlir::Operation *op, llvm::StringRef engine, llvm::StringRef detail = "");

/// Whose fault an error at this location is.
ErrorKind faultOf(mlir::Location loc);

} // namespace tilewise
