// Python objects -> launch arguments of the C interface.
//
// Nothing here imports numpy or torch: a tensor is what has `data_ptr()` and `dtype`, an array what
// has `__array_struct__` (numpy's C struct in a capsule), `__array_interface__` (the same as a
// dict) or `__dlpack__`, looked for in this order. What kind a type is gets looked up once per
// type.
#pragma once

#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tilewise/tilewise.h"

#include <deque>
#include <string>
#include <vector>

namespace tilewise::python {

/// _native.KernelError, and the package's LaunchError and InternalError.
extern PyObject *kernelError, *launchError, *overflowError, *internalError;

/// An owned reference.
class Ref {
public:
  explicit Ref(PyObject *object = nullptr) : object_(object) {}
  Ref(Ref &&other) noexcept : object_(other.release()) {}
  Ref &operator=(Ref &&other) noexcept {
    PyObject *old = object_;
    object_ = other.release();
    Py_XDECREF(old);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }

  PyObject *get() const { return object_; }
  PyObject *release() {
    PyObject *object = object_;
    object_ = nullptr;
    return object;
  }
  explicit operator bool() const { return object_ != nullptr; }

private:
  PyObject *object_;
};

/// The arguments of one launch and what keeps them alive during it.
class Arguments {
public:
  /// Whose arguments they are, for messages.
  void of(const tw_kernel *kernel) { kernel_ = kernel; }
  /// For launches that check accesses against the arguments' memory. An array's is at hand in any
  /// case, a tensor's takes some calls into its framework.
  void findSizes() { withSizes_ = true; }

  /// Converts positional arguments (a tuple) and named ones (a dict or null). False with a Python
  /// exception set.
  bool convert(PyObject *positional, PyObject *named);
  /// Positional ones alone.
  bool convert(PyObject *const *positional, Py_ssize_t count);

  /// Of positional arguments, removes those of compile-time constants: code that was compiled
  /// before has its own, and upstream's launchers take anything in their places, as Inductor's -1
  /// for None.
  void leaveOutConstants();

  /// Whether all tensors have memory, as a launch needs; else false with an exception set.
  bool haveMemory() const;

  const tw_argument *data() const { return arguments_.data(); }
  size_t size() const { return arguments_.size(); }

  /// Where the tensors live: a GPU, or `host` when there is none among them.
  tw_device device(tw_device host) const { return onGpu_ ? tw_device{TW_ENGINE_CUDA, gpu_} : host; }
  /// The stream that the tensors' framework is using on that GPU; null without one.
  bool currentStream(void **stream) const;

private:
  bool add(PyObject *object, const char *name, Py_ssize_t position);
  bool addArray(PyObject *object, tw_argument &argument);
  bool addInterface(PyObject *object, tw_argument &argument);
  bool addDlpack(PyObject *object, tw_argument &argument);
  bool addMemory(PyObject *object, tw_argument &argument);
  bool addTensor(PyObject *object, tw_argument &argument);
  bool addDescriptor(PyObject *object, tw_argument &argument);
  bool addLiteral(PyObject *object, tw_argument &argument);
  bool placeOn(bool gpu, int index);

  const tw_kernel *kernel_ = nullptr;
  std::vector<tw_argument> arguments_;
  std::vector<Ref> kept_;
  std::deque<tw_descriptor> descriptors_;
  bool withSizes_ = false;
  bool onGpu_ = false, onHost_ = false, ofTorch_ = false;
  int gpu_ = 0;
  Py_ssize_t withoutMemory_ = -1; ///< One of the tensors without any.
};

/// The type that an object's `dtype` names; none, with the name, when there is no such type.
tw_dtype dtypeByName(PyObject *object, std::string *name);
/// A LaunchError: elements of this name are none of a kernel's.
void refuseElements(const char *what, const std::string &name);

/// From now on tensors lie in the host's memory, whatever they say.
void keepToHost();

/// `literal(object)` gives the text of a compile-time constant; called for what is neither number
/// nor tensor.
void setLiteralFunction(PyObject *function);

} // namespace tilewise::python
