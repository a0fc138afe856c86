// Names of live functions: the compiler's questions -> a Python resolver's answers.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

/// Makes `resolver` answer for the names of the source's functions; false with an exception set.
///
/// The resolver has `lookup(name)` -> value, or KeyError; `names()` -> a list; `describe(value)` -> what a value is that is neither None nor a
/// number, string, tuple, list or dict: ("constexpr", value), ("language", dotted), ("type", expression), ("function", source, name) or
/// ("object", description); `call(object, arguments, named)` -> the result of a call in a kernel; `type_of(expression)` -> a type.
bool setResolver(tw_source *source, PyObject *resolver);

/// The handle inside a tilewise._native.Source, or null with an exception set.
tw_source *sourceOf(PyObject *object);

/// Raises the exception that belongs to a failed call; returns null.
PyObject *raise(tw_status status);

} // namespace tilewise::python
