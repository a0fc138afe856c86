// tilewise._native: the C interface as a Python extension on CPython's limited API, so that one
// binary serves Python 3.10 and later.
#include "GraphLauncher.h"
#include "Host.h"
#include "Interpreter.h"
#include "KernelObject.h"
#include "Language.h"
#include "Launcher.h"
#include "Messages.h"
#include "OpenMp.h"
#include "SteadyLaunch.h"
#include "Tune.h"
#include "tilewise/profile.h"
#include "tilewise/report.h"
#include "tilewise/runtime.h"

#include <cstring>
#include <string>
#include <sys/mman.h>

namespace tilewise::python {

PyObject *kernelError, *launchError, *overflowError, *internalError;
/// A report about what a launch gave: both a KernelError and a LaunchError.
static PyObject *argumentError;

/// [(severity, code, message, file, line, column, length, count of notes), ...]
static Ref lastDiagnostics() {
  auto count = Py_ssize_t(tw_last_diagnostic_count());
  Ref list(PyList_New(count));
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    tw_diagnostic one = tw_last_diagnostic(size_t(i));
    PyObject *row = Py_BuildValue("(IIssIIII)", one.severity, one.code, one.message, one.file, one.line, one.column,
                                  one.length, one.notes);
    if (!row)
      return Ref();
    PyList_SetItem(list.get(), i, row);
  }
  return list;
}

PyObject *raise(tw_status status) {
  // A callback into Python that failed during the call has the better story.
  if (PyErr_Occurred())
    return nullptr;
  const bool isReport = status == TW_ERROR_KERNEL || (status == TW_ERROR_LAUNCH && tw_last_diagnostic_count() != 0);
  if (!isReport) {
    PyErr_SetString(status == TW_ERROR_LAUNCH ? launchError : internalError, tw_last_error());
    return nullptr;
  }
  PyObject *kind = status == TW_ERROR_KERNEL ? kernelError : argumentError;
  Ref error(PyObject_CallFunction(kind, "s", tw_last_error()));
  Ref diagnostics = error ? lastDiagnostics() : Ref();
  if (diagnostics && PyObject_SetAttrString(error.get(), "diagnostics", diagnostics.get()) == 0)
    PyErr_SetObject(kind, error.get());
  return nullptr;
}

/// A string that the library made and we own.
static PyObject *takeText(char *text) {
  PyObject *result = PyUnicode_FromString(text);
  tw_free(text);
  return result;
}

PyTypeObject *kernelType = nullptr;

static void deallocateKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tw_kernel_destroy(handle(self));
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

struct Source {
  PyObject_HEAD tw_source *source;
};
static PyTypeObject *sourceType = nullptr;

tw_source *sourceOf(PyObject *object) {
  if (Py_TYPE(object) == sourceType)
    return reinterpret_cast<Source *>(object)->source;
  PyErr_SetString(PyExc_TypeError, "this is no tilewise._native.Source");
  return nullptr;
}

static void deallocateSource(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  tw_source_destroy(reinterpret_cast<Source *>(self)->source);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(self);
  Py_DECREF(type);
}

/// Takes over `source`; null passes a failure on.
static PyObject *wrapSource(tw_source *source) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(sourceType, Py_tp_alloc));
  PyObject *self = allocate(sourceType, 0);
  if (self)
    reinterpret_cast<Source *>(self)->source = source;
  else
    tw_source_destroy(source);
  return self;
}

/// open_source(path); library_source(file), of the kernel library that is inside of Tilewise
template <bool kIsInside> static PyObject *openSource(PyObject *, PyObject *path) {
  const char *utf8 = PyUnicode_AsUTF8AndSize(path, nullptr);
  if (!utf8)
    return nullptr;
  const char *text = kIsInside ? tw_library_text(utf8) : nullptr;
  if (kIsInside && !text)
    return PyErr_Format(PyExc_ValueError, "the kernel library has no file '%s'", utf8);
  tw_source *source = nullptr;
  if (tw_status status =
          text ? tw_source_create(text, std::strlen(text), utf8, 1, &source) : tw_source_open(utf8, &source))
    return raise(status);
  return wrapSource(source);
}

/// create_source(text, file, first_line, resolver)
static PyObject *createSource(PyObject *, PyObject *arguments) {
  const char *text, *file;
  Py_ssize_t length;
  unsigned firstLine;
  PyObject *resolver;
  if (!PyArg_ParseTuple(arguments, "s#sIO", &text, &length, &file, &firstLine, &resolver))
    return nullptr;
  tw_source *source = nullptr;
  if (tw_status status = tw_source_create(text, size_t(length), file, firstLine, &source))
    return raise(status);
  Ref self(wrapSource(source));
  return self && setResolver(source, resolver) ? self.release() : nullptr;
}

static PyObject *wrapKernel(tw_kernel *kernel) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(kernelType, Py_tp_alloc));
  PyObject *self = allocate(kernelType, 0);
  if (!self) {
    tw_kernel_destroy(kernel);
    return nullptr;
  }
  reinterpret_cast<Kernel *>(self)->kernel = kernel;
  return self;
}

/// create_kernel(source, name or None)
static PyObject *createKernel(PyObject *, PyObject *arguments) {
  PyObject *from;
  const char *name;
  if (!PyArg_ParseTuple(arguments, "Oz", &from, &name))
    return nullptr;
  tw_source *source = sourceOf(from);
  if (!source)
    return nullptr;
  tw_kernel *kernel = nullptr;
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_create(source, name, &kernel);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  return wrapKernel(kernel);
}

/// kernel_from_artifact(bytes, engine, options): the last two are those of `run`
static PyObject *kernelFromArtifact(PyObject *, PyObject *arguments) {
  const char *data = nullptr;
  Py_ssize_t length = 0;
  int engine = TW_ENGINE_CPU;
  PyObject *optionTuple = nullptr;
  tw_options options = {};
  options.struct_size = sizeof options;
  if (!PyArg_ParseTuple(arguments, "y#|iO", &data, &length, &engine, &optionTuple) ||
      (optionTuple && !readOptions(optionTuple, options)))
    return nullptr;
  tw_kernel *kernel = nullptr;
  if (tw_status status = tw_kernel_from_artifact(data, size_t(length), &kernel))
    return raise(status);
  PyObject *self = wrapKernel(kernel);
  if (self) {
    reinterpret_cast<Kernel *>(self)->engine = engine;
    reinterpret_cast<Kernel *>(self)->options = options;
  }
  return self;
}

static PyObject *name(PyObject *self, PyObject *) { return PyUnicode_FromString(tw_kernel_name(handle(self))); }

/// [(name, is_constexpr, annotation, default), ...]
static PyObject *parameters(PyObject *self, PyObject *) {
  size_t count = tw_kernel_parameter_count(handle(self));
  Ref list(PyList_New(Py_ssize_t(count)));
  for (size_t i = 0; list && i < count; ++i) {
    tw_parameter parameter = tw_kernel_parameter(handle(self), i);
    PyObject *row = Py_BuildValue("(sOss)", parameter.name, parameter.is_constexpr ? Py_True : Py_False,
                                  parameter.annotation, parameter.default_value);
    if (!row)
      return nullptr;
    PyList_SetItem(list.get(), Py_ssize_t(i), row);
  }
  return list.release();
}

static PyObject *specialize(PyObject *self, PyObject *arguments) {
  Py_ssize_t parameter;
  unsigned what;
  if (!PyArg_ParseTuple(arguments, "nI", &parameter, &what))
    return nullptr;
  if (tw_status status = tw_kernel_specialize(handle(self), size_t(parameter), what))
    return raise(status);
  Py_RETURN_NONE;
}

/// annotate(parameter, text)
static PyObject *annotate(PyObject *self, PyObject *arguments) {
  Py_ssize_t parameter;
  const char *text;
  if (!PyArg_ParseTuple(arguments, "ns", &parameter, &text))
    return nullptr;
  if (tw_status status = tw_kernel_annotate(handle(self), size_t(parameter), text))
    return raise(status);
  Py_RETURN_NONE;
}

static PyObject *compileCount(PyObject *self, PyObject *) {
  return PyLong_FromSize_t(tw_kernel_compile_count(handle(self)));
}

static PyObject *signature(PyObject *self, PyObject *given) {
  PyObject *positional, *named;
  Arguments arguments;
  arguments.of(handle(self));
  if (!PyArg_ParseTuple(given, "OO", &positional, &named) ||
      !arguments.convert(positional, named == Py_None ? nullptr : named))
    return nullptr;
  char *text = nullptr;
  if (tw_status status = tw_kernel_signature(handle(self), arguments.data(), arguments.size(), &text))
    return raise(status);
  return takeText(text);
}

/// emit(stage, signature, target, options)
static PyObject *emit(PyObject *self, PyObject *given) {
  const char *stage, *signature, *target;
  PyObject *optionTuple;
  tw_options options;
  if (!PyArg_ParseTuple(given, "sssO", &stage, &signature, &target, &optionTuple) || !readOptions(optionTuple, options))
    return nullptr;
  char *text = nullptr;
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_emit(handle(self), stage, signature, target, &options, &text);
  Py_END_ALLOW_THREADS;
  return status == TW_OK ? takeText(text) : raise(status);
}

/// artifact(signature, target, options)
static PyObject *artifact(PyObject *self, PyObject *given) {
  const char *signature, *target;
  PyObject *optionTuple;
  tw_options options;
  if (!PyArg_ParseTuple(given, "ssO", &signature, &target, &optionTuple) || !readOptions(optionTuple, options))
    return nullptr;
  void *bytes = nullptr;
  size_t length = 0;
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_artifact(handle(self), signature, target, &options, &bytes, &length);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  PyObject *result = PyBytes_FromStringAndSize(static_cast<const char *>(bytes), Py_ssize_t(length));
  tw_free(bytes);
  return result;
}

/// resources(signature, target, options, a device to load the code into or None)
static PyObject *resources(PyObject *self, PyObject *given) {
  const char *signature, *target, *deviceText;
  PyObject *optionTuple;
  tw_options options;
  tw_device device = tw_cpu();
  if (!PyArg_ParseTuple(given, "ssOz", &signature, &target, &optionTuple, &deviceText) ||
      !readOptions(optionTuple, options))
    return nullptr;
  tw_resources taken = {sizeof(taken), 0, 0, 0, 0, 0};
  tw_status status = deviceText ? tw_device_parse(deviceText, &device) : TW_OK;
  if (status != TW_OK)
    return raise(status);
  Py_BEGIN_ALLOW_THREADS;
  status = tw_kernel_resources(handle(self), signature, target, &options, deviceText != nullptr, device, &taken);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  return Py_BuildValue("{s:I,s:I,s:I,s:I,s:I}", "threads", taken.threads, "shared", taken.shared_bytes, "registers",
                       taken.registers, "spilled", taken.spilled_bytes, "max_threads", taken.max_threads);
}

static PyObject *version(PyObject *, PyObject *) { return PyUnicode_FromString(tw_version()); }
static PyObject *buildId(PyObject *, PyObject *) { return PyUnicode_FromString(tw_build_id()); }

static PyObject *deviceCount(PyObject *, PyObject *engine) {
  long number = PyLong_AsLong(engine);
  return PyErr_Occurred() ? nullptr : PyLong_FromLong(tw_device_count(tw_engine(number)));
}

static PyObject *deviceName(PyObject *, PyObject *text) {
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, nullptr);
  tw_device device;
  char *result = nullptr;
  if (!utf8)
    return nullptr;
  if (tw_status status = tw_device_parse(utf8, &device))
    return raise(status);
  if (tw_status status = tw_device_name(device, &result))
    return raise(status);
  return takeText(result);
}

static PyObject *synchronize(PyObject *, PyObject *text) {
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, nullptr);
  tw_device device;
  if (!utf8)
    return nullptr;
  if (tw_status status = tw_device_parse(utf8, &device))
    return raise(status);
  tw_status status;
  Py_BEGIN_ALLOW_THREADS;
  status = tw_device_synchronize(device);
  Py_END_ALLOW_THREADS;
  if (status != TW_OK)
    return raise(status);
  Py_RETURN_NONE;
}

/// large_pages(address, bytes): asks for large pages for what of the memory is whole ones, before
/// it is touched. Making 16,384 small ones is half of the time of a function that writes 64 MiB.
static PyObject *largePages(PyObject *, PyObject *arguments) {
  constexpr unsigned long long size = 2 << 20;
  unsigned long long address, bytes;
  if (!PyArg_ParseTuple(arguments, "KK", &address, &bytes))
    return nullptr;
  const unsigned long long begin = (address + size - 1) / size * size, end = (address + bytes) / size * size;
  if (begin < end)
    madvise(reinterpret_cast<void *>(begin), end - begin, MADV_HUGEPAGE);
  Py_RETURN_NONE;
}

/// profile_trace(): what this process has done since it is profiled, as a Chrome trace
static PyObject *profileTrace(PyObject *, PyObject *) {
  char *json = nullptr;
  if (tw_status status = tw_profile_trace(&json))
    return raise(status);
  PyObject *text = PyUnicode_FromString(json);
  tw_free(json);
  return text;
}

/// ceilings(device): (GB/s, GFLOP/s), measured once per machine
static PyObject *ceilings(PyObject *, PyObject *text) {
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, nullptr);
  tw_device device;
  tw_ceilings found = {};
  if (!utf8)
    return nullptr;
  tw_status status = tw_device_parse(utf8, &device);
  if (status == TW_OK) {
    Py_BEGIN_ALLOW_THREADS;
    status = tw_device_ceilings(device, true, &found);
    Py_END_ALLOW_THREADS;
  }
  return status == TW_OK ? Py_BuildValue("dd", found.gigabytes_per_second, found.gigaflops) : raise(status);
}

/// has_tuple(args, kwargs): whether one of the arguments is a tuple
static PyObject *hasTuple(PyObject *, PyObject *const *given, Py_ssize_t count) {
  if (count != 2 || !PyTuple_Check(given[0]) || !PyDict_Check(given[1])) {
    PyErr_SetString(PyExc_TypeError, "has_tuple takes args and kwargs");
    return nullptr;
  }
  for (Py_ssize_t i = 0; i < PyTuple_Size(given[0]); ++i)
    if (PyTuple_Check(PyTuple_GetItem(given[0], i)))
      Py_RETURN_TRUE;
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(given[1], &at, &key, &value))
    if (PyTuple_Check(value))
      Py_RETURN_TRUE;
  Py_RETURN_FALSE;
}

static PyObject *setLiteral(PyObject *, PyObject *function) {
  setLiteralFunction(function);
  Py_RETURN_NONE;
}

/// memory(array) -> (type, address, bytes from there on or -1, bytes before it, whether read-only)
static PyObject *memory(PyObject *, PyObject *object) {
  Arguments arguments;
  Ref only(PyTuple_Pack(1, object));
  if (!only || !arguments.convert(only.get(), nullptr))
    return nullptr;
  const tw_argument &found = *arguments.data();
  const bool isConst = found.kind == TW_ARGUMENT_CONST_POINTER;
  return Py_BuildValue("sKLKO", tw_dtype_name(tw_dtype(found.dtype)), (unsigned long long)found.value.u,
                       found.bytes == TW_BYTES_UNKNOWN ? -1LL : (long long)found.bytes,
                       (unsigned long long)found.bytes_before, isConst ? Py_True : Py_False);
}

static PyObject *keepToTheHost(PyObject *, PyObject *) {
  keepToHost();
  Py_RETURN_NONE;
}

/// set_errors(launch, internal): the package's exceptions
static PyObject *setErrors(PyObject *, PyObject *arguments) {
  PyObject *launch, *overflow, *internal;
  if (!PyArg_ParseTuple(arguments, "OOO", &launch, &overflow, &internal))
    return nullptr;
  Ref both(PyTuple_Pack(2, kernelError, launch));
  Ref combined(both ? PyErr_NewExceptionWithDoc("tilewise._native.ArgumentError",
                                                "The compiler's report on what a launch gave it.", both.get(), nullptr)
                    : nullptr);
  if (!combined)
    return nullptr;
  Py_XDECREF(argumentError);
  argumentError = combined.release();
  Py_INCREF(launch);
  Py_INCREF(overflow);
  Py_INCREF(internal);
  Py_XDECREF(launchError);
  Py_XDECREF(overflowError);
  Py_XDECREF(internalError);
  launchError = launch;
  overflowError = overflow;
  internalError = internal;
  Py_RETURN_NONE;
}

static PyMethodDef kernelMethods[] = {
    {"name", name, METH_NOARGS, nullptr},
    {"parameters", parameters, METH_NOARGS, nullptr},
    {"specialize", specialize, METH_VARARGS, nullptr},
    {"annotate", annotate, METH_VARARGS, nullptr},
    {"compile_count", compileCount, METH_NOARGS, nullptr},
    {"launch", asMethod(launch), METH_FASTCALL, nullptr},
    {"launch_ready", asMethod(launchReady), METH_FASTCALL, nullptr},
    {"run", asMethod(run), METH_FASTCALL, nullptr},
    {"find", asMethod(find), METH_FASTCALL, nullptr},
    {"prepare", prepare, METH_VARARGS, nullptr},
    {"signature", signature, METH_VARARGS, nullptr},
    {"emit", emit, METH_VARARGS, nullptr},
    {"artifact", artifact, METH_VARARGS, nullptr},
    {"resources", resources, METH_VARARGS, nullptr},
    {},
};

static PyType_Slot kernelSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocateKernel)},
    {Py_tp_methods, kernelMethods},
    {},
};
static PyType_Spec kernelSpec = {"tilewise._native.Kernel", sizeof(Kernel), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, kernelSlots};

static PyType_Slot sourceSlots[] = {{Py_tp_dealloc, reinterpret_cast<void *>(deallocateSource)}, {}};
static PyType_Spec sourceSpec = {"tilewise._native.Source", sizeof(Source), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, sourceSlots};

static PyMethodDef functions[] = {
    {"open_source", openSource<false>, METH_O, nullptr},
    {"library_source", openSource<true>, METH_O, nullptr},
    {"create_source", createSource, METH_VARARGS, nullptr},
    {"create_kernel", createKernel, METH_VARARGS, nullptr},
    {"kernel_from_artifact", kernelFromArtifact, METH_VARARGS, nullptr},
    {"version", version, METH_NOARGS, nullptr},
    {"build_id", buildId, METH_NOARGS, nullptr},
    {"device_count", deviceCount, METH_O, nullptr},
    {"device_name", deviceName, METH_O, nullptr},
    {"synchronize", synchronize, METH_O, nullptr},
    {"large_pages", largePages, METH_VARARGS, nullptr},
    {"ceilings", ceilings, METH_O, nullptr},
    {"profile_trace", profileTrace, METH_NOARGS, nullptr},
    {"has_tuple", asMethod(hasTuple), METH_FASTCALL, nullptr},
    {"set_literal", setLiteral, METH_O, nullptr},
    {"memory", memory, METH_O, nullptr},
    {"keep_to_host", keepToTheHost, METH_NOARGS, nullptr},
    {"set_errors", setErrors, METH_VARARGS, nullptr},
    {},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "tilewise._native", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

} // namespace tilewise::python

using namespace tilewise::python;

PyMODINIT_FUNC PyInit__native() {
  Ref self(PyModule_Create(&tilewise::python::module));
  if (!self)
    return nullptr;
  sourceType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&sourceSpec));
  kernelType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&kernelSpec));
  kernelError = PyErr_NewExceptionWithDoc("tilewise._native.KernelError",
                                          "The compiler's report, before the package makes its own error of it.",
                                          nullptr, nullptr);
  if (!sourceType || !kernelType || !kernelError || !addLauncher(self.get()) || !addSteadyLaunch(self.get()) ||
      !addGraphLauncher(self.get()) || !addOperands(self.get()) || !addInterpreter(self.get()) ||
      !addLanguage(self.get()) || !addMessages(self.get()) || !addTune(self.get()) || !addOpenMp(self.get()) ||
      PyModule_AddObjectRef(self.get(), "KernelError", kernelError) < 0 ||
      PyModule_AddObjectRef(self.get(), "Kernel", reinterpret_cast<PyObject *>(kernelType)) < 0)
    return nullptr;
  return self.release();
}
