// The library's measuring and reports, for triton.testing.
#pragma once

#include "Host.h"

namespace tilewise::python {

bool addBench(PyObject *module);

} // namespace tilewise::python
