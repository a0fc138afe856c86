// A callable around a Python function of the package: what it raises begins at the user's line.
//
//     Traceback (most recent call last):
//       File "model.py", line 20, in <module>
//         softmax[(4,)](x)
//     tilewise.compiler.errors.CompilationError: at 3:8: ...
//
// A C function leaves no frame in a traceback; the frames of the package below it are dropped,
// those of the user's own functions that the package called (a grid, a hook) stay.
#include "Launcher.h"

#include "SteadyLaunch.h"

#include <string>

namespace tilewise::python {
namespace {

struct Launcher {
  PyObject_HEAD PyObject *function;
  PyObject *grid;   ///< Null for a plain shield.
  PyObject *kernel; ///< The JITFunction whose launches may be steady, or null.
};

PyTypeObject *launcherType = nullptr;

/// .../tilewise/_native.abi3.so -> .../tilewise/
const std::string &packageFolder() {
  static const std::string folder = [] {
    std::string path;
    Ref module(PyImport_ImportModule("tilewise._native"));
    Ref file(module ? PyObject_GetAttrString(module.get(), "__file__") : nullptr);
    if (const char *text = file ? PyUnicode_AsUTF8AndSize(file.get(), nullptr) : nullptr)
      path = text;
    PyErr_Clear();
    return path.substr(0, path.rfind('/') + 1);
  }();
  return folder;
}

Launcher *self(PyObject *object) { return reinterpret_cast<Launcher *>(object); }

/// Whether this entry of a traceback is of a file of the package.
bool isOurs(PyObject *entry) {
  Ref frame(PyObject_GetAttrString(entry, "tb_frame"));
  Ref code(frame ? PyObject_GetAttrString(frame.get(), "f_code") : nullptr);
  Ref file(code ? PyObject_GetAttrString(code.get(), "co_filename") : nullptr);
  const char *text = file ? PyUnicode_AsUTF8AndSize(file.get(), nullptr) : nullptr;
  bool ours = text && !packageFolder().empty() && std::string_view(text).starts_with(packageFolder());
  PyErr_Clear();
  return ours;
}

/// The traceback without its entries of the package: the first that is kept, linked to the others.
Ref withoutOurs(PyObject *trace) {
  if (!trace || trace == Py_None)
    return Ref();
  Ref next(PyObject_GetAttrString(trace, "tb_next"));
  Ref rest = withoutOurs(next.get());
  if (isOurs(trace))
    return rest;
  PyObject_SetAttrString(trace, "tb_next", rest ? rest.get() : Py_None);
  PyErr_Clear();
  Py_INCREF(trace);
  return Ref(trace);
}

/// The same for the errors that led to this one, whose tracebacks are shown, too.
void cleanCauses(PyObject *error) {
  constexpr int kMost = 64; // a chain can be a ring
  Ref causes[] = {Ref(PyException_GetCause(error)), Ref(PyException_GetContext(error))};
  for (Ref &first : causes) {
    Ref cause = std::move(first);
    for (int i = 0; cause && i < kMost; ++i) {
      Ref trace(PyException_GetTraceback(cause.get()));
      if (trace) {
        Ref cleaned = withoutOurs(trace.get());
        PyException_SetTraceback(cause.get(), cleaned ? cleaned.get() : Py_None);
      }
      Ref next(PyException_GetCause(cause.get()));
      cause = next ? std::move(next) : Ref(PyException_GetContext(cause.get()));
    }
  }
}

/// What is being raised, without the package's frames.
PyObject *raiseCleaned() {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Ref cleaned = withoutOurs(trace);
  Py_XDECREF(trace);
  if (value)
    cleanCauses(value);
  if (value)
    PyException_SetTraceback(value, cleaned ? cleaned.get() : Py_None);
  PyErr_Clear();
  PyErr_Restore(type, value, cleaned.release());
  return nullptr;
}

PyObject *call(PyObject *object, PyObject *arguments, PyObject *named) {
  Ref merged;
  if (self(object)->kernel) {
    if (PyObject *result = launchSteady(self(object)->kernel, self(object)->grid, arguments, named))
      return result;
    if (PyErr_Occurred())
      return raiseCleaned();
  }
  if (self(object)->grid) {
    merged = Ref(named ? PyDict_Copy(named) : PyDict_New());
    if (!merged || PyDict_SetItemString(merged.get(), "grid", self(object)->grid) < 0)
      return nullptr;
    named = merged.get();
  }
  PyObject *result = PyObject_Call(self(object)->function, arguments, named);
  return result ? result : raiseCleaned();
}

int traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self(object)->function);
  Py_VISIT(self(object)->grid);
  Py_VISIT(self(object)->kernel);
  return 0;
}

void deallocate(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_XDECREF(self(object)->function);
  Py_XDECREF(self(object)->grid);
  Py_XDECREF(self(object)->kernel);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(object);
  Py_DECREF(type);
}

PyObject *make(PyObject *function, PyObject *grid, PyObject *kernel = nullptr) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(launcherType, Py_tp_alloc));
  PyObject *object = allocate(launcherType, 0);
  if (!object)
    return nullptr;
  Py_INCREF(function);
  Py_XINCREF(grid);
  self(object)->function = function;
  Py_XINCREF(kernel);
  self(object)->grid = grid;
  self(object)->kernel = kernel;
  return object;
}

PyObject *launcher(PyObject *, PyObject *arguments) {
  PyObject *function, *grid, *kernel = nullptr;
  return PyArg_ParseTuple(arguments, "OO|O", &function, &grid, &kernel) ? make(function, grid, kernel) : nullptr;
}

PyObject *shield(PyObject *, PyObject *function) { return make(function, nullptr); }

/// As a function in a class is: bound to the instance.
PyObject *bind(PyObject *object, PyObject *instance, PyObject *) {
  if (!instance || instance == Py_None) {
    Py_INCREF(object);
    return object;
  }
  Ref types(PyImport_ImportModule("types"));
  Ref method(types ? PyObject_GetAttrString(types.get(), "MethodType") : nullptr);
  return method ? PyObject_CallFunctionObjArgs(method.get(), object, instance, nullptr) : nullptr;
}

/// What is not its own is the function's: its name, its signature (through `__wrapped__`).
PyObject *attribute(PyObject *object, PyObject *name) {
  if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) {
    Py_INCREF(self(object)->function);
    return self(object)->function;
  }
  if (PyObject *own = PyObject_GenericGetAttr(object, name))
    return own;
  if (!PyErr_ExceptionMatches(PyExc_AttributeError))
    return nullptr;
  PyErr_Clear();
  return PyObject_GetAttr(self(object)->function, name);
}

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)}, {Py_tp_traverse, reinterpret_cast<void *>(traverse)},
    {Py_tp_call, reinterpret_cast<void *>(call)},          {Py_tp_descr_get, reinterpret_cast<void *>(bind)},
    {Py_tp_getattro, reinterpret_cast<void *>(attribute)}, {},
};
PyType_Spec spec = {"tilewise._native.Launcher", sizeof(Launcher), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};

PyMethodDef functions[] = {
    {"launcher", launcher, METH_VARARGS, nullptr},
    {"shield", shield, METH_O, nullptr},
    {},
};

} // namespace

bool addLauncher(PyObject *module) {
  launcherType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
  return launcherType && PyModule_AddFunctions(module, functions) == 0;
}

} // namespace tilewise::python
