// tw_analysis_*.
#include "api/Status.h"
#include "runtime/Analysis.h"
#include "tilewise/analyze.h"

using namespace tilewise;

void tw_analysis_start(void) { analysis::start(); }

tw_status tw_analysis_stop(tw_analysis_totals *totals, void (*take)(void *user, const tw_analysis_part *part),
                           void *user) {
  return guarded([&]() -> Result<void> {
    const analysis::Counts found = analysis::stop();
    if (totals)
      *totals = {found.launches, found.programs, found.operations, found.dotOperations};
    for (const analysis::ArgumentCounts &each : found.arguments) {
      const tw_analysis_part part = {each.name.c_str(),   each.loaded,        each.stored,       each.distinctLoaded,
                                     each.distinctStored, each.loadedSectors, each.storedSectors};
      if (take)
        take(user, &part);
    }
    return {};
  });
}
