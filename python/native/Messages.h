// What the library says while it works, as Python hears it.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Passes on what kernels print and asks for Ctrl-C; adds `set_log(function)` and
/// `set_warnings(flags)` to the module.
bool addMessages(PyObject *module);

} // namespace tilewise::python
