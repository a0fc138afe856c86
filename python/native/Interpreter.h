// Operations on the values of the kernel that runs in interpreter mode on this thread.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

enum class Operator {
  Add,
  Subtract,
  Multiply,
  TrueDivide,
  FloorDivide,
  Remainder,
  And,
  Or,
  Xor,
  LeftShift,
  RightShift,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Negative,
  Invert,
  Positive,
  Absolute,
};

/// `a op b`, or `op a` without `b`; null with an exception set.
PyObject *evaluateOperator(Operator op, PyObject *a, PyObject *b);

/// Adds the types Session and Function, and the functions over the session of this thread.
bool addInterpreter(PyObject *module);

} // namespace tilewise::python
