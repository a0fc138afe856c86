// What a launch that failed on a GPU is told with: which kernels it may have been, and that the
// driver takes no more work.
//
// A GPU's kernels fail behind the host's back. The driver says so in the next call, whichever that
// is, without a name; and from then on it refuses everything in that context, which other libraries
// of the process share, so that it cannot be made anew.
#pragma once

#include <string>

namespace tilewise::cuda {

/// A name that can be noted: kept as long as the process lives, once for all kernels that share it.
const std::string *internName(const std::string &kernel);

/// A launch of such a kernel is queued. A store and an addition, from any thread.
void noteLaunch(const std::string *kernel);

/// Behind the driver's own words for a code: nothing unless the code says that a kernel failed.
std::string describeFault(int code);

} // namespace tilewise::cuda
