// The callbacks of tilewise/host.h over a Python resolver: each takes the GIL, asks, and says what
// the answer is.
#include "Host.h"

#include "tilewise/host.h"

#include <string>
#include <string_view>

namespace tilewise::python {
namespace {

/// The pending exception as the reason why a value cannot be had.
void sayError(tw_value *value) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  Ref ownedType(type), ownedError(error), ownedTrace(trace);
  Ref text(error ? PyObject_Str(error) : nullptr);
  const char *reason = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  tw_value_error(value, reason ? reason : "an exception without a text");
  PyErr_Clear();
}

bool sayItems(PyObject *resolver, PyObject *sequence, tw_value *value) {
  Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence, i));
    if (!item || !say(resolver, item.get(), tw_value_item(value, size_t(i))))
      return false;
  }
  return count >= 0;
}

bool sayInteger(PyObject *object, tw_value *value) {
  int overflow = 0;
  long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (!overflow) {
    tw_value_int(value, number);
    return !PyErr_Occurred();
  }
  Ref text(PyObject_Str(object));
  const char *decimal = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  return decimal && tw_value_big_int(value, decimal) == TW_OK;
}

bool sayDict(PyObject *resolver, PyObject *dict, tw_value *value) {
  tw_value_dict(value, size_t(PyDict_Size(dict)));
  Py_ssize_t at = 0;
  size_t index = 0;
  PyObject *key, *item;
  while (PyDict_Next(dict, &at, &key, &item)) {
    if (!say(resolver, key, tw_value_item(value, index)) || !say(resolver, item, tw_value_item(value, index + 1)))
      return false;
    index += 2;
  }
  return true;
}

/// (name, is_tuple, [(field, kind, has_default, default)], [(attribute, value)])
bool sayClass(PyObject *resolver, PyObject *object, PyObject *told, tw_value *value) {
  const char *name;
  int isTuple;
  PyObject *fields, *attributes;
  if (!PyArg_ParseTuple(told, "spOO", &name, &isTuple, &fields, &attributes))
    return false;
  if (!tw_value_class(value, object, name, isTuple != 0))
    return true;
  for (Py_ssize_t i = 0; i < PyList_Size(fields); ++i) {
    const char *field;
    int kind, hasDefault;
    PyObject *given;
    if (!PyArg_ParseTuple(PyList_GetItem(fields, i), "sipO", &field, &kind, &hasDefault, &given))
      return false;
    tw_value *slot = tw_value_class_field(value, field, tw_field_kind(kind));
    if (hasDefault && !say(resolver, given, slot))
      return false;
  }
  for (Py_ssize_t i = 0; i < PyList_Size(attributes); ++i) {
    const char *attribute;
    PyObject *held;
    if (!PyArg_ParseTuple(PyList_GetItem(attributes, i), "sO", &attribute, &held) ||
        !say(resolver, held, tw_value_class_attribute(value, attribute)))
      return false;
  }
  return true;
}

/// What resolver.describe said, as a tuple that starts with one of seven words.
bool sayDescribed(PyObject *resolver, PyObject *object, tw_value *value) {
  Ref answer(PyObject_CallMethod(resolver, "describe", "(O)", object));
  if (!answer)
    return false;
  const char *what;
  PyObject *first, *second = nullptr;
  unsigned flags = 0;
  const char *mustUse = nullptr;
  if (!PyArg_ParseTuple(answer.get(), "sO|OIz", &what, &first, &second, &flags, &mustUse))
    return false;
  std::string_view kind = what;
  if (kind == "constexpr") {
    bool good = say(resolver, first, value);
    tw_value_constexpr(value);
    return good;
  }
  if (kind == "language") {
    const char *dotted = PyUnicode_AsUTF8AndSize(first, nullptr);
    return dotted && (tw_value_language(value, dotted) == TW_OK || raise(TW_ERROR_LAUNCH));
  }
  if (kind == "type") {
    const char *text = PyUnicode_AsUTF8AndSize(first, nullptr);
    return text && (tw_value_literal(value, text) == TW_OK || raise(TW_ERROR_LAUNCH));
  }
  if (kind == "function") {
    tw_source *source = sourceOf(first);
    const char *name = second ? PyUnicode_AsUTF8AndSize(second, nullptr) : nullptr;
    if (!source || !name || (tw_value_function(value, source, name) != TW_OK && !raise(TW_ERROR_KERNEL)))
      return false;
    tw_value_function_flags(value, flags, mustUse);
    return true;
  }
  if (kind == "class")
    return sayClass(resolver, object, first, value);
  if (kind == "namedtuple") {
    Py_ssize_t count = PyTuple_Size(object);
    tw_value_named_tuple(value, size_t(count));
    if (!say(resolver, first, tw_value_item(value, 0)))
      return false;
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!say(resolver, PyTuple_GetItem(object, i), tw_value_item(value, size_t(i) + 1)))
        return false;
    return true;
  }
  const char *description = PyUnicode_AsUTF8AndSize(first, nullptr);
  if (!description)
    return false;
  Py_INCREF(object);
  tw_value_object(value, object, description);
  return true;
}

Ref readItems(PyObject *resolver, const tw_value *value, bool isTuple, tw_interpreter *interpreter) {
  auto count = Py_ssize_t(tw_value_get_count(value));
  Ref list(isTuple ? PyTuple_New(count) : PyList_New(count));
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    Ref item = read(resolver, tw_value_get_item(value, size_t(i)), interpreter);
    if (!item)
      return Ref();
    if (isTuple)
      PyTuple_SetItem(list.get(), i, item.release());
    else
      PyList_SetItem(list.get(), i, item.release());
  }
  return list;
}

Ref readDict(PyObject *resolver, const tw_value *value, tw_interpreter *interpreter) {
  Ref dict(PyDict_New());
  for (size_t i = 0; dict && i + 1 < tw_value_get_count(value); i += 2) {
    Ref key = read(resolver, tw_value_get_item(value, i), interpreter);
    Ref item = key ? read(resolver, tw_value_get_item(value, i + 1), interpreter) : Ref();
    if (!item || PyDict_SetItem(dict.get(), key.get(), item.get()) < 0)
      return Ref();
  }
  return dict;
}

} // namespace

bool say(PyObject *resolver, PyObject *object, tw_value *value) {
  if (tw_operand *operand = operandOf(object)) {
    tw_value_operand(value, operand);
  } else if (object == Py_None) {
    tw_value_none(value);
  } else if (PyBool_Check(object)) {
    tw_value_bool(value, object == Py_True);
  } else if (PyLong_CheckExact(object)) {
    return sayInteger(object, value);
  } else if (PyFloat_CheckExact(object)) {
    tw_value_float(value, PyFloat_AsDouble(object));
  } else if (PyUnicode_CheckExact(object)) {
    Py_ssize_t length = 0;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (!text)
      return false;
    tw_value_string(value, text, size_t(length));
  } else if (PyTuple_CheckExact(object)) {
    tw_value_tuple(value, size_t(PyTuple_Size(object)));
    return sayItems(resolver, object, value);
  } else if (PyList_CheckExact(object)) {
    tw_value_list(value, size_t(PyList_Size(object)));
    return sayItems(resolver, object, value);
  } else if (PyDict_CheckExact(object)) {
    return sayDict(resolver, object, value);
  } else {
    return sayDescribed(resolver, object, value);
  }
  return true;
}

Ref read(PyObject *resolver, const tw_value *value, tw_interpreter *interpreter) {
  tw_value_kind kind = tw_value_get_kind(value);
  if (interpreter && kind == TW_VALUE_BLOCK)
    return wrapTensor(tw_value_hold(value, interpreter));
  if (interpreter && kind == TW_VALUE_OTHER)
    return wrapOther(tw_value_hold(value, interpreter), tw_value_get_text(value, nullptr));
  size_t length = 0;
  const char *text = tw_value_get_text(value, &length);
  switch (kind) {
  case TW_VALUE_BOOL:
    return Ref(PyBool_FromLong(tw_value_get_bool(value)));
  case TW_VALUE_INT:
    return Ref(PyLong_FromString(text, nullptr, 10));
  case TW_VALUE_FLOAT:
    return Ref(PyFloat_FromDouble(tw_value_get_float(value)));
  case TW_VALUE_STRING:
    return Ref(PyUnicode_FromStringAndSize(text, Py_ssize_t(length)));
  case TW_VALUE_TUPLE:
  case TW_VALUE_LIST: {
    Ref items = readItems(resolver, value, kind == TW_VALUE_TUPLE, interpreter);
    const void *tupleClass = tw_value_get_class(value);
    // The package keeps every class alive that kernels know.
    return items && tupleClass
               ? Ref(PyObject_CallObject(static_cast<PyObject *>(const_cast<void *>(tupleClass)), items.get()))
               : std::move(items);
  }
  case TW_VALUE_DICT:
    return readDict(resolver, value, interpreter);
  case TW_VALUE_TYPE:
    return Ref(PyObject_CallMethod(resolver, "type_of", "s", text));
  case TW_VALUE_OBJECT: {
    auto *object = static_cast<PyObject *>(tw_value_get_object(value));
    Py_INCREF(object);
    return Ref(object);
  }
  case TW_VALUE_BLOCK:
  case TW_VALUE_OTHER:
    PyErr_Format(PyExc_TypeError, "%s cannot be given to a Python function", text);
    return Ref();
  default:
    Py_INCREF(Py_None);
    return Ref(Py_None);
  }
}

namespace {

PyObject *resolverOf(void *user) { return static_cast<PyObject *>(user); }

void lookup(void *user, const char *name, tw_value *value) {
  Gil gil;
  Ref found(PyObject_CallMethod(resolverOf(user), "lookup", "s", name));
  if (!found && PyErr_ExceptionMatches(PyExc_KeyError))
    PyErr_Clear();
  else if (!found || !say(resolverOf(user), found.get(), value))
    sayError(value);
}

void attribute(void *user, void *object, const char *name, tw_value *value) {
  Gil gil;
  Ref found(PyObject_GetAttrString(static_cast<PyObject *>(object), name));
  if (!found || !say(resolverOf(user), found.get(), value))
    sayError(value);
}

void call(void *user, void *object, const tw_value *arguments, const tw_value *named, tw_value *result) {
  Gil gil;
  Ref positional = read(resolverOf(user), arguments);
  Ref keywords = positional ? read(resolverOf(user), named) : Ref();
  Ref answer(keywords ? PyObject_CallMethod(resolverOf(user), "call", "(OOO)", static_cast<PyObject *>(object),
                                            positional.get(), keywords.get())
                      : nullptr);
  if (!answer || !say(resolverOf(user), answer.get(), result))
    sayError(result);
}

bool equal(void *, void *a, void *b) {
  Gil gil;
  int result = PyObject_RichCompareBool(static_cast<PyObject *>(a), static_cast<PyObject *>(b), Py_EQ);
  if (result < 0)
    PyErr_Clear();
  return result > 0;
}

void names(void *user, void (*add)(void *list, const char *name), void *list) {
  Gil gil;
  Ref all(PyObject_CallMethod(resolverOf(user), "names", nullptr));
  Py_ssize_t count = all ? PySequence_Size(all.get()) : 0;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref name(PySequence_GetItem(all.get(), i));
    if (const char *text = name ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr)
      add(list, text);
  }
  PyErr_Clear();
}

/// After the interpreter's end there is nothing left to release.
void release(PyObject *object) {
  if (!Py_IsInitialized())
    return;
  Gil gil;
  Py_DECREF(object);
}

void releaseObject(void *, void *object) { release(static_cast<PyObject *>(object)); }
void releaseResolver(void *user) { release(resolverOf(user)); }

} // namespace

tw_host hostOf(PyObject *resolver) {
  tw_host host = {};
  host.struct_size = sizeof host;
  host.user = resolver;
  host.lookup = lookup;
  host.attribute = attribute;
  host.equal = equal;
  host.names = names;
  host.release_object = releaseObject;
  host.release = releaseResolver;
  host.call = call;
  Py_INCREF(resolver);
  return host;
}

bool setResolver(tw_source *source, PyObject *resolver) {
  tw_host host = hostOf(resolver);
  if (tw_status status = tw_source_set_host(source, &host)) {
    Py_DECREF(resolver);
    raise(status);
    return false;
  }
  return true;
}

} // namespace tilewise::python
