// Launches on the threads of an OpenMP library that is in the process.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Adds `use_openmp(...)` to the module.
bool addOpenMp(PyObject *module);

} // namespace tilewise::python
