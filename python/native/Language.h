// What the library says of the language: its names, and how signatures read.
#pragma once

#include "Operand.h"

namespace tilewise::python {

/// Adds language_names and read_signature to the module; false with an exception set.
bool addLanguage(PyObject *module);

} // namespace tilewise::python
