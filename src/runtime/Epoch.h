// Frees what launches read without a lock, once no launch can be reading it.
//
// A launch is pinned while it runs: it has written the number of the current epoch into a place of
// its own. Whoever takes something out of a table that launches read retires it: it is kept with
// the number of the epoch, and the epoch ends. It is freed when no launch is pinned in that epoch
// or an earlier one; those of later epochs began after it was out of the table.
//
//     launch A pins 7 ... runs variant v ...                       ends
//           a compile evicts v: retired in 7, epoch 8 begins            the next compile: nobody is pinned at 7 or before, v is freed
//                 launch B pins 8, does not find v
//
// A pin and its end are a store each into a line that no other thread writes.
#pragma once

#include <cstdint>
#include <memory>

namespace tilewise {

class EpochPin {
public:
  EpochPin();
  ~EpochPin();
  EpochPin(const EpochPin &) = delete;
  EpochPin &operator=(const EpochPin &) = delete;
};

/// Takes over what no table holds any more.
void retire(void *object, void (*destroy)(void *));
template <typename T> void retire(std::unique_ptr<T> object) {
  retire(object.release(), [](void *gone) { delete static_cast<T *>(gone); });
}

/// Frees what can be. To be called without locks that the objects' destructors take.
void freeRetired();
/// How many objects wait.
size_t retiredCount();

} // namespace tilewise
