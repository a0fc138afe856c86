// Scalars and blocks of interpreted kernels as Python objects: operators, comparisons and
// conditions without a detour through Python.
#include "Operand.h"

#include "Interpreter.h"

#include <cstring>

namespace tilewise::python {
namespace {

PyTypeObject *operandType = nullptr, *tensorType = nullptr;
/// The package's classes, made from those two.
PyTypeObject *tensorClass = nullptr, *otherClass = nullptr;

OperandObject *self(PyObject *object) { return reinterpret_cast<OperandObject *>(object); }

void deallocate(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  if (self(object)->operand)
    tw_operand_release(self(object)->operand);
  auto free = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  free(object);
  Py_DECREF(type);
}

Ref wrap(PyTypeObject *type, tw_operand *operand) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  Ref object(allocate(type, 0));
  if (object)
    self(object.get())->operand = operand;
  else
    tw_operand_release(operand);
  return object;
}

template <Operator op> PyObject *binary(PyObject *a, PyObject *b) { return evaluateOperator(op, a, b); }
template <Operator op> PyObject *unary(PyObject *a) { return evaluateOperator(op, a, nullptr); }

PyObject *power(PyObject *a, PyObject *b, PyObject *) { return evaluateOperator(Operator::Power, a, b); }

PyObject *compare(PyObject *a, PyObject *b, int what) {
  switch (what) {
  case Py_LT:
    return evaluateOperator(Operator::Less, a, b);
  case Py_LE:
    return evaluateOperator(Operator::LessEqual, a, b);
  case Py_GT:
    return evaluateOperator(Operator::Greater, a, b);
  case Py_GE:
    return evaluateOperator(Operator::GreaterEqual, a, b);
  case Py_EQ:
    return evaluateOperator(Operator::Equal, a, b);
  default:
    return evaluateOperator(Operator::NotEqual, a, b);
  }
}

/// A tensor is itself only: its elements may be many.
Py_hash_t hash(PyObject *object) { return Py_hash_t(reinterpret_cast<uintptr_t>(object) >> 4); }

bool isInteger(tw_dtype type) { return type >= TW_BOOL && type <= TW_UINT64; }

/// The one element of an integer scalar.
bool scalarInteger(PyObject *object, uint64_t &bits, tw_dtype &type) {
  tw_operand *operand = operandOf(object);
  size_t bytes = 0;
  type = operand ? tw_operand_dtype(operand) : TW_DTYPE_NONE;
  const void *data = isInteger(type) ? tw_operand_data(operand, &bytes) : nullptr;
  if (!data || bytes != tw_dtype_size(type))
    return false;
  bits = 0;
  std::memcpy(&bits, data, bytes);
  if (type <= TW_INT64 && type != TW_BOOL && bytes < 8) {
    unsigned shift = 64 - 8 * unsigned(bytes);
    bits = uint64_t(int64_t(bits << shift) >> shift);
  }
  return true;
}

/// The method that looks at all cases, and complains about blocks.
Ref ask(PyObject *object, const char *what) { return Ref(PyObject_CallMethod(object, "_scalar", "s", what)); }

int truth(PyObject *object) {
  uint64_t bits;
  tw_dtype type;
  if (scalarInteger(object, bits, type))
    return bits != 0;
  Ref value = ask(object, "a condition");
  return value ? PyObject_IsTrue(value.get()) : -1;
}

PyObject *integer(PyObject *object, const char *what) {
  uint64_t bits;
  tw_dtype type;
  if (scalarInteger(object, bits, type))
    return type >= TW_UINT8 ? PyLong_FromUnsignedLongLong(bits) : PyLong_FromLongLong(int64_t(bits));
  Ref value = ask(object, what);
  if (!value)
    return nullptr;
  return std::strcmp(what, "an index") == 0 ? PyNumber_Index(value.get()) : PyNumber_Long(value.get());
}

PyObject *toInteger(PyObject *object) { return integer(object, "int()"); }
PyObject *toIndex(PyObject *object) { return integer(object, "an index"); }

PyObject *toFloat(PyObject *object) {
  Ref value = ask(object, "float()");
  return value ? PyNumber_Float(value.get()) : nullptr;
}

/// The elements' bytes, one after another.
PyObject *data(PyObject *object, PyObject *) {
  size_t bytes = 0;
  const void *elements = tw_operand_data(self(object)->operand, &bytes);
  if (elements)
    return PyBytes_FromStringAndSize(static_cast<const char *>(elements), Py_ssize_t(bytes));
  PyErr_SetString(PyExc_TypeError, "only scalars and blocks have elements");
  return nullptr;
}

PyObject *extents(PyObject *object, PyObject *) {
  size_t rank = 0;
  const int64_t *shape = tw_operand_shape(self(object)->operand, &rank);
  Ref tuple(PyTuple_New(Py_ssize_t(rank)));
  for (size_t i = 0; tuple && i < rank; ++i)
    PyTuple_SetItem(tuple.get(), Py_ssize_t(i), PyLong_FromLongLong(shape[i]));
  return tuple.release();
}

PyMethodDef operandMethods[] = {
    {"_bytes", data, METH_NOARGS, nullptr}, {"_extents", extents, METH_NOARGS, nullptr}, {}};

PyType_Slot operandSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_tp_methods, operandMethods},
    {},
};
PyType_Spec operandSpec = {"tilewise._native.Operand", sizeof(OperandObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, operandSlots};

PyType_Slot tensorSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {Py_nb_add, reinterpret_cast<void *>(binary<Operator::Add>)},
    {Py_nb_subtract, reinterpret_cast<void *>(binary<Operator::Subtract>)},
    {Py_nb_multiply, reinterpret_cast<void *>(binary<Operator::Multiply>)},
    {Py_nb_true_divide, reinterpret_cast<void *>(binary<Operator::TrueDivide>)},
    {Py_nb_floor_divide, reinterpret_cast<void *>(binary<Operator::FloorDivide>)},
    {Py_nb_remainder, reinterpret_cast<void *>(binary<Operator::Remainder>)},
    {Py_nb_and, reinterpret_cast<void *>(binary<Operator::And>)},
    {Py_nb_or, reinterpret_cast<void *>(binary<Operator::Or>)},
    {Py_nb_xor, reinterpret_cast<void *>(binary<Operator::Xor>)},
    {Py_nb_lshift, reinterpret_cast<void *>(binary<Operator::LeftShift>)},
    {Py_nb_rshift, reinterpret_cast<void *>(binary<Operator::RightShift>)},
    {Py_nb_power, reinterpret_cast<void *>(power)},
    {Py_nb_negative, reinterpret_cast<void *>(unary<Operator::Negative>)},
    {Py_nb_invert, reinterpret_cast<void *>(unary<Operator::Invert>)},
    {Py_nb_positive, reinterpret_cast<void *>(unary<Operator::Positive>)},
    {Py_nb_absolute, reinterpret_cast<void *>(unary<Operator::Absolute>)},
    {Py_nb_bool, reinterpret_cast<void *>(truth)},
    {Py_nb_int, reinterpret_cast<void *>(toInteger)},
    {Py_nb_index, reinterpret_cast<void *>(toIndex)},
    {Py_nb_float, reinterpret_cast<void *>(toFloat)},
    {Py_tp_richcompare, reinterpret_cast<void *>(compare)},
    {Py_tp_hash, reinterpret_cast<void *>(hash)},
    {},
};
PyType_Spec tensorSpec = {"tilewise._native.Tensor", sizeof(OperandObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          tensorSlots};

/// set_operand_classes(tensor, other): what operands become; other(text) is called for what is
/// neither scalar nor block.
PyObject *setClasses(PyObject *, PyObject *arguments) {
  PyObject *tensor, *other;
  if (!PyArg_ParseTuple(arguments, "OO", &tensor, &other))
    return nullptr;
  Py_INCREF(tensor);
  Py_INCREF(other);
  tensorClass = reinterpret_cast<PyTypeObject *>(tensor);
  otherClass = reinterpret_cast<PyTypeObject *>(other);
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {{"set_operand_classes", setClasses, METH_VARARGS, nullptr}, {}};

} // namespace

tw_operand *operandOf(PyObject *object) {
  return PyObject_TypeCheck(object, operandType) ? self(object)->operand : nullptr;
}

Ref wrapTensor(tw_operand *operand) { return wrap(tensorClass, operand); }

Ref wrapOther(tw_operand *operand, const char *text) {
  Ref object = wrap(otherClass, operand);
  Ref said(object ? PyUnicode_FromString(text) : nullptr);
  if (!said || PyObject_SetAttrString(object.get(), "_text", said.get()) < 0)
    return Ref();
  return object;
}

bool addOperands(PyObject *module) {
  operandType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&operandSpec));
  Ref bases(operandType ? PyTuple_Pack(1, operandType) : nullptr);
  tensorType = bases ? reinterpret_cast<PyTypeObject *>(PyType_FromSpecWithBases(&tensorSpec, bases.get())) : nullptr;
  return tensorType && PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(module, "Operand", reinterpret_cast<PyObject *>(operandType)) == 0 &&
         PyModule_AddObjectRef(module, "Tensor", reinterpret_cast<PyObject *>(tensorType)) == 0;
}

} // namespace tilewise::python
