// What an expression of a kernel is worth while it is compiled: a compile-time value, or a typed
// runtime value.
//
//     BLOCK * 2            with BLOCK: tl.constexpr    compile-time int
//     tl.program_id(0)                                 runtime int32
//     (BLOCK, tl.program_id(0))                        compile-time tuple that holds a runtime value
//
// Sema, the evaluator and the environments all speak in operands; none of them sees an MLIR type.
#pragma once

#include "frontend/values/Type.h"

#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <variant>
#include <vector>

namespace tilewise::frontend {

class Environment;
class Operand;
struct Builtin;
struct FunctionValue;

/// A runtime value: its type, and what stands for it in the OpSink that made it.
struct Value {
  Type type;
  void *handle = nullptr;
};

/// A module by its canonical name: "triton", "triton.language", "triton.language.math", or a host
/// module.
struct ModuleValue {
  std::string name;
};

/// An object of the host that kernels may hold, pass on and compare, but that only its environment
/// can look into.
struct HostObject {
  Environment *environment = nullptr;
  void *handle = nullptr;
  std::string description; ///< For messages: "<object of type 'Foo'>".
};

struct Slice; ///< `lo:hi:step` inside a subscript.
struct BoundMethod;
struct Record;
struct RecordClass;
using Elements = std::vector<Operand>;
using Entries = std::vector<std::pair<Operand, Operand>>;

/// Bounds on a compile-time structure: see Operand::Extent.
inline constexpr uint32_t kMaxParts = 1 << 20;
inline constexpr uint32_t kMaxDepth = 200;

class Operand {
public:
  Operand() = default; ///< None.
  Operand(Value value) : payload_(std::move(value)) {}

  static Operand none() { return {}; }
  static Operand ofBool(bool value);
  static Operand ofInt(int64_t value);
  static Operand ofInt(llvm::APSInt value);
  static Operand ofFloat(double value);
  static Operand ofString(std::string value);
  static Operand ofTuple(Elements elements);
  static Operand ofList(Elements elements);
  static Operand ofDict(Entries entries);
  static Operand ofType(Type type);
  static Operand ofFunction(std::shared_ptr<const FunctionValue> function);
  static Operand ofBuiltin(const Builtin *builtin);
  static Operand ofModule(std::string name);
  static Operand ofMethod(Operand self, Operand function);
  static Operand ofSlice(Operand lower, Operand upper, Operand step);
  static Operand ofHostObject(std::shared_ptr<const HostObject> object);
  static Operand ofRecord(std::shared_ptr<const RecordClass> kind, Elements fields);
  /// A tuple whose elements have names too: `kind` is a class of such tuples.
  static Operand ofNamedTuple(std::shared_ptr<const RecordClass> kind, Elements elements);
  /// A class itself, which makes records or named tuples when it is called.
  static Operand ofClass(std::shared_ptr<const RecordClass> kind);

  bool isRuntime() const { return std::holds_alternative<Value>(payload_); }
  bool isNone() const { return std::holds_alternative<std::monostate>(payload_); }
  bool isBool() const { return std::holds_alternative<bool>(payload_); }
  bool isInt() const { return std::holds_alternative<llvm::APSInt>(payload_); }
  bool isFloat() const { return std::holds_alternative<double>(payload_); }
  /// A compile-time bool, int or float: what the promotion rules call a Python number.
  bool isNumber() const { return isBool() || isInt() || isFloat(); }
  bool isString() const { return std::holds_alternative<std::shared_ptr<const std::string>>(payload_); }
  bool isTuple() const;
  bool isList() const;
  bool isSequence() const { return std::holds_alternative<Sequence>(payload_); }
  bool isDict() const { return std::holds_alternative<std::shared_ptr<const Entries>>(payload_); }
  bool isType() const { return std::holds_alternative<std::shared_ptr<const Type>>(payload_); }
  bool isFunction() const { return std::holds_alternative<std::shared_ptr<const FunctionValue>>(payload_); }
  bool isBuiltin() const { return std::holds_alternative<const Builtin *>(payload_); }
  bool isModule() const { return std::holds_alternative<std::shared_ptr<const ModuleValue>>(payload_); }
  bool isMethod() const { return std::holds_alternative<std::shared_ptr<const BoundMethod>>(payload_); }
  bool isSlice() const { return std::holds_alternative<std::shared_ptr<const Slice>>(payload_); }
  bool isHostObject() const { return std::holds_alternative<std::shared_ptr<const HostObject>>(payload_); }
  bool isRecord() const { return std::holds_alternative<std::shared_ptr<const Record>>(payload_); }
  bool isRecord(const RecordClass &kind) const;
  bool isClass() const { return std::holds_alternative<std::shared_ptr<const RecordClass>>(payload_); }
  /// A tuple with named elements.
  bool isNamedTuple() const { return isSequence() && std::get<Sequence>(payload_).kind != nullptr; }
  /// Whether this or any element of it is a runtime value.
  bool holdsRuntime() const;
  /// How large the structure below is when every part is counted as often as it is reached, and how
  /// deep. The evaluator bounds both, so that recursion over an operand ends soon: `x = (x, x)`
  /// sixty times over is a small graph but an endless walk.
  struct Extent {
    uint32_t parts = 1;
    uint32_t depth = 1;
  };
  Extent extent() const;

  const Value &value() const { return std::get<Value>(payload_); }
  bool boolean() const { return std::get<bool>(payload_); }
  const llvm::APSInt &integer() const { return std::get<llvm::APSInt>(payload_); }
  double floating() const { return std::get<double>(payload_); }
  const std::string &string() const { return *std::get<std::shared_ptr<const std::string>>(payload_); }
  const Elements &elements() const { return *std::get<Sequence>(payload_).elements; }
  const Entries &entries() const { return *std::get<std::shared_ptr<const Entries>>(payload_); }
  const Type &type() const { return *std::get<std::shared_ptr<const Type>>(payload_); }
  const std::shared_ptr<const FunctionValue> &function() const {
    return std::get<std::shared_ptr<const FunctionValue>>(payload_);
  }
  const Builtin *builtin() const { return std::get<const Builtin *>(payload_); }
  const std::string &moduleName() const { return std::get<std::shared_ptr<const ModuleValue>>(payload_)->name; }
  const BoundMethod &method() const { return *std::get<std::shared_ptr<const BoundMethod>>(payload_); }
  const Slice &slice() const { return *std::get<std::shared_ptr<const Slice>>(payload_); }
  const std::shared_ptr<const HostObject> &hostObject() const {
    return std::get<std::shared_ptr<const HostObject>>(payload_);
  }

  /// The class of a named tuple; null for other sequences.
  const std::shared_ptr<const RecordClass> &tupleClass() const { return std::get<Sequence>(payload_).kind; }
  const std::shared_ptr<const RecordClass> &classValue() const {
    return std::get<std::shared_ptr<const RecordClass>>(payload_);
  }
  /// For Python code that runs while compiling, where lists and dicts are changed in place and seen
  /// so by all who hold them.
  Elements &mutableElements() const { return const_cast<Elements &>(elements()); }
  Entries &mutableEntries() const { return const_cast<Entries &>(entries()); }
  Record &mutableRecord() const { return const_cast<Record &>(record()); }
  /// A sequence of the same kind, names included, with other elements.
  Operand withElements(Elements elements) const;
  const Record &record() const { return *std::get<std::shared_ptr<const Record>>(payload_); }

  /// A bool or int as a 64-bit number; nothing for other kinds and for ints that do not fit.
  std::optional<int64_t> asInt64() const;
  /// A bool, int or float as a double.
  double asDouble() const;

  /// What it is, for messages: "int", "str", "int32[64]", "the module 'triton'".
  std::string kindText() const;
  /// Python's str() and repr() of a compile-time value; a runtime value prints as its type.
  std::string str() const;
  std::string repr() const;

private:
  struct Sequence {
    std::shared_ptr<const Elements> elements;
    bool isList = false;
    std::shared_ptr<const RecordClass> kind = nullptr;
    Extent extent = {};
  };
  static Operand ofSequence(Elements elements, bool isList, std::shared_ptr<const RecordClass> kind);

  std::variant<std::monostate, Value, bool, llvm::APSInt, double, std::shared_ptr<const std::string>, Sequence,
               std::shared_ptr<const Entries>, std::shared_ptr<const Type>, std::shared_ptr<const FunctionValue>,
               const Builtin *, std::shared_ptr<const ModuleValue>, std::shared_ptr<const BoundMethod>,
               std::shared_ptr<const Slice>, std::shared_ptr<const HostObject>, std::shared_ptr<const Record>,
               std::shared_ptr<const RecordClass>>
      payload_;
};

struct Slice {
  Operand lower, upper, step;
  bool isFull() const { return lower.isNone() && upper.isNone() && step.isNone(); }
};

/// What records of one kind have in common. Two records are of one kind when they share the class
/// object.
struct RecordClass {
  std::string name;                ///< "tensor_descriptor"
  std::vector<std::string> fields; ///< Names of the fields, in order.
  /// Methods, which get the record as their first argument, and values of the class.
  std::vector<std::pair<std::string, Operand>> attributes = {};

  // What calling the class needs; classes whose records only the front end makes have none of it.
  enum class Maker { None, NamedTuple, Aggregate };
  Maker maker = Maker::None;
  enum class FieldKind { Any, Tensor, Constexpr };
  struct Field {
    FieldKind kind = FieldKind::Any;
    std::optional<Operand> defaultValue;
  };
  std::vector<Field> fieldInfos = {}; ///< One per field.
  /// The class this one inherits from, or null: for isinstance().
  std::shared_ptr<const RecordClass> base = {};
  /// Keeps alive what the methods point into, where their environment does not.
  std::shared_ptr<void> owner = {};

  /// The method or value of this name, or null.
  const Operand *attribute(llvm::StringRef name) const;
  /// The index of the field of this name.
  std::optional<size_t> fieldIndex(llvm::StringRef name) const;
  bool inherits(const RecordClass &from) const;
};

/// A value of named parts: a block pointer, a tensor descriptor. Across the border of a region or
/// call its runtime parts flow one by one, while its compile-time parts, numbers included, stay
/// what they are.
struct Record {
  std::shared_ptr<const RecordClass> kind;
  Elements fields;
  /// While its class's `__init__` runs: which fields have been given a value. Empty afterwards,
  /// when no field can change any more.
  std::vector<bool> given = {};

  /// The field of this name, or null.
  const Operand *field(llvm::StringRef name) const;
};

/// `x.sum`: the function `sum` with `x` as its first argument.
struct BoundMethod {
  Operand self;
  Operand function;
};

/// Whether a list or dict would hold itself once it held `value`: then it could never be let go of.
bool wouldCloseCircle(const Operand &container, const Operand &value);

/// Each runtime value inside, in order.
void forEachValue(const Operand &operand, llvm::function_ref<void(const Value &)> visit);

} // namespace tilewise::frontend
