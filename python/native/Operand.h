// What stands for things of an interpreted kernel in Python: native bases of the package's classes.
#pragma once

#include "Arguments.h"
#include "tilewise/interpreter.h"

namespace tilewise::python {

/// `tilewise._native.Operand`, or an instance of a class made from it.
struct OperandObject {
  PyObject_HEAD tw_operand *operand;
};

/// The operand inside, or null when the object is none; no exception is set.
tw_operand *operandOf(PyObject *object);

/// The object for an operand, which it takes over: a tensor, or for other things one with a text
/// that says what it is.
Ref wrapTensor(tw_operand *operand);
Ref wrapOther(tw_operand *operand, const char *text);

/// Adds the types Operand and Tensor, and `set_operand_classes`.
bool addOperands(PyObject *module);

} // namespace tilewise::python
