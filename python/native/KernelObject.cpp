// Launches and compiles of a tilewise._native.Kernel: Python's arguments -> calls of the C
// interface.
#include "KernelObject.h"

#include "Host.h"

namespace tilewise::python {

bool readOptions(PyObject *tuple, tw_options &options) {
  options = {};
  options.struct_size = sizeof options;
  return PyArg_ParseTuple(tuple, "IIIIIIII", &options.num_warps, &options.num_stages, &options.no_fp_fusion,
                          &options.debug, &options.checked, &options.cooperative, &options.no_overflow_checks,
                          &options.max_registers);
}

/// False with a LaunchError set.
static bool readGrid(const tw_kernel *kernel, PyObject *object, int64_t (&grid)[3], size_t &rank) {
  auto fail = [&](const char *what) {
    PyErr_Clear();
    PyErr_Format(launchError, "kernel '%s': a grid is one to three integers, or a function that returns them; %s %R",
                 tw_kernel_name(kernel), what, object);
    return false;
  };
  const bool isNumber = PyIndex_Check(object);
  const Py_ssize_t count = isNumber ? 1 : PySequence_Check(object) ? PySequence_Size(object) : -1;
  if (count < 1 || count > 3)
    return fail("got");
  rank = size_t(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(isNumber ? Py_NewRef(object) : PySequence_GetItem(object, i));
    Ref integer(item ? PyNumber_Index(item.get()) : nullptr);
    if (!integer)
      return fail("got");
    grid[i] = PyLong_AsLongLong(integer.get());
    if (PyErr_Occurred())
      return fail("at most 2147483647 programs are possible, got");
  }
  return true;
}

/// A launch as Python gives it: engine, grid, args, kwargs or None, options.
struct GivenLaunch {
  GivenLaunch(const tw_kernel *kernel, PyObject *const *given) : engine(PyLong_AsLong(given[0])) {
    arguments.of(kernel);
    isGood = !PyErr_Occurred() && readGrid(kernel, given[1], grid, rank) && readOptions(given[4], options);
    if (isGood && (engine == TW_ENGINE_REFERENCE || tw_options_checked(&options)))
      arguments.findSizes();
    isGood = isGood && arguments.convert(given[2], given[3] == Py_None ? nullptr : given[3]) &&
             arguments.haveMemory() && arguments.currentStream(&stream);
    device = arguments.device({int32_t(engine), 0});
  }

  /// False with an exception set.
  bool run(tw_kernel *kernel) {
    tw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = tw_kernel_launch(kernel, device, stream, grid, rank, arguments.data(), arguments.size(), &options);
    Py_END_ALLOW_THREADS;
    return status == TW_OK || raise(status);
  }

  long engine;
  int64_t grid[3] = {1, 1, 1};
  size_t rank = 0;
  tw_options options;
  Arguments arguments;
  tw_device device;
  void *stream = nullptr;
  bool isGood; ///< Else an exception is set.
};

/// launch(engine, grid, args, kwargs or None, options)
PyObject *launch(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 5) {
    PyErr_SetString(PyExc_TypeError, "launch takes engine, grid, args, kwargs, options");
    return nullptr;
  }
  GivenLaunch launch(handle(self), given);
  if (!launch.isGood || !launch.run(handle(self)))
    return nullptr;
  Py_RETURN_NONE;
}

/// launch_ready(engine, grid, args, kwargs or None, options, ready): launches if the dict has
/// something under the number of the compile that serves these arguments, and gives that; else
/// None, and nothing is launched.
PyObject *launchReady(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 6) {
    PyErr_SetString(PyExc_TypeError, "launch_ready takes engine, grid, args, kwargs, options, ready");
    return nullptr;
  }
  GivenLaunch launch(handle(self), given);
  if (!launch.isGood)
    return nullptr;
  int64_t number = -1;
  if (tw_status status = tw_kernel_find(handle(self), launch.device, launch.arguments.data(), launch.arguments.size(),
                                        &launch.options, &number))
    return raise(status);
  Ref key(PyLong_FromLongLong(number));
  PyObject *found = key ? PyDict_GetItemWithError(given[5], key.get()) : nullptr;
  if (!found) {
    if (PyErr_Occurred())
      return nullptr;
    Py_RETURN_NONE;
  }
  Py_INCREF(found);
  Ref result(found);
  return launch.run(handle(self)) ? result.release() : nullptr;
}

/// Calls a launch hook that has something to do: the knobs' chains are there even when they are
/// empty. False with an exception set.
static bool callHook(PyObject *hook, PyObject *told) {
  if (hook == Py_None)
    return true;
  static PyObject *const kCalls = PyUnicode_InternFromString("calls");
  Ref calls(PyObject_GetAttr(hook, kCalls));
  if (!calls)
    PyErr_Clear();
  else if (PyList_Check(calls.get()) && PyList_Size(calls.get()) == 0)
    return true;
  return bool(Ref(PyObject_CallFunctionObjArgs(hook, told, nullptr)));
}

PyObject *run(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  constexpr Py_ssize_t kHead = 9;
  if (count < kHead) {
    PyErr_SetString(PyExc_TypeError, "run takes grid_0, grid_1, grid_2, stream, function, packed_metadata, "
                                     "launch_metadata, enter_hook, exit_hook, then the kernel's arguments");
    return nullptr;
  }
  tw_kernel *kernel = handle(self);
  int64_t grid[3];
  for (int i = 0; i < 3; ++i) {
    grid[i] = PyLong_AsLongLong(given[i]);
    if (PyErr_Occurred())
      return nullptr;
  }
  const int engine = reinterpret_cast<Kernel *>(self)->engine;
  const tw_options &options = reinterpret_cast<Kernel *>(self)->options;
  Arguments arguments;
  arguments.of(kernel);
  if (engine == TW_ENGINE_REFERENCE || tw_options_checked(&options))
    arguments.findSizes();
  if (!arguments.convert(given + kHead, count - kHead) || !arguments.haveMemory())
    return nullptr;
  arguments.leaveOutConstants();
  const tw_device device = arguments.device({engine, 0});
  void *stream = device.engine == TW_ENGINE_CUDA ? PyLong_AsVoidPtr(given[3]) : nullptr;
  if (PyErr_Occurred() || !callHook(given[7], given[6]))
    return nullptr;
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_launch(kernel, device, stream, grid, 3, arguments.data(), arguments.size(), &options);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  if (!callHook(given[8], given[6]))
    return nullptr;
  Py_RETURN_NONE;
}

/// find(engine, args, kwargs or None, options) -> the number of the compile that serves these
/// arguments, or -1
PyObject *find(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  if (count != 4) {
    PyErr_SetString(PyExc_TypeError, "find takes engine, args, kwargs, options");
    return nullptr;
  }
  long engine = PyLong_AsLong(given[0]);
  tw_options options;
  Arguments arguments;
  arguments.of(handle(self));
  if (PyErr_Occurred() || !readOptions(given[3], options) ||
      !arguments.convert(given[1], given[2] == Py_None ? nullptr : given[2]))
    return nullptr;
  tw_device device = arguments.device({int32_t(engine), 0});
  int64_t number = -1;
  if (tw_status status = tw_kernel_find(handle(self), device, arguments.data(), arguments.size(), &options, &number))
    return raise(status);
  return PyLong_FromLongLong(number);
}

/// prepare(engine, args, kwargs or None, options) -> the number of the compile
PyObject *prepare(PyObject *self, PyObject *given) {
  int engine;
  PyObject *positional, *named, *optionTuple;
  tw_options options;
  Arguments arguments;
  arguments.of(handle(self));
  if (!PyArg_ParseTuple(given, "iOOO", &engine, &positional, &named, &optionTuple) ||
      !readOptions(optionTuple, options) || !arguments.convert(positional, named == Py_None ? nullptr : named))
    return nullptr;
  tw_device device = arguments.device({engine, 0});
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_prepare(handle(self), device, arguments.data(), arguments.size(), &options);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  int64_t number = -1;
  if (tw_status found = tw_kernel_find(handle(self), device, arguments.data(), arguments.size(), &options, &number))
    return raise(found);
  return PyLong_FromLongLong(number);
}

} // namespace tilewise::python
