// Launches of one kernel from the code that torch's Inductor writes.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Adds `graph_launcher(...)` to the module.
bool addGraphLauncher(PyObject *module);

} // namespace tilewise::python
