// A clock of a test's own for a tuner, so that no test compares times of the machine.
#pragma once

#include "tilewise/tune.h"

#include <functional>

namespace tilewise::test {

/// `now` gives seconds.
void setClock(tw_tuner *tuner, std::function<double()> now);

} // namespace tilewise::test
