// What the C interface's opaque handles hold.
#pragma once

#include "runtime/Kernel.h"

struct tw_source {
  std::shared_ptr<tilewise::Source> source;
};
struct tw_kernel {
  std::unique_ptr<tilewise::Kernel> kernel;
};
