// Interpreter mode: expressions over Python objects, evaluated at once.
#include "Host.h"

#include <vector>

namespace tilewise::python {
namespace {

constexpr char kInterpreterCapsule[] = "tilewise.interpreter";

tw_interpreter *interpreterOf(PyObject *capsule) {
  return static_cast<tw_interpreter *>(PyCapsule_GetPointer(capsule, kInterpreterCapsule));
}

void destroyInterpreter(PyObject *capsule) { tw_interpreter_destroy(interpreterOf(capsule)); }

/// interpreter_create(resolver)
PyObject *create(PyObject *, PyObject *resolver) {
  tw_host host = hostOf(resolver);
  tw_interpreter *interpreter;
  if (tw_status status = tw_interpreter_create(&host, &interpreter))
    return raise(status);
  return PyCapsule_New(interpreter, kInterpreterCapsule, destroyInterpreter);
}

/// interpreter_program(interpreter, x, y, z, grid x, grid y, grid z)
PyObject *setProgram(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  unsigned int program[3], grid[3];
  if (!PyArg_ParseTuple(arguments, "OIIIIII", &capsule, &program[0], &program[1], &program[2], &grid[0], &grid[1],
                        &grid[2]))
    return nullptr;
  tw_interpreter *interpreter = interpreterOf(capsule);
  if (!interpreter)
    return nullptr;
  tw_interpreter_set_program(interpreter, program, grid);
  Py_RETURN_NONE;
}

/// interpreter_argument(interpreter, type, bits) -> operand
PyObject *argument(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  const char *type;
  unsigned long long bits;
  if (!PyArg_ParseTuple(arguments, "OsK", &capsule, &type, &bits))
    return nullptr;
  tw_interpreter *interpreter = interpreterOf(capsule);
  if (!interpreter)
    return nullptr;
  tw_operand *operand;
  if (tw_status status = tw_interpreter_argument(interpreter, type, bits, &operand))
    return raise(status);
  return capsuleOf(operand).release();
}

/// interpreter_pointer(interpreter, type, name, address, bytes, bytes before) -> operand; -1 bytes mean that nobody knows
PyObject *pointer(PyObject *, PyObject *arguments) {
  PyObject *capsule;
  const char *type, *name;
  unsigned long long address;
  long long bytes, before;
  if (!PyArg_ParseTuple(arguments, "OssKLL", &capsule, &type, &name, &address, &bytes, &before))
    return nullptr;
  tw_interpreter *interpreter = interpreterOf(capsule);
  if (!interpreter)
    return nullptr;
  tw_operand *operand;
  if (tw_status status = tw_interpreter_pointer(
          interpreter, type, name, address, bytes < 0 ? TW_BYTES_UNKNOWN : uint64_t(bytes), uint64_t(before), &operand))
    return raise(status);
  return capsuleOf(operand).release();
}

struct Evaluation {
  PyObject *resolver;
  PyObject *const *values;
  tw_interpreter *interpreter;
  Ref result;
};

void give(void *user, size_t index, tw_value *value) {
  auto &evaluation = *static_cast<Evaluation *>(user);
  PyObject *object = evaluation.values[index];
  Ref handle;
  if (reinterpret_cast<PyObject *>(Py_TYPE(object)) == blockClass) {
    handle = Ref(PyObject_GetAttrString(object, "handle"));
    object = handle.get();
  }
  if (PyCapsule_IsValid(object, kOperandCapsule))
    tw_value_operand(value, static_cast<tw_operand *>(PyCapsule_GetPointer(object, kOperandCapsule)));
  else if (!say(evaluation.resolver, object, value))
    // The exception is pending and told by raise(); the message only ends the evaluation.
    tw_value_error(value, "a value could not be had from Python");
}

void take(void *user, const tw_value *result) {
  auto &evaluation = *static_cast<Evaluation *>(user);
  evaluation.result = read(evaluation.resolver, result, evaluation.interpreter);
}

/// interpreter_evaluate(interpreter, resolver, expression, names, *values); operands may stand among the values as they are.
PyObject *evaluate(PyObject *, PyObject *const *arguments, Py_ssize_t count) {
  if (count < 4) {
    PyErr_SetString(PyExc_TypeError,
                    "interpreter_evaluate takes an interpreter, a resolver, an expression, names and values");
    return nullptr;
  }
  tw_interpreter *interpreter = interpreterOf(arguments[0]);
  const char *expression = interpreter ? PyUnicode_AsUTF8AndSize(arguments[2], nullptr) : nullptr;
  if (!expression)
    return nullptr;
  std::vector<const char *> names(size_t(count - 4));
  for (size_t i = 0; i < names.size(); ++i) {
    names[i] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(arguments[3], Py_ssize_t(i)), nullptr);
    if (!names[i])
      return nullptr;
  }
  Evaluation evaluation{arguments[1], arguments + 4, interpreter, Ref()};
  if (tw_status status =
          tw_interpreter_evaluate(interpreter, expression, names.data(), names.size(), give, take, &evaluation))
    return raise(status);
  return evaluation.result.release();
}

/// interpreter_classes(block, other)
PyObject *setClasses(PyObject *, PyObject *arguments) {
  if (!PyArg_ParseTuple(arguments, "OO", &blockClass, &otherClass))
    return nullptr;
  Py_INCREF(blockClass);
  Py_INCREF(otherClass);
  Py_RETURN_NONE;
}

/// operand_data(operand) -> bytes
PyObject *data(PyObject *, PyObject *capsule) {
  auto *operand = static_cast<tw_operand *>(PyCapsule_GetPointer(capsule, kOperandCapsule));
  if (!operand)
    return nullptr;
  size_t bytes = 0;
  const void *elements = tw_operand_data(operand, &bytes);
  if (elements)
    return PyBytes_FromStringAndSize(static_cast<const char *>(elements), Py_ssize_t(bytes));
  PyErr_SetString(PyExc_TypeError, "only scalars and blocks have elements");
  return nullptr;
}

} // namespace

PyObject *blockClass, *otherClass;

PyMethodDef interpreterFunctions[] = {
    {"interpreter_classes", setClasses, METH_VARARGS, nullptr},
    {"interpreter_create", create, METH_O, nullptr},
    {"interpreter_program", setProgram, METH_VARARGS, nullptr},
    {"interpreter_argument", argument, METH_VARARGS, nullptr},
    {"interpreter_pointer", pointer, METH_VARARGS, nullptr},
    {"interpreter_evaluate", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(evaluate)), METH_FASTCALL,
     nullptr},
    {"operand_data", data, METH_O, nullptr},
    {},
};

} // namespace tilewise::python
