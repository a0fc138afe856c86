// Calls into the package whose frames do not show in the user's traceback.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Adds `launcher(function, grid)` and `shield(function)` to the module: callables that call
/// `function(*args, grid=grid, **kwargs)` and `function(*args, **kwargs)`, and take the package's
/// own frames out of the traceback of what it raises.
bool addLauncher(PyObject *module);

} // namespace tilewise::python
