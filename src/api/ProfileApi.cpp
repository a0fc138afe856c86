// tw_profile_* and tw_device_ceilings.
#include "api/Status.h"
#include "runtime/Device.h"
#include "runtime/bench/Ceilings.h"
#include "runtime/profile/Profile.h"
#include "support/Try.h"
#include "tilewise/profile.h"

#include <vector>

using namespace tilewise;

void tw_profile_start(void) { profile::start(); }
void tw_profile_stop(void) { profile::stop(); }

tw_status tw_profile_trace(char **json) {
  return guarded([&] { return returnText(profile::trace(), json); });
}

tw_status tw_profile_table(char **text) {
  return guarded([&] { return returnText(profile::table(), text); });
}

tw_status tw_profile_merge(const char *const *traces, size_t count, char **json, char **table) {
  return guarded([&]() -> Result<void> {
    const std::vector<std::string> texts(traces, traces + count);
    std::string printed;
    const std::string merged = profile::mergeTraces(texts, printed);
    TILEWISE_CHECK(returnText(merged, json));
    return returnText(std::move(printed), table);
  });
}

tw_status tw_device_measure(tw_device device, tw_ceilings *ceilings) {
  return guarded([&]() -> Result<void> {
    TILEWISE_TRY(const bench::Ceilings found, bench::measureCeilings(device));
    *ceilings = {found.gigabytesPerSecond, found.gigaflops};
    return {};
  });
}

tw_status tw_device_ceilings(tw_device device, bool measure, tw_ceilings *ceilings) {
  return guarded([&]() -> Result<void> {
    std::optional<bench::Ceilings> found = bench::knownCeilings(device);
    if (!found && !measure)
      return launchFailure("nothing has been measured of " + deviceText(device) + " yet: tilewise info --measure");
    if (!found) {
      TILEWISE_TRY(found, bench::measureCeilings(device));
    }
    *ceilings = {found->gigabytesPerSecond, found->gigaflops};
    return {};
  });
}
