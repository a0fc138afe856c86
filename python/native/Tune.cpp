// race(): candidates that are Python's to run, timed against each other by the library.
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

PyMethodDef functions[] = {
    {"race", race, METH_VARARGS, nullptr}, {"shipped_config", shippedConfig, METH_VARARGS, nullptr}, {}};

} // namespace

bool addTune(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0 && addBench(module); }

} // namespace tilewise::python
