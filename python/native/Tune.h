// The library's race between candidates, for the package's autotuner, and what it measures by.
#pragma once

#include "Host.h"

namespace tilewise::python {

bool addTune(PyObject *module);

} // namespace tilewise::python
