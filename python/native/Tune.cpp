// race(): candidates that are Python's to run, timed against each other by the library; and what
// the kernel library's functions launch with.
#include "Tune.h"

#include "Bench.h"

#include "tilewise/tune.h"

#include <limits>
#include <vector>

namespace tilewise::python {
namespace {

/// One call of the package's function(index, calls), which gives seconds, or a negative number for
/// what cannot be run. Once an exception is set nothing more is run.
double runCalls(void *function, size_t index, uint64_t calls) {
  if (PyErr_Occurred())
    return -1;
  Ref taken(PyObject_CallFunction(static_cast<PyObject *>(function), "nK", Py_ssize_t(index),
                                  static_cast<unsigned long long>(calls)));
  return taken ? PyFloat_AsDouble(taken.get()) : -1;
}

/// race(function, count, seconds_each) -> (seconds of each, the winner or None)
PyObject *race(PyObject *, PyObject *arguments) {
  PyObject *function;
  Py_ssize_t count;
  double secondsEach;
  if (!PyArg_ParseTuple(arguments, "Ond", &function, &count, &secondsEach))
    return nullptr;
  std::vector<double> seconds(size_t(count), std::numeric_limits<double>::infinity());
  size_t winner = seconds.size();
  const tw_status status = tw_race(seconds.size(), runCalls, function, secondsEach, seconds.data(), &winner);
  if (PyErr_Occurred())
    return nullptr;
  if (status != TW_OK)
    return raise(status);
  Ref list(PyList_New(count));
  for (size_t i = 0; list && i < seconds.size(); ++i)
    PyList_SetItem(list.get(), Py_ssize_t(i), PyFloat_FromDouble(seconds[i]));
  if (!list)
    return nullptr;
  return winner < seconds.size() ? Py_BuildValue("(On)", list.get(), Py_ssize_t(winner))
                                 : Py_BuildValue("(OO)", list.get(), Py_None);
}

/// shipped_config(kernel, device, key) -> its text, "" where TILEWISE_TUNING_FILE has none
PyObject *shippedConfig(PyObject *, PyObject *arguments) {
  const char *kernel, *deviceText, *key;
  tw_device device;
  char *config = nullptr;
  if (!PyArg_ParseTuple(arguments, "sss", &kernel, &deviceText, &key))
    return nullptr;
  if (tw_status status = tw_device_parse(deviceText, &device))
    return raise(status);
  if (tw_status status = tw_shipped_config(kernel, device, key, &config))
    return raise(status);
  PyObject *text = PyUnicode_FromString(config);
  tw_free(config);
  return text;
}

/// One call of the package's function(config, calls) from a thread that may be the library's. What
/// it raises ends the caller's choice if it was raised in the caller's thread, as Ctrl-C is.
struct LibraryRun {
  PyObject *function;
  PyThreadState *caller;

  static double call(void *user, const tw_config *config, uint64_t calls) {
    const auto *run = static_cast<const LibraryRun *>(user);
    const Gil gil;
    const bool isCaller = PyThreadState_Get() == run->caller;
    if (isCaller && PyErr_Occurred())
      return -1;
    Ref taken(
        PyObject_CallFunction(run->function, "sK", tw_config_text(config), static_cast<unsigned long long>(calls)));
    if (taken)
      return PyFloat_AsDouble(taken.get());
    if (!isCaller)
      PyErr_Clear();
    return -1;
  }
};

/// library_config(kernel, engine, index, dtype, sizes, run or None, None) -> the text of the
/// config; with (seconds_each, path) in place of the last, it is timed whatever is known, and added
/// to that file.
PyObject *libraryConfig(PyObject *, PyObject *arguments) {
  const char *kernel, *dtype, *path = nullptr;
  double secondsEach = 0;
  int engine, index;
  PyObject *sizes, *function, *anew;
  if (!PyArg_ParseTuple(arguments, "siisO!OO", &kernel, &engine, &index, &dtype, &PyTuple_Type, &sizes, &function,
                        &anew) ||
      (anew != Py_None && !PyArg_ParseTuple(anew, "ds", &secondsEach, &path)))
    return nullptr;
  std::vector<int64_t> list;
  for (Py_ssize_t i = 0; i < PyTuple_Size(sizes); ++i)
    list.push_back(PyLong_AsLongLong(PyTuple_GetItem(sizes, i)));
  if (PyErr_Occurred())
    return nullptr;
  LibraryRun run{function, PyThreadState_Get()};
  const tw_library_run callback = function == Py_None ? nullptr : LibraryRun::call;
  const tw_device device{engine, index};
  const tw_dtype type = tw_dtype_parse(dtype);
  const tw_config *config = nullptr;
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status =
      path ? tw_library_tune(kernel, device, type, list.data(), list.size(), callback, &run, secondsEach, path, &config)
           : tw_library_config(kernel, device, type, list.data(), list.size(), callback, &run, &config);
  Py_END_ALLOW_THREADS;
  if (PyErr_Occurred())
    return nullptr;
  return status == TW_OK ? PyUnicode_FromString(tw_config_text(config)) : raise(status);
}

PyMethodDef functions[] = {{"race", race, METH_VARARGS, nullptr},
                           {"shipped_config", shippedConfig, METH_VARARGS, nullptr},
                           {"library_config", libraryConfig, METH_VARARGS, nullptr},
                           {}};

} // namespace

bool addTune(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0 && addBench(module); }

} // namespace tilewise::python
