// Names of live functions: the compiler's questions -> a Python resolver's answers.
#pragma once

#include "Operand.h"

namespace tilewise::python {

/// While it lives its thread holds the GIL, whoever's thread it is.
class Gil {
public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }

private:
  PyGILState_STATE state_;
};

/// Makes `resolver` answer for the names of the source's functions; false with an exception set.
///
/// The resolver has `lookup(name)` -> value, or KeyError; `names()` -> a list; `describe(value)` ->
/// what a value is that is neither None nor a number, string, tuple, list or dict: ("constexpr",
/// value), ("language", dotted), ("type", expression), ("function", source, name), or ("object",
/// description); `call(object, arguments, named)` -> the result of a call in a kernel;
/// `type_of(expression)` -> a type.
bool setResolver(tw_source *source, PyObject *resolver);

/// The callbacks over a resolver, of which the structure holds a reference.
tw_host hostOf(PyObject *resolver);

/// Says to the library what an object is; false with an exception set.
bool say(PyObject *resolver, PyObject *object, tw_value *value);
/// What the library hands over -> a Python object; null with an exception set. Blocks and other
/// things of an interpreter become operands; without an interpreter they are an error.
Ref read(PyObject *resolver, const tw_value *value, tw_interpreter *interpreter = nullptr);

/// The handle inside a tilewise._native.Source, or null with an exception set.
tw_source *sourceOf(PyObject *object);

/// Raises the exception that belongs to a failed call; returns null.
PyObject *raise(tw_status status);

} // namespace tilewise::python
