// What the C interface's opaque handles hold.
#pragma once

#include "runtime/Kernel.h"

struct tw_source {
  std::shared_ptr<tilewise::Source> source;
};
namespace tilewise {
/// What an older caller's structure does not have, and a null pointer, mean the defaults.
LaunchOptions readOptions(const tw_options *options);
} // namespace tilewise

struct tw_kernel {
  std::unique_ptr<tilewise::Kernel> kernel;
};
