// How a kernel uses atomics, as far as engines care.
//
// A kernel that only adds to memory (or takes a maximum, sets bits) and asks for no old element can
// wait for nobody. Where its programs run one after another and no other launch with atomics runs,
// a load, an addition and a store are as good as the atomic, and take vectors (runtime/Alone.h).
// Atomics for the whole system (scope="sys") stay what they are: other processes may take part.
#pragma once

namespace mlir {
class Operation;
} // namespace mlir

namespace tilewise::tile {

struct AtomicUse {
  bool any = false;
  /// A while loop looks at memory that other programs change: by an atomic or a volatile load.
  bool mayWait = false;
  /// All of them update memory without telling what was there, and nothing waits.
  bool updatesOnly = false;
};

AtomicUse atomicUseOf(mlir::Operation *root);

/// An atomic that tells nothing: its old elements are not used.
bool isUpdate(mlir::Operation *op);

} // namespace tilewise::tile
