// Launches that need nothing of Python any more.
//
// JITFunction.run sees to all that a launch may involve: hooks, options, defaults, globals that
// must not have changed, compiling. A function that has been launched before, with options known
// by then, needs none of that. What it needs lies in its `_steady`, a tuple:
//
//     native kernel   ready        parameters        names             options
//     Kernel          dict         frozenset         tuple, in order   dict: asked -> native
//
// `asked` is a tuple of the named arguments that are no parameters, names and values in turn:
// ("num_warps", 8). Of 5.7 us that a launch on the CPU took, all but 1.1 were for
// that.
#include "SteadyLaunch.h"

#include "KernelObject.h"

namespace tilewise::python {
namespace {

PyObject *steadyEngine = nullptr; ///< The function of `set_steady`.

PyObject *setSteady(PyObject *, PyObject *function) {
  Py_INCREF(function);
  Py_XDECREF(steadyEngine);
  steadyEngine = function;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"set_steady", setSteady, METH_O, nullptr}, {}};

PyObject *interned(const char *text) { return PyUnicode_InternFromString(text); }

/// None or an empty list, as `debug` and `pre_run_hooks` are when there is nothing to do.
bool isNothing(PyObject *function, PyObject *name) {
  Ref value(PyObject_GetAttr(function, name));
  return value && (value.get() == Py_None || (PyList_Check(value.get()) && PyList_Size(value.get()) == 0));
}

struct Named {
  Ref parameters, asked;
};

/// Named arguments as those of parameters, and those that are options. False with an exception, or
/// where a value is a tuple, which Python takes apart.
bool divide(PyObject *named, PyObject *names, Named &divided) {
  divided.parameters = Ref(PyDict_New());
  Ref asked(PyList_New(0));
  PyObject *name, *value;
  for (Py_ssize_t at = 0; named && PyDict_Next(named, &at, &name, &value);) {
    if (PyTuple_Check(value))
      return false;
    const int isParameter = PySet_Contains(names, name);
    if (isParameter < 0)
      return false;
    if (isParameter ? PyDict_SetItem(divided.parameters.get(), name, value) < 0
                    : PyList_Append(asked.get(), name) < 0 || PyList_Append(asked.get(), value) < 0)
      return false;
  }
  divided.asked = Ref(PyList_AsTuple(asked.get()));
  return bool(divided.asked);
}

/// What a grid that is a function gives for these arguments.
Ref gridOf(PyObject *grid, PyObject *names, PyObject *positional, PyObject *parameters) {
  Ref bound(PyDict_Copy(parameters));
  for (Py_ssize_t i = 0; bound && i < PyTuple_Size(positional); ++i)
    if (PyDict_SetItem(bound.get(), PyTuple_GetItem(names, i), PyTuple_GetItem(positional, i)) < 0)
      return Ref();
  return bound ? Ref(PyObject_CallFunctionObjArgs(grid, bound.get(), nullptr)) : Ref();
}

} // namespace

bool addSteadyLaunch(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }

PyObject *launchSteady(PyObject *function, PyObject *grid, PyObject *positional, PyObject *named) {
  static PyObject *const kSteady = interned("_steady"), *const kDebug = interned("debug"),
                         *const kHooks = interned("pre_run_hooks");
  auto leave = [] {
    PyErr_Clear();
    return nullptr;
  };
  Ref steady(PyObject_GetAttr(function, kSteady));
  if (!steady || steady.get() == Py_None || !steadyEngine || !isNothing(function, kDebug) ||
      !isNothing(function, kHooks))
    return leave();
  PyObject *native = PyTuple_GetItem(steady.get(), 0), *ready = PyTuple_GetItem(steady.get(), 1),
           *parameters = PyTuple_GetItem(steady.get(), 2), *names = PyTuple_GetItem(steady.get(), 3),
           *options = PyTuple_GetItem(steady.get(), 4);
  const Py_ssize_t given = PyTuple_Size(positional);
  for (Py_ssize_t i = 0; i < given; ++i)
    if (PyTuple_Check(PyTuple_GetItem(positional, i)))
      return leave();
  Named divided;
  if (!options || !divide(named, parameters, divided))
    return leave();
  // Defaults are Python's to add, and so are complaints of arguments that are too many.
  if (given + PyDict_Size(divided.parameters.get()) != PyTuple_Size(names))
    return leave();
  PyObject *chosen = PyDict_GetItemWithError(options, divided.asked.get());
  if (!chosen)
    return leave();
  Ref engine(PyObject_CallNoArgs(steadyEngine));
  if (!engine || engine.get() == Py_None)
    return leave();
  Ref made;
  if (PyCallable_Check(grid)) {
    made = gridOf(grid, names, positional, divided.parameters.get());
    if (!made)
      return nullptr;
    grid = made.get();
  }
  PyObject *const all[] = {engine.get(), grid, positional, divided.parameters.get(), chosen, ready};
  PyObject *kernel = launchReady(native, all, std::size(all));
  // Not compiled yet: Python does, and calls a grid that is a function once more.
  if (kernel == Py_None) {
    Py_DECREF(kernel);
    return nullptr;
  }
  // Python makes the exception of a compile's report.
  if (!kernel && PyErr_ExceptionMatches(kernelError))
    return leave();
  return kernel;
}

} // namespace tilewise::python
