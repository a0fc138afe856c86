// bench() and write_report(): measuring calls of Python functions, and reports of them.
#include "Bench.h"

#include "tilewise/bench.h"

#include <memory>
#include <vector>

namespace tilewise::python {
namespace {

/// bench(function, warmup, rep, flush) -> the milliseconds of each call, on the host
PyObject *bench(PyObject *, PyObject *arguments) {
  PyObject *function;
  double warmup, rep;
  int flush;
  if (!PyArg_ParseTuple(arguments, "Oddp", &function, &warmup, &rep, &flush))
    return nullptr;
  tw_bench_options options = {sizeof options, flush ? 1u : 0u, warmup, rep, 0};
  double *times = nullptr;
  size_t count = 0;
  const tw_status status = tw_bench(
      tw_cpu(), nullptr,
      [](void *user) {
        Ref done(PyObject_CallNoArgs(static_cast<PyObject *>(user)));
        return bool(done);
      },
      function, &options, &times, &count);
  if (PyErr_Occurred())
    return nullptr;
  if (status != TW_OK)
    return raise(status);
  const std::unique_ptr<double, void (*)(void *)> owned(times, tw_free);
  Ref list(PyList_New(Py_ssize_t(count)));
  for (size_t i = 0; list && i < count; ++i)
    PyList_SetItem(list.get(), Py_ssize_t(i), PyFloat_FromDouble(times[i]));
  return list.release();
}

/// quantile(list of floats, q)
PyObject *quantile(PyObject *, PyObject *arguments) {
  PyObject *list;
  double q;
  if (!PyArg_ParseTuple(arguments, "Od", &list, &q))
    return nullptr;
  std::vector<double> values;
  for (Py_ssize_t i = 0, count = PySequence_Size(list); i < count; ++i) {
    Ref item(PySequence_GetItem(list, i));
    values.push_back(item ? PyFloat_AsDouble(item.get()) : 0);
  }
  return PyErr_Occurred() ? nullptr : PyFloat_FromDouble(tw_quantile(values.data(), values.size(), q));
}

/// write_report([paths], title, x, y, log_x, log_y, [(line, x, y, low, high)])
PyObject *writeReport(PyObject *, PyObject *arguments) {
  PyObject *paths, *points;
  const char *title, *x, *y;
  int logX, logY;
  if (!PyArg_ParseTuple(arguments, "OsssppO", &paths, &title, &x, &y, &logX, &logY, &points))
    return nullptr;
  tw_report *made = nullptr;
  if (tw_status status = tw_report_create(title, x, y, logX != 0, logY != 0, &made))
    return raise(status);
  const std::unique_ptr<tw_report, void (*)(tw_report *)> report(made, tw_report_destroy);
  for (Py_ssize_t i = 0, count = PySequence_Size(points); i < count; ++i) {
    Ref point(PySequence_GetItem(points, i));
    const char *line;
    double at, value, low, high;
    if (!point || !PyArg_ParseTuple(point.get(), "sdddd", &line, &at, &value, &low, &high))
      return nullptr;
    tw_report_add(made, line, at, value, low, high);
  }
  for (Py_ssize_t i = 0, count = PySequence_Size(paths); i < count; ++i) {
    Ref path(PySequence_GetItem(paths, i));
    const char *text = path ? PyUnicode_AsUTF8AndSize(path.get(), nullptr) : nullptr;
    if (!text)
      return nullptr;
    if (tw_status status = tw_report_write(made, text))
      return raise(status);
  }
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"bench", bench, METH_VARARGS, nullptr},
                           {"quantile", quantile, METH_VARARGS, nullptr},
                           {"write_report", writeReport, METH_VARARGS, nullptr},
                           {}};

} // namespace

bool addBench(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }

} // namespace tilewise::python
