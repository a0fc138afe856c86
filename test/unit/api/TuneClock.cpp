// Reaches behind the C interface; a file of its own, since the names there are those of the C++
// interface.
#include "api/TuneClock.h"
#include "api/TuneHandles.h"

namespace tilewise::test {

void setClock(tw_tuner *tuner, std::function<double()> now) { tuner->tuner.now = std::move(now); }

} // namespace tilewise::test
