// The library's log, what kernels print, and Ctrl-C: see Messages.h.
#include "Messages.h"

#include "Host.h"
#include "tilewise/report.h"

namespace tilewise::python {

static PyObject *logFunction = nullptr;

/// What the library has to say beside errors -> the package's function(level, message).
static void passOn(tw_log_level level, const char *message, void *) {
  if (!logFunction || !Py_IsInitialized())
    return;
  PyGILState_STATE state = PyGILState_Ensure();
  Ref done(PyObject_CallFunction(logFunction, "is", int(level), message));
  if (!done)
    PyErr_WriteUnraisable(logFunction);
  PyGILState_Release(state);
}

/// What kernels print -> sys.stdout, where notebooks and tests look for it, in order with what
/// Python prints.
static void printText(const char *text, void *) {
  if (!Py_IsInitialized())
    return;
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *out = PySys_GetObject("stdout");
  if (out && out != Py_None) {
    Ref done(PyObject_CallMethod(out, "write", "s", text));
    if (!done)
      PyErr_WriteUnraisable(out);
  }
  PyGILState_Release(state);
}

/// Ctrl-C: Python's own handler has noted it; the exception that this raises is what the launch
/// then ends with.
static bool isInterrupted(void *) {
  if (!Py_IsInitialized())
    return false;
  PyGILState_STATE state = PyGILState_Ensure();
  bool interrupted = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return interrupted;
}

/// set_log(function)
static PyObject *setLog(PyObject *, PyObject *function) {
  Py_INCREF(function);
  Py_XDECREF(logFunction);
  logFunction = function;
  tw_set_log_callback(passOn, nullptr);
  Py_RETURN_NONE;
}

/// set_warnings("no-mask-other,error")
static PyObject *setWarnings(PyObject *, PyObject *flags) {
  const char *text = PyUnicode_AsUTF8AndSize(flags, nullptr);
  if (!text)
    return nullptr;
  if (tw_status status = tw_set_warnings(text))
    return raise(status);
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"set_log", setLog, METH_O, nullptr},
    {"set_warnings", setWarnings, METH_O, nullptr},
    {},
};

bool addMessages(PyObject *module) {
  tw_set_print_callback(printText, nullptr);
  tw_set_interrupt_callback(isInterrupted, nullptr);
  return PyModule_AddFunctions(module, functions) == 0;
}

} // namespace tilewise::python
