// The language's names and signatures, as Python's lists.
#include "Language.h"

#include "Host.h"

namespace tilewise::python {
namespace {

/// Appends what was made for it; without effect once an exception is set.
void append(void *list, PyObject *made) {
  Ref item(made);
  if (item)
    PyList_Append(static_cast<PyObject *>(list), item.get());
}

PyObject *finished(Ref list) { return PyErr_Occurred() ? nullptr : list.release(); }

/// language_names(module) -> the functions of triton.language, or of its libdevice
PyObject *languageNames(PyObject *, PyObject *module) {
  const char *text = PyUnicode_AsUTF8AndSize(module, nullptr);
  Ref list(text ? PyList_New(0) : nullptr);
  if (!list)
    return nullptr;
  tw_language_names(text, [](void *user, const char *name) { append(user, PyUnicode_FromString(name)); }, list.get());
  return finished(std::move(list));
}

/// read_signature(text) -> [(text of a type or a constant, whether it is a constant, divisor)]
PyObject *readSignature(PyObject *, PyObject *given) {
  const char *text = PyUnicode_AsUTF8AndSize(given, nullptr);
  Ref list(text ? PyList_New(0) : nullptr);
  if (!list)
    return nullptr;
  auto take = [](void *user, const char *piece, bool isConstant, uint32_t divisor) {
    append(user, Py_BuildValue("(sOI)", piece, isConstant ? Py_True : Py_False, divisor));
  };
  if (tw_status status = tw_signature_read(text, take, list.get()))
    return raise(status);
  return finished(std::move(list));
}

PyMethodDef functions[] = {
    {"language_names", languageNames, METH_O, nullptr}, {"read_signature", readSignature, METH_O, nullptr}, {}};

} // namespace

bool addLanguage(PyObject *module) { return PyModule_AddFunctions(module, functions) == 0; }

} // namespace tilewise::python
