// Python objects -> launch arguments: numbers, arrays, tensors, and the texts of compile-time
// constants.
#include "Arguments.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

namespace tilewise::python {

static PyObject *literalFunction = nullptr;

void setLiteralFunction(PyObject *function) {
  Py_XINCREF(function);
  Py_XDECREF(literalFunction);
  literalFunction = function;
}

/// What numpy's `__array_struct__` capsule points to; a layout that numpy promised to keep in 2006.
struct ArrayInterface {
  int two;
  int rank;
  char kind;
  int itemSize;
  int flags;
  Py_ssize_t *shape;
  Py_ssize_t *strides;
  void *data;
  PyObject *description;
};
constexpr int kOwnsData = 0x4;
constexpr int kNativeByteOrder = 0x200;
constexpr int kWriteable = 0x400;

enum class Kind { Tensor, Descriptor, Array, Interface, Dlpack, Bool, Index, Float, Other };

static bool allOnHost = false;

void keepToHost() { allOnHost = true; }

/// A name that every look-up of a launch uses: interned, it is found in the type's cache of
/// attributes. Made of C strings each time, the three of a tensor took 0.1 us more.
static PyObject *interned(const char *name) {
  PyObject *text = PyUnicode_InternFromString(name);
  if (!text)
    Py_FatalError("no memory for the name of an attribute");
  return text;
}

static bool typeHas(PyTypeObject *type, const char *name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), name);
}

/// The text of `str(object)`, or empty with an exception set.
static std::string textOf(PyObject *object) {
  Ref text(PyObject_Str(object));
  const char *utf8 = text ? PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
  return utf8 ? utf8 : "";
}

static bool isBoolScalar(PyObject *object) {
  Ref dtype(PyObject_GetAttrString(object, "dtype"));
  bool isBool = dtype && textOf(dtype.get()) == "bool";
  PyErr_Clear();
  return isBool;
}

/// numpy's scalars have `__array_struct__`, too, but nothing can be stored into them: they are
/// numbers.
static Kind kindOf(PyObject *object) {
  static std::unordered_map<PyTypeObject *, Kind> known;
  PyTypeObject *type = Py_TYPE(object);
  if (auto found = known.find(type); found != known.end())
    return found->second;
  Kind kind = Kind::Other;
  // `dtype` may be the instance's.
  if (typeHas(type, "data_ptr") && PyObject_HasAttrString(object, "dtype"))
    kind = Kind::Tensor;
  else if (PyObject_HasAttrString(object, "block_shape") && PyObject_HasAttrString(object, "strides"))
    kind = Kind::Descriptor;
  else if (typeHas(type, "__array_struct__") && typeHas(type, "__setitem__"))
    kind = Kind::Array;
  else if (typeHas(type, "__array_struct__") && isBoolScalar(object))
    kind = Kind::Bool;
  else if (PyIndex_Check(object) && typeHas(type, "__array_struct__"))
    kind = Kind::Index;
  else if (typeHas(type, "__float__") && typeHas(type, "__array_struct__"))
    kind = Kind::Float;
  else if (PyObject_HasAttrString(object, "__array_interface__"))
    kind = Kind::Interface;
  else if (typeHas(type, "__dlpack__"))
    kind = Kind::Dlpack;
  Py_INCREF(type);
  known.emplace(type, kind);
  return kind;
}

/// numpy's and torch's names of types, and the fp8 and bf16 names of ml_dtypes.
static tw_dtype dtypeNamed(const std::string &name) {
  static const std::unordered_map<std::string, tw_dtype> names = {
      {"bool", TW_BOOL},
      {"int8", TW_INT8},
      {"int16", TW_INT16},
      {"int32", TW_INT32},
      {"int64", TW_INT64},
      {"uint8", TW_UINT8},
      {"uint16", TW_UINT16},
      {"uint32", TW_UINT32},
      {"uint64", TW_UINT64},
      {"float16", TW_FLOAT16},
      {"bfloat16", TW_BFLOAT16},
      {"float32", TW_FLOAT32},
      {"float64", TW_FLOAT64},
      {"float8_e4m3fn", TW_FLOAT8E4M3},
      {"float8_e5m2", TW_FLOAT8E5M2},
      {"float8_e4m3fnuz", TW_FLOAT8E4B8},
      {"float8_e5m2fnuz", TW_FLOAT8E5B16},
  };
  auto found = names.find(name.starts_with("torch.") ? name.substr(6) : name);
  // The language's own names, as of a reinterpreted tensor.
  return found == names.end() ? name == "int1" ? TW_BOOL : tw_dtype_parse(name.c_str()) : found->second;
}

static tw_dtype dtypeOf(const ArrayInterface &array) {
  int size = array.itemSize;
  switch (array.kind) {
  case 'b':
    return TW_BOOL;
  case 'i':
    return size == 1 ? TW_INT8 : size == 2 ? TW_INT16 : size == 4 ? TW_INT32 : size == 8 ? TW_INT64 : TW_DTYPE_NONE;
  case 'u':
    return size == 1 ? TW_UINT8 : size == 2 ? TW_UINT16 : size == 4 ? TW_UINT32 : size == 8 ? TW_UINT64 : TW_DTYPE_NONE;
  case 'f':
    return size == 2 ? TW_FLOAT16 : size == 4 ? TW_FLOAT32 : size == 8 ? TW_FLOAT64 : TW_DTYPE_NONE;
  default:
    return TW_DTYPE_NONE;
  }
}

/// Before the first launch on a tensor of torch: it is to run on torch's threads. Nothing depends
/// on that it does, so an exception is told and not raised.
static void meetTorch() {
  static bool isKnown = false;
  if (std::exchange(isKnown, true))
    return;
  Ref module(PyImport_ImportModule("tilewise.torch_threads"));
  Ref done(module ? PyObject_CallMethod(module.get(), "share", nullptr) : nullptr);
  if (!done)
    PyErr_WriteUnraisable(module.get());
}

/// By the object's `dtype`; those of torch and numpy are one object per type, kept here.
tw_dtype dtypeByName(PyObject *object, std::string *name) {
  static std::unordered_map<PyObject *, tw_dtype> known;
  static PyObject *const kDtype = interned("dtype");
  Ref dtype(PyObject_GetAttr(object, kDtype));
  if (!dtype)
    return TW_DTYPE_NONE;
  if (auto found = known.find(dtype.get()); found != known.end())
    return found->second;
  *name = textOf(dtype.get());
  if (name->starts_with("torch."))
    meetTorch();
  tw_dtype result = dtypeNamed(*name);
  if (result != TW_DTYPE_NONE)
    known.emplace(dtype.release(), result);
  return result;
}

bool Arguments::placeOn(bool gpu, int index) {
  if ((gpu && onHost_) || (!gpu && onGpu_) || (gpu && onGpu_ && index != gpu_)) {
    PyErr_SetString(launchError, "the tensors of a launch must all be on one device");
    return false;
  }
  (gpu ? onGpu_ : onHost_) = true;
  if (gpu)
    gpu_ = index;
  return true;
}

namespace {
/// The bytes that an array's elements lie in.
struct Extent {
  char *begin, *end;
};
} // namespace

static Extent extentOf(const ArrayInterface &array) {
  auto *data = static_cast<char *>(array.data);
  Extent extent{data, data + array.itemSize};
  Py_ssize_t stride = array.itemSize; // Without strides the order is row-major.
  for (int i = array.rank; i-- > 0;) {
    if (array.shape[i] == 0)
      return {data, data};
    const Py_ssize_t reach = (array.shape[i] - 1) * (array.strides ? array.strides[i] : stride);
    (reach < 0 ? extent.begin : extent.end) += reach;
    stride *= array.shape[i];
  }
  return extent;
}

/// A view may reach all of the storage that it is a view of: the array at the end of the chain of
/// `base`.
static void widenToStorage(PyObject *object, Extent &extent) {
  Ref owner(PyObject_GetAttrString(object, "base"));
  while (owner && owner.get() != Py_None) {
    Ref capsule(PyObject_GetAttrString(owner.get(), "__array_struct__"));
    auto *array = capsule ? static_cast<ArrayInterface *>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
    if (!array)
      break;
    const Extent whole = extentOf(*array);
    extent.begin = std::min(extent.begin, whole.begin);
    extent.end = std::max(extent.end, whole.end);
    owner = Ref(PyObject_GetAttrString(owner.get(), "base"));
  }
  PyErr_Clear();
}

void refuseElements(const char *what, const std::string &name) {
  PyErr_Format(
      launchError,
      "%s of %s cannot be a kernel argument; kernels take bools, integers of 8 to 64 bits, and floats of 8 to 64 "
      "bits, in this machine's byte order: convert it, as by .astype('float32')",
      what, name.c_str());
}

bool Arguments::addArray(PyObject *object, tw_argument &argument) {
  Ref capsule(PyObject_GetAttrString(object, "__array_struct__"));
  if (!capsule)
    return false;
  auto *array = static_cast<ArrayInterface *>(PyCapsule_GetPointer(capsule.get(), nullptr));
  if (!array)
    return false;
  std::string name;
  tw_dtype dtype = dtypeOf(*array);
  if (dtype == TW_DTYPE_NONE)
    dtype = dtypeByName(object, &name);
  if (dtype == TW_DTYPE_NONE || !(array->flags & kNativeByteOrder)) {
    if (!PyErr_Occurred())
      refuseElements("an array", name.empty() ? "foreign byte order" : name);
    return false;
  }
  Extent extent = extentOf(*array);
  if (!(array->flags & kOwnsData))
    widenToStorage(object, extent);
  // What its owner made read-only may be a file mapped for reading: a store would end the process.
  argument.kind = array->flags & kWriteable ? TW_ARGUMENT_POINTER : TW_ARGUMENT_CONST_POINTER;
  argument.dtype = dtype;
  argument.value.pointer = array->data;
  argument.bytes = uint64_t(extent.end - static_cast<char *>(array->data));
  argument.bytes_before = uint64_t(static_cast<char *>(array->data) - extent.begin);
  return placeOn(false, 0);
}

/// What calling the method gives, or null without an exception.
static Ref tryCall(PyObject *object, const char *method) {
  Ref bound(PyObject_GetAttrString(object, method));
  Ref result(bound ? PyObject_CallNoArgs(bound.get()) : nullptr);
  PyErr_Clear();
  return result;
}

/// How much of a tensor's storage lies at its first element, and before it; unknown where the
/// object has no such thing.
static void addStorage(PyObject *object, tw_argument &argument) {
  Ref storage = tryCall(object, "untyped_storage");
  if (!storage) {
    // A tensor under another element type has the real one inside.
    Ref base(PyObject_GetAttrString(object, "base"));
    PyErr_Clear();
    storage = base ? tryCall(base.get(), "untyped_storage") : Ref();
  }
  Ref start = storage ? tryCall(storage.get(), "data_ptr") : Ref();
  Ref size = start ? tryCall(storage.get(), "nbytes") : Ref();
  if (!size)
    return;
  auto *begin = static_cast<char *>(PyLong_AsVoidPtr(start.get()));
  auto *pointer = static_cast<char *>(argument.value.pointer);
  auto bytes = uint64_t(PyLong_AsLongLong(size.get()));
  if (PyErr_Occurred() || pointer < begin || pointer > begin + bytes)
    return PyErr_Clear();
  argument.bytes_before = uint64_t(pointer - begin);
  argument.bytes = bytes - argument.bytes_before;
}

bool Arguments::addTensor(PyObject *object, tw_argument &argument) {
  std::string name;
  tw_dtype dtype = dtypeByName(object, &name);
  if (dtype == TW_DTYPE_NONE) {
    if (!PyErr_Occurred())
      refuseElements("a tensor", name);
    return false;
  }
  static PyObject *const kDataPtr = interned("data_ptr"), *const kIsCuda = interned("is_cuda"),
                         *const kGetDevice = interned("get_device");
  Ref address(PyObject_CallMethodObjArgs(object, kDataPtr, nullptr));
  if (!address)
    return false;
  argument.kind = TW_ARGUMENT_POINTER;
  argument.dtype = dtype;
  argument.value.pointer = PyLong_AsVoidPtr(address.get());
  argument.bytes = TW_BYTES_UNKNOWN;
  if (PyErr_Occurred())
    return false;
  // A tensor without elements has no memory. One with elements and without memory, as of torch's
  // device `meta`, can be compiled for; launches refuse it.
  if (!argument.value.pointer) {
    argument.bytes = 0;
    Ref count = tryCall(object, "numel");
    if (count && PyLong_AsLongLong(count.get()) > 0)
      withoutMemory_ = Py_ssize_t(arguments_.size());
    PyErr_Clear();
  }
  ofTorch_ = true;
  Ref isCuda(allOnHost ? nullptr : PyObject_GetAttr(object, kIsCuda));
  if (!isCuda)
    PyErr_Clear();
  if (!isCuda || isCuda.get() != Py_True) {
    if (withSizes_ && argument.value.pointer)
      addStorage(object, argument);
    return placeOn(false, 0);
  }
  Ref index(PyObject_CallMethodObjArgs(object, kGetDevice, nullptr));
  if (!index)
    return false;
  return placeOn(true, int(PyLong_AsLong(index.get())));
}

/// Memory of whatever kind the object is; what is none of them has to be a tensor.
bool Arguments::addMemory(PyObject *object, tw_argument &argument) {
  switch (kindOf(object)) {
  case Kind::Array:
    return addArray(object, argument);
  case Kind::Interface:
    return addInterface(object, argument);
  case Kind::Dlpack:
    return addDlpack(object, argument);
  default:
    return addTensor(object, argument);
  }
}

/// Up to five integers of a sequence, as a torch.Size has them.
static bool readExtents(PyObject *object, const char *attribute, int64_t (&extents)[5], uint32_t &rank) {
  Ref sequence(PyObject_GetAttrString(object, attribute));
  Py_ssize_t count = sequence ? PySequence_Size(sequence.get()) : -1;
  if (count < 0)
    return false;
  if (count > 5) {
    PyErr_SetString(launchError, "a tensor descriptor has at most five dimensions");
    return false;
  }
  rank = uint32_t(count);
  for (Py_ssize_t i = 0; i < count; ++i) {
    Ref item(PySequence_GetItem(sequence.get(), i));
    Ref number(item ? PyNumber_Index(item.get()) : nullptr);
    extents[i] = number ? PyLong_AsLongLong(number.get()) : 0;
    if (PyErr_Occurred())
      return false;
  }
  return true;
}

bool Arguments::addDescriptor(PyObject *object, tw_argument &argument) {
  Ref base(PyObject_GetAttrString(object, "base"));
  tw_argument memory;
  std::memset(&memory, 0, sizeof memory);
  if (!base || !addMemory(base.get(), memory))
    return false;
  if (memory.kind == TW_ARGUMENT_CONST_POINTER) {
    PyErr_SetString(launchError,
                    "a descriptor of a read-only array: kernels can store through a descriptor; pass one of a copy");
    return false;
  }
  tw_descriptor descriptor;
  std::memset(&descriptor, 0, sizeof descriptor);
  uint32_t strideCount = 0, blockRank = 0;
  if (!readExtents(object, "shape", descriptor.shape, descriptor.rank) ||
      !readExtents(object, "strides", descriptor.strides, strideCount) ||
      !readExtents(object, "block_shape", descriptor.block_shape, blockRank))
    return false;
  if (strideCount != descriptor.rank || blockRank != descriptor.rank) {
    PyErr_SetString(launchError, "a tensor descriptor needs a shape, strides and a block shape of one length");
    return false;
  }
  descriptor.base = memory.value.pointer;
  descriptor.dtype = memory.dtype;
  Ref padding(PyObject_GetAttrString(object, "padding"));
  descriptor.pad_with_nan = padding && textOf(padding.get()) == "nan";
  PyErr_Clear();
  descriptors_.push_back(descriptor);
  argument.kind = TW_ARGUMENT_DESCRIPTOR;
  argument.value.descriptor = &descriptors_.back();
  argument.bytes = memory.bytes;
  argument.bytes_before = memory.bytes_before;
  kept_.push_back(std::move(base));
  return true;
}

bool Arguments::addLiteral(PyObject *object, tw_argument &argument) {
  Ref text(PyObject_CallFunctionObjArgs(literalFunction, object, nullptr));
  if (!text)
    return false;
  argument.kind = TW_ARGUMENT_TEXT;
  argument.value.text = PyUnicode_AsUTF8AndSize(text.get(), nullptr);
  kept_.push_back(std::move(text));
  return argument.value.text != nullptr;
}

static bool setInteger(PyObject *object, tw_argument &argument) {
  int overflow = 0;
  argument.kind = TW_ARGUMENT_INT;
  argument.value.i = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0) {
    argument.kind = TW_ARGUMENT_UINT;
    argument.value.u = PyLong_AsUnsignedLongLong(object);
    overflow = 0;
  }
  if (overflow < 0 || PyErr_Occurred()) {
    PyErr_Clear();
    PyErr_SetString(overflowError, "an integer argument needs more than 64 bits");
    return false;
  }
  return true;
}

bool Arguments::add(PyObject *object, const char *name, Py_ssize_t position) {
  tw_argument argument;
  std::memset(&argument, 0, sizeof argument);
  argument.name = name;
  bool good = true;
  if (object == Py_None) {
    argument.kind = TW_ARGUMENT_NONE;
  } else if (PyBool_Check(object)) {
    argument.kind = TW_ARGUMENT_BOOL;
    argument.value.u = object == Py_True;
  } else if (PyLong_Check(object)) {
    good = setInteger(object, argument);
  } else if (PyFloat_Check(object)) {
    argument.kind = TW_ARGUMENT_FLOAT;
    argument.value.f = PyFloat_AsDouble(object);
  } else {
    switch (kindOf(object)) {
    case Kind::Tensor:
    case Kind::Array:
    case Kind::Interface:
    case Kind::Dlpack:
      good = addMemory(object, argument);
      break;
    case Kind::Descriptor:
      good = addDescriptor(object, argument);
      break;
    case Kind::Bool:
      argument.kind = TW_ARGUMENT_BOOL;
      argument.value.u = PyObject_IsTrue(object) > 0;
      break;
    case Kind::Index: {
      Ref integer(PyNumber_Index(object));
      good = integer && setInteger(integer.get(), argument);
      break;
    }
    case Kind::Float: {
      Ref number(PyNumber_Float(object));
      good = bool(number);
      argument.kind = TW_ARGUMENT_FLOAT;
      argument.value.f = number ? PyFloat_AsDouble(number.get()) : 0;
      break;
    }
    case Kind::Other:
      good = addLiteral(object, argument);
      break;
    }
  }
  if (!good) {
    // The reason, under the name of the argument it is about.
    if (PyErr_ExceptionMatches(PyExc_Exception)) {
      PyObject *type, *value, *trace;
      PyErr_Fetch(&type, &value, &trace);
      Ref ownedType(type), ownedValue(value), ownedTrace(trace);
      std::string reason = value ? textOf(value) : "";
      if (!name && kernel_)
        name = tw_kernel_parameter(kernel_, size_t(position)).name; // null for one too many
      std::string place = name ? "argument '" + std::string(name) + "'" : "argument " + std::to_string(position + 1);
      if (kernel_)
        place = "kernel '" + std::string(tw_kernel_name(kernel_)) + "': " + place;
      // What a framework complains of, as torch of a tensor without storage, is wrong with the
      // launch, too.
      PyErr_Format(PyErr_GivenExceptionMatches(type, launchError) ? type : launchError, "%s: %s", place.c_str(),
                   reason.c_str());
    }
    return false;
  }
  arguments_.push_back(argument);
  return true;
}

bool Arguments::convert(PyObject *positional, PyObject *named) {
  Py_ssize_t count = PyTuple_Size(positional);
  if (count < 0)
    return false;
  arguments_.reserve(count + (named ? PyDict_Size(named) : 0));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add(PyTuple_GetItem(positional, i), nullptr, i))
      return false;
  if (!named)
    return true;
  Py_ssize_t at = 0;
  PyObject *key, *value;
  while (PyDict_Next(named, &at, &key, &value)) {
    const char *name = PyUnicode_AsUTF8AndSize(key, nullptr);
    if (!name || !add(value, name, 0))
      return false;
  }
  return true;
}

bool Arguments::convert(PyObject *const *positional, Py_ssize_t count) {
  arguments_.reserve(size_t(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add(positional[i], nullptr, i))
      return false;
  return true;
}

void Arguments::leaveOutConstants() {
  size_t kept = 0;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    const tw_parameter parameter = tw_kernel_parameter(kernel_, i);
    if (parameter.is_constexpr)
      continue;
    arguments_[kept] = arguments_[i];
    if (kept != i)
      arguments_[kept].name = parameter.name;
    ++kept;
  }
  arguments_.resize(kept);
}

bool Arguments::haveMemory() const {
  if (withoutMemory_ < 0 || onGpu_)
    return true;
  const char *name = arguments_[size_t(withoutMemory_)].name;
  if (!name)
    name = tw_kernel_parameter(kernel_, size_t(withoutMemory_)).name;
  PyErr_Format(launchError,
               "kernel '%s': argument '%s' is a tensor without memory: on the device 'meta', or a fake one of a trace; "
               "give a tensor that has memory, or only compile, with `warmup`",
               tw_kernel_name(kernel_), name);
  return false;
}

bool Arguments::currentStream(void **stream) const {
  *stream = nullptr;
  if (!onGpu_ || !ofTorch_)
    return true;
  // It stays what it is once there are tensors on a GPU; looking it up took 0.5 us a launch.
  static PyObject *current = nullptr;
  if (!current) {
    Ref torch(PyImport_ImportModule("torch._C"));
    current = torch ? PyObject_GetAttrString(torch.get(), "_cuda_getCurrentRawStream") : nullptr;
  }
  Ref index(current ? PyLong_FromLong(gpu_) : nullptr);
  Ref handle(index ? PyObject_CallFunctionObjArgs(current, index.get(), nullptr) : nullptr);
  if (!handle)
    return false;
  *stream = PyLong_AsVoidPtr(handle.get());
  return !PyErr_Occurred();
}

} // namespace tilewise::python
