// The library's log, what kernels print, and Ctrl-C: see Messages.h.
#include "Messages.h"

#include "Host.h"
#include "tilewise/report.h"
#include "tilewise/runtime.h"

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

static PyObject *compileFunction = nullptr;

/// Each compile -> the host's function(kernel, signature, target, reason, recalled, milliseconds).
static void tellCompile(const tw_compile_event *event, void *) {
  if (!Py_IsInitialized())
    return;
  PyGILState_STATE state = PyGILState_Ensure();
  if (compileFunction) {
    Ref done(PyObject_CallFunction(compileFunction, "ssssOd", event->kernel, event->signature, event->target,
                                   event->reason, event->recalled ? Py_True : Py_False, event->milliseconds));
    if (!done)
      PyErr_WriteUnraisable(compileFunction);
  }
  PyGILState_Release(state);
}

/// set_compile_hook(function or None)
static PyObject *setCompileHook(PyObject *, PyObject *function) {
  PyObject *before = compileFunction;
  compileFunction = function == Py_None ? nullptr : function;
  Py_XINCREF(compileFunction);
  Py_XDECREF(before);
  tw_set_compile_callback(compileFunction ? tellCompile : nullptr, nullptr);
  Py_RETURN_NONE;
}

/// compile_counts() -> (compiled, recalled)
static PyObject *compileCounts(PyObject *, PyObject *) {
  uint64_t compiled = 0, recalled = 0;
  tw_compile_counts(&compiled, &recalled);
  return Py_BuildValue("(KK)", static_cast<unsigned long long>(compiled), static_cast<unsigned long long>(recalled));
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
    {"set_compile_hook", setCompileHook, METH_O, nullptr},
    {"compile_counts", compileCounts, METH_NOARGS, nullptr},
    {"set_warnings", setWarnings, METH_O, nullptr},
    {},
};

bool addMessages(PyObject *module) {
  tw_set_print_callback(printText, nullptr);
  tw_set_interrupt_callback(isInterrupted, nullptr);
  return PyModule_AddFunctions(module, functions) == 0;
}

} // namespace tilewise::python
