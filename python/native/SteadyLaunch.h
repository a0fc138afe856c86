// Launches that need nothing of Python any more.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Adds `set_steady(function)` to the module: it gives the engine of launches while nothing in the
/// process wants to hear of them or changes their options, else None.
bool addSteadyLaunch(PyObject *module);

/// A launch of a JITFunction by what its `_steady` remembers of earlier ones: a new reference to
/// the compiled kernel. Null without an exception where Python must see to it: nothing was launched
/// then.
PyObject *launchSteady(PyObject *function, PyObject *grid, PyObject *positional, PyObject *named);

} // namespace tilewise::python
