// tilewise._native.Kernel, and its methods that launch or compile.
#pragma once

#include "Arguments.h"

namespace tilewise::python {

struct Kernel {
  PyObject_HEAD tw_kernel *kernel;
  int engine;         ///< Where `run` launches on host memory.
  tw_options options; ///< Of the launches of `run`.
};

/// Of tilewise._native.Kernel.
extern PyTypeObject *kernelType;

inline tw_kernel *handle(PyObject *self) { return reinterpret_cast<Kernel *>(self)->kernel; }

using FastMethod = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t);
inline PyCFunction asMethod(FastMethod method) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

/// (num_warps, num_stages, no_fp_fusion, debug, checked, cooperative, no_overflow_checks,
/// max_registers), zero meaning the default.
bool readOptions(PyObject *tuple, tw_options &options);

PyObject *launch(PyObject *self, PyObject *const *given, Py_ssize_t count);
PyObject *launchReady(PyObject *self, PyObject *const *given, Py_ssize_t count);
PyObject *find(PyObject *self, PyObject *const *given, Py_ssize_t count);
PyObject *prepare(PyObject *self, PyObject *given);
/// run(grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook,
/// exit_hook, *arguments): as the launchers of upstream's compiled kernels, for a kernel that was
/// made from an artifact.
PyObject *run(PyObject *self, PyObject *const *given, Py_ssize_t count);

} // namespace tilewise::python
