// Memory by protocol: `__array_interface__` (a dict) and `__dlpack__` (a capsule) -> launch
// arguments.
#include "Arguments.h"

#include <cstring>
#include <string>

namespace tilewise::python {

namespace {

// DLPack's structs, which all exporters share (dlpack.h, version 0.x of the capsule named
// "dltensor").
struct DlDevice {
  int32_t type;
  int32_t id;
};
struct DlType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
struct DlTensor {
  void *data;
  DlDevice device;
  int32_t rank;
  DlType type;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void *context;
  void (*deleter)(DlManagedTensor *);
};
enum DlDeviceType { kCpu = 1, kCuda = 2, kCudaHost = 3, kCudaManaged = 13 };

tw_dtype integer(bool isSigned, int bits) {
  switch (bits) {
  case 8:
    return isSigned ? TW_INT8 : TW_UINT8;
  case 16:
    return isSigned ? TW_INT16 : TW_UINT16;
  case 32:
    return isSigned ? TW_INT32 : TW_UINT32;
  case 64:
    return isSigned ? TW_INT64 : TW_UINT64;
  default:
    return TW_DTYPE_NONE;
  }
}

tw_dtype floating(int bits) {
  return bits == 16 ? TW_FLOAT16 : bits == 32 ? TW_FLOAT32 : bits == 64 ? TW_FLOAT64 : TW_DTYPE_NONE;
}

tw_dtype dtypeOf(const DlType &type) {
  if (type.lanes != 1)
    return TW_DTYPE_NONE;
  switch (type.code) {
  case 0:
    return integer(true, type.bits);
  case 1:
    return integer(false, type.bits);
  case 2:
    return floating(type.bits);
  case 4:
    return type.bits == 16 ? TW_BFLOAT16 : TW_DTYPE_NONE;
  case 6:
    return type.bits == 8 ? TW_BOOL : TW_DTYPE_NONE;
  case 10:
    return TW_FLOAT8E4M3;
  case 11:
    return TW_FLOAT8E4B8;
  case 12:
    return TW_FLOAT8E5M2;
  case 13:
    return TW_FLOAT8E5B16;
  default:
    return TW_DTYPE_NONE;
  }
}

/// The bytes around an element that the others of its array lie in.
class Reach {
public:
  explicit Reach(uint64_t itemSize) : after_(itemSize) {}

  void add(int64_t extent, int64_t strideBytes) {
    empty_ |= extent == 0;
    const int64_t reach = (extent - 1) * strideBytes;
    (reach < 0 ? before_ : after_) += uint64_t(reach < 0 ? -reach : reach);
  }
  void write(tw_argument &argument, void *data, tw_dtype dtype) const {
    argument.kind = TW_ARGUMENT_POINTER;
    argument.dtype = dtype;
    argument.value.pointer = data;
    argument.bytes = empty_ ? 0 : after_;
    argument.bytes_before = empty_ ? 0 : before_;
  }

private:
  uint64_t before_ = 0, after_;
  bool empty_ = false;
};

/// A sequence's item as an integer; -1 with an exception set.
int64_t itemOf(PyObject *sequence, Py_ssize_t index) {
  Ref item(PySequence_GetItem(sequence, index));
  Ref number(item ? PyNumber_Index(item.get()) : nullptr);
  return number ? PyLong_AsLongLong(number.get()) : -1;
}

} // namespace

/// The type that "<f4" names, or `dtype` of the object for those that numpy has no letter for.
static tw_dtype dtypeOfInterface(const std::string &text, PyObject *object, std::string *name) {
  *name = text;
  if (text.size() < 3 || text[0] == '>')
    return TW_DTYPE_NONE;
  const int bits = 8 * std::atoi(text.c_str() + 2);
  switch (text[1]) {
  case 'b':
    return TW_BOOL;
  case 'i':
    return integer(true, bits);
  case 'u':
    return integer(false, bits);
  case 'f':
    return floating(bits);
  default:
    tw_dtype dtype = dtypeByName(object, name);
    PyErr_Clear();
    return dtype;
  }
}

bool Arguments::addInterface(PyObject *object, tw_argument &argument) {
  Ref interface(PyObject_GetAttrString(object, "__array_interface__"));
  if (!interface)
    return false;
  PyObject *data = PyDict_GetItemString(interface.get(), "data");
  PyObject *type = PyDict_GetItemString(interface.get(), "typestr");
  PyObject *shape = PyDict_GetItemString(interface.get(), "shape");
  PyObject *strides = PyDict_GetItemString(interface.get(), "strides");
  const char *text = type ? PyUnicode_AsUTF8AndSize(type, nullptr) : nullptr;
  if (!data || !PyTuple_Check(data) || !text || !shape) {
    PyErr_Clear();
    PyErr_SetString(launchError, "its __array_interface__ needs 'data' with an address, 'typestr' and 'shape'");
    return false;
  }
  std::string name;
  const tw_dtype dtype = dtypeOfInterface(text, object, &name);
  if (dtype == TW_DTYPE_NONE) {
    refuseElements("an array", name);
    return false;
  }
  void *address = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
  const int64_t itemSize = std::atoi(text + 2);
  const Py_ssize_t rank = PySequence_Size(shape);
  Reach reach(itemSize);
  int64_t stride = itemSize; // Without strides the order is row-major.
  for (Py_ssize_t i = rank; i-- > 0;) {
    const int64_t extent = itemOf(shape, i);
    reach.add(extent, strides && strides != Py_None ? itemOf(strides, i) : stride);
    stride *= extent;
  }
  if (PyErr_Occurred())
    return false;
  reach.write(argument, address, dtype);
  PyObject *isReadOnly = PyTuple_Size(data) > 1 ? PyTuple_GetItem(data, 1) : Py_False;
  if (PyObject_IsTrue(isReadOnly) == 1)
    argument.kind = TW_ARGUMENT_CONST_POINTER;
  kept_.push_back(std::move(interface));
  return placeOn(false, 0);
}

bool Arguments::addDlpack(PyObject *object, tw_argument &argument) {
  Ref method(PyObject_GetAttrString(object, "__dlpack__"));
  Ref capsule(method ? PyObject_CallNoArgs(method.get()) : nullptr);
  auto *managed = capsule ? static_cast<DlManagedTensor *>(PyCapsule_GetPointer(capsule.get(), "dltensor")) : nullptr;
  if (!managed)
    return false;
  const DlTensor &tensor = managed->tensor;
  const tw_dtype dtype = dtypeOf(tensor.type);
  if (dtype == TW_DTYPE_NONE) {
    PyErr_Format(launchError, "a DLPack tensor of type code %d with %d bits and %d lanes cannot be a kernel argument",
                 tensor.type.code, tensor.type.bits, tensor.type.lanes);
    return false;
  }
  const bool gpu = tensor.device.type == kCuda || tensor.device.type == kCudaManaged;
  if (!gpu && tensor.device.type != kCpu && tensor.device.type != kCudaHost) {
    PyErr_Format(launchError, "a DLPack tensor on a device of kind %d cannot be a kernel argument", tensor.device.type);
    return false;
  }
  const int64_t itemSize = tensor.type.bits / 8;
  Reach reach(itemSize);
  int64_t stride = 1;
  for (int32_t i = tensor.rank; i-- > 0;) {
    reach.add(tensor.shape[i], (tensor.strides ? tensor.strides[i] : stride) * itemSize);
    stride *= tensor.shape[i];
  }
  reach.write(argument, static_cast<char *>(tensor.data) + tensor.byteOffset, dtype);
  // The exporter frees the tensor with the capsule, which nobody takes over.
  kept_.push_back(std::move(capsule));
  return placeOn(gpu, tensor.device.id);
}

} // namespace tilewise::python
