// Calls into the package whose frames do not show in the user's traceback.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Adds `launcher(function, grid, kernel=None)` and `shield(function)` to the module: callables
/// that call `function(*args, grid=grid, **kwargs)` and `function(*args, **kwargs)`, and take the
/// package's own frames out of the traceback of what it raises. Of a `kernel`, a JITFunction,
/// steady launches (SteadyLaunch.h) do not come to the function.
bool addLauncher(PyObject *module);

} // namespace tilewise::python
