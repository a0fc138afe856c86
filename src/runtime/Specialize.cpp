// Binding, the key of a launch, and the signature of a key.
#include "runtime/Specialize.h"

#include "frontend/Frontend.h"
#include "runtime/DataType.h"
#include "support/DidYouMean.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace tilewise {

static Failure argumentFailure(const std::string &kernel, const Parameter &parameter, const std::string &what) {
  return launchFailure("kernel '" + kernel + "': argument '" + parameter.name + "' " + what);
}

static const char *kindName(uint32_t kind) {
  switch (kind) {
  case TW_ARGUMENT_NONE:
    return "None";
  case TW_ARGUMENT_POINTER:
  case TW_ARGUMENT_CONST_POINTER:
    return "a pointer";
  case TW_ARGUMENT_INT:
  case TW_ARGUMENT_UINT:
    return "an integer";
  case TW_ARGUMENT_FLOAT:
    return "a float";
  case TW_ARGUMENT_BOOL:
    return "a bool";
  case TW_ARGUMENT_TEXT:
    return "a constant";
  case TW_ARGUMENT_DESCRIPTOR:
    return "a tensor descriptor";
  }
  return "an argument of unknown kind";
}

static bool isPointer(const tw_argument &argument) {
  return argument.kind == TW_ARGUMENT_POINTER || argument.kind == TW_ARGUMENT_CONST_POINTER;
}

void Parameter::readAnnotationAndDefault() {
  llvm::StringRef text = llvm::StringRef(annotation).trim();
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.drop_front().drop_back();
  isPointer = text.consume_front("*");
  isConst = (isPointer && text.consume_front("k")) || text == "tl.const" || text == "const";
  if (!text.consume_front("tl."))
    text.consume_front("triton.language.");
  type = parseDataType({text.data(), text.size()});
  if (type == TW_DTYPE_NONE)
    isPointer = false;

  if (defaultText.empty())
    return;
  tw_argument argument = tw_constant(defaultText.c_str());
  llvm::StringRef value = llvm::StringRef(defaultText).trim();
  int64_t integer = 0;
  double number = 0;
  if (value == "None")
    argument = tw_none();
  else if (value == "True" || value == "False")
    argument = tw_bool(value == "True");
  else if (!value.getAsInteger(10, integer))
    argument = tw_int(integer);
  else if (!value.getAsDouble(number))
    argument = tw_float(number);
  defaultArgument = argument;
}

void LaunchKey::pushText(const char *text) {
  const size_t length = std::strlen(text);
  push(length);
  for (size_t at = 0; at < length; at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, text + at, std::min<size_t>(8, length - at));
    push(word);
  }
}

uint64_t LaunchKey::hash() const {
  // One multiplication per word with the high half folded back: keys differ in few bits, in any of
  // the words.
  uint64_t hash = 0x9e3779b97f4a7c15;
  for (uint64_t word : words()) {
    const auto product = static_cast<unsigned __int128>(hash ^ word) * 0xda942042e4dd58b5ull;
    hash = uint64_t(product) ^ uint64_t(product >> 64) ^ 0x9e3779b97f4a7c15;
  }
  return hash;
}

static bool isPart(const tw_argument &argument) { return argument.name && frontend::isPartName(argument.name); }

size_t countParts(std::span<const tw_argument> arguments) { return size_t(llvm::count_if(arguments, isPart)); }

TupledArguments::TupledArguments(std::span<const Parameter> parameters, std::span<const tw_argument> arguments)
    : arguments_(arguments) {
  const size_t rest =
      size_t(llvm::find_if(parameters, [](const Parameter &one) { return one.isRest; }) - parameters.begin());
  const auto given = size_t(llvm::count_if(arguments, [](const tw_argument &one) { return !one.name; }));
  if (rest == parameters.size() || given <= rest)
    return;
  // A host may give the tuple itself.
  const tw_argument &first = *std::next(
      llvm::make_filter_range(arguments, [](const tw_argument &one) { return !one.name; }).begin(), ptrdiff_t(rest));
  if (given == rest + 1 && first.kind == TW_ARGUMENT_TEXT && llvm::StringRef(first.value.text).starts_with("("))
    return;
  texts_.reserve(arguments.size() + 1); // Their characters stay where they are.
  std::string tuple = "(";
  size_t position = 0;
  for (const tw_argument &argument : arguments) {
    if (argument.name || position++ < rest) {
      made_.push_back(argument);
      continue;
    }
    texts_.push_back(frontend::partNameOf(position - rest - 1));
    tuple += texts_.back() + ",";
    made_.push_back(tw_named(texts_.back().c_str(), argument));
  }
  texts_.push_back(tuple + ")");
  made_.insert(made_.begin() + ptrdiff_t(rest), tw_constant(texts_.back().c_str()));
  arguments_ = made_;
}

static Failure unknownParameter(const std::string &kernel, std::span<const Parameter> parameters, const char *name) {
  std::vector<std::string> known;
  for (const Parameter &parameter : parameters)
    known.push_back(parameter.name);
  std::string wayOut = didYouMean(name, known);
  if (wayOut.empty() && !known.empty())
    wayOut = "; it has " + llvm::join(known, ", ");
  return launchFailure("kernel '" + kernel + "' has no parameter '" + name + "'" + wayOut);
}

Result<void> bindArguments(const std::string &kernel, std::span<const Parameter> parameters,
                           std::span<const tw_argument> arguments, std::span<const tw_argument *> bound,
                           const std::string &whyMissing) {
  for (const tw_argument *&place : bound)
    place = nullptr;
  size_t position = 0, part = parameters.size();
  for (const tw_argument &argument : arguments) {
    size_t index = position;
    if (isPart(argument)) {
      bound[part++] = &argument;
      continue;
    }
    if (!argument.name) {
      if (position == parameters.size())
        return launchFailure("kernel '" + kernel + "' takes " + std::to_string(parameters.size()) + " arguments, got " +
                             std::to_string(arguments.size()));
      ++position;
    } else {
      for (index = 0; index < parameters.size() && parameters[index].name != argument.name;)
        ++index;
      if (index == parameters.size())
        return unknownParameter(kernel, parameters, argument.name);
    }
    if (bound[index])
      return argumentFailure(kernel, parameters[index], "is given twice");
    bound[index] = &argument;
  }
  std::string missing;
  size_t missingCount = 0;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i])
      continue;
    if (parameters[i].defaultArgument) {
      bound[i] = &*parameters[i].defaultArgument;
      continue;
    }
    missing +=
        (missingCount++ ? ", '" : "'") + parameters[i].name + (parameters[i].isConstexpr ? "' (tl.constexpr)" : "'");
  }
  if (missingCount)
    return launchFailure("kernel '" + kernel + "' takes " + std::to_string(parameters.size()) + " arguments, got " +
                         std::to_string(arguments.size()) + ": missing " + missing + whyMissing);
  return {};
}

static Result<void> appendConstant(const std::string &kernel, const Parameter &parameter, const tw_argument &argument,
                                   LaunchKey &key) {
  auto push = [&](ArgumentClass kind) { key.push(KeyWord{kind, TW_DTYPE_NONE, false}.pack()); };
  switch (argument.kind) {
  case TW_ARGUMENT_NONE:
    push(ArgumentClass::ConstantNone);
    return {};
  case TW_ARGUMENT_INT:
    push(ArgumentClass::ConstantInt);
    key.push(uint64_t(argument.value.i));
    return {};
  case TW_ARGUMENT_UINT:
    push(argument.value.u > uint64_t(INT64_MAX) ? ArgumentClass::ConstantUInt : ArgumentClass::ConstantInt);
    key.push(argument.value.u);
    return {};
  case TW_ARGUMENT_FLOAT:
    push(ArgumentClass::ConstantFloat);
    key.push(std::bit_cast<uint64_t>(argument.value.f));
    return {};
  case TW_ARGUMENT_BOOL:
    push(ArgumentClass::ConstantBool);
    key.push(argument.value.u != 0);
    return {};
  case TW_ARGUMENT_TEXT:
    if (!argument.value.text)
      return argumentFailure(kernel, parameter, "is a constant without text");
    push(ArgumentClass::ConstantText);
    key.pushText(argument.value.text);
    return {};
  }
  return argumentFailure(kernel, parameter,
                         std::string("is tl.constexpr and needs a value known when compiling, got ") +
                             kindName(argument.kind));
}

/// The type a runtime scalar gets: the argument's own, else the annotation's, else by value.
static tw_dtype scalarType(const Parameter &parameter, const tw_argument &argument) {
  if (argument.dtype != TW_DTYPE_NONE)
    return dataTypeOf(argument.dtype);
  if (parameter.type != TW_DTYPE_NONE)
    return parameter.type;
  switch (argument.kind) {
  case TW_ARGUMENT_INT:
    if (parameter.specialize & TW_WIDE_INTEGERS)
      return TW_INT64;
    return argument.value.i >= INT32_MIN && argument.value.i <= INT32_MAX ? TW_INT32 : TW_INT64;
  case TW_ARGUMENT_UINT:
    return argument.value.u <= INT32_MAX && !(parameter.specialize & TW_WIDE_INTEGERS) ? TW_INT32
           : argument.value.u <= uint64_t(INT64_MAX)                                   ? TW_INT64
                                                                                       : TW_UINT64;
  case TW_ARGUMENT_BOOL:
    return TW_BOOL;
  default:
    return TW_FLOAT32;
  }
}

static Result<void> appendPointer(const std::string &kernel, const Parameter &parameter, const tw_argument &argument,
                                  LaunchKey &key) {
  const tw_dtype type = dataTypeOf(argument.dtype);
  if (*dataTypeName(type) == 0)
    return argumentFailure(kernel, parameter, "is a pointer without an element type");
  if (parameter.type != TW_DTYPE_NONE && (!parameter.isPointer || parameter.type != type))
    return argumentFailure(kernel, parameter,
                           "is annotated " + parameter.annotation + ", got a pointer to " +
                               std::string(dataTypeName(type)));
  if (!argument.value.pointer && argument.bytes != 0)
    return argumentFailure(kernel, parameter, "is a null pointer");
  const auto address = reinterpret_cast<uintptr_t>(argument.value.pointer);
  if (address % dataTypeBytes(type) != 0)
    return argumentFailure(kernel, parameter,
                           "points to " + std::string(dataTypeName(type)) + " at an address that is no multiple of " +
                               std::to_string(dataTypeBytes(type)));
  const bool aligned = (parameter.specialize & TW_SPECIALIZE_DIVISIBILITY) && address % 16 == 0;
  const bool isConst = parameter.isConst || argument.kind == TW_ARGUMENT_CONST_POINTER;
  key.push(KeyWord{ArgumentClass::Pointer, type, aligned, isConst}.pack());
  return {};
}

static constexpr uint32_t kMaxDescriptorRank = sizeof(tw_descriptor::shape) / sizeof(int64_t);

/// The demands are those of the hardware's block copies, so that a descriptor good here is good
/// everywhere.
static Result<void> appendDescriptor(const std::string &kernel, const Parameter &parameter, const tw_argument &argument,
                                     LaunchKey &key) {
  auto fail = [&](const std::string &what) { return argumentFailure(kernel, parameter, what); };
  if (!argument.value.descriptor)
    return fail("is a tensor descriptor that is null");
  const tw_descriptor &descriptor = *argument.value.descriptor;
  const tw_dtype type = dataTypeOf(descriptor.dtype);
  if (*dataTypeName(type) == 0)
    return fail("is a tensor descriptor without an element type");
  if (descriptor.rank < 1 || descriptor.rank > kMaxDescriptorRank)
    return fail("is a tensor descriptor of rank " + std::to_string(descriptor.rank) + ", expected 1 to 5");
  if (reinterpret_cast<uintptr_t>(descriptor.base) % 16 != 0)
    return fail("is a tensor descriptor whose base is not aligned to 16 bytes");
  const unsigned last = descriptor.rank - 1;
  if (descriptor.strides[last] != 1)
    return fail("is a tensor descriptor whose last stride is " + std::to_string(descriptor.strides[last]) +
                ", expected 1");
  key.push(KeyWord{ArgumentClass::Descriptor, type, false}.pack());
  key.push(uint64_t(descriptor.rank) << 1 | (descriptor.pad_with_nan != 0));
  for (unsigned d = 0; d < descriptor.rank; ++d) {
    if (descriptor.shape[d] < 0 || descriptor.shape[d] > INT32_MAX)
      return fail("is a tensor descriptor whose extent " + std::to_string(d) + " is " +
                  std::to_string(descriptor.shape[d]) + ", expected 0 to 2147483647");
    if (d != last && descriptor.strides[d] * int64_t(dataTypeBytes(type)) % 16 != 0)
      return fail("is a tensor descriptor whose stride " + std::to_string(d) + " is " +
                  std::to_string(descriptor.strides[d]) + " elements, which is no multiple of 16 bytes");
    if (descriptor.block_shape[d] < 1)
      return fail("is a tensor descriptor whose block has an extent of " + std::to_string(descriptor.block_shape[d]));
    key.push(uint64_t(descriptor.block_shape[d]));
  }
  return {};
}

Result<void> appendToKey(const std::string &kernel, const Parameter &parameter, const tw_argument &argument,
                         LaunchKey &key) {
  if (parameter.isConstexpr || argument.kind == TW_ARGUMENT_NONE || argument.kind == TW_ARGUMENT_TEXT)
    return appendConstant(kernel, parameter, argument, key);
  if (isPointer(argument))
    return appendPointer(kernel, parameter, argument, key);
  if (argument.kind == TW_ARGUMENT_DESCRIPTOR)
    return appendDescriptor(kernel, parameter, argument, key);
  if (argument.kind > TW_ARGUMENT_CONST_POINTER)
    return argumentFailure(kernel, parameter, "is of a kind that this library does not know");
  if (parameter.isPointer)
    return argumentFailure(kernel, parameter,
                           "is annotated " + parameter.annotation + ", got " + kindName(argument.kind));

  const tw_dtype type = scalarType(parameter, argument);
  if (type == TW_DTYPE_NONE)
    return argumentFailure(kernel, parameter, "is of an element type that this library does not know");
  if (isFloat(type)) {
    key.push(KeyWord{ArgumentClass::Float, type, false}.pack());
    return {};
  }
  if (argument.kind == TW_ARGUMENT_FLOAT)
    return argumentFailure(kernel, parameter, "is of type " + std::string(dataTypeName(type)) + ", got a float");
  const bool negative = argument.kind == TW_ARGUMENT_INT && argument.value.i < 0;
  const uint64_t bits = argument.value.u;
  if (!integerFits(negative, bits, type))
    return argumentFailure(kernel, parameter,
                           "is " + (negative ? std::to_string(argument.value.i) : std::to_string(bits)) +
                               ", which does not fit " + dataTypeName(type));
  const bool byValue = argument.dtype == TW_DTYPE_NONE && parameter.type == TW_DTYPE_NONE && type != TW_BOOL;
  if (byValue && bits == 1 && (parameter.specialize & TW_SPECIALIZE_ONE)) {
    key.push(KeyWord{ArgumentClass::ConstantInt, TW_DTYPE_NONE, false}.pack());
    key.push(1);
    return {};
  }
  const bool divisible = type != TW_BOOL && (parameter.specialize & TW_SPECIALIZE_DIVISIBILITY) && bits % 16 == 0;
  key.push(KeyWord{ArgumentClass::Int, type, divisible}.pack());
  return {};
}

size_t KeyWord::payload(const uint64_t *next) const {
  switch (kind) {
  case ArgumentClass::Pointer:
  case ArgumentClass::Int:
  case ArgumentClass::Float:
  case ArgumentClass::ConstantNone:
    return 0;
  case ArgumentClass::ConstantInt:
  case ArgumentClass::ConstantUInt:
  case ArgumentClass::ConstantFloat:
  case ArgumentClass::ConstantBool:
    return 1;
  case ArgumentClass::ConstantText:
    return 1 + (*next + 7) / 8;
  case ArgumentClass::Descriptor:
    return 1 + (*next >> 1);
  }
  return 0;
}

static std::string floatLiteral(double value) {
  if (std::isnan(value))
    return "float(\"nan\")";
  if (std::isinf(value))
    return value > 0 ? "float(\"inf\")" : "float(\"-inf\")";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  // Without a point or an exponent it would read as an integer.
  return std::strpbrk(text, ".e") ? text : std::string(text) + ".0";
}

std::vector<frontend::ArgumentSpec> signatureOfKey(std::span<const uint64_t> key, size_t skip) {
  std::vector<frontend::ArgumentSpec> arguments;
  for (const uint64_t *word = key.data() + skip, *end = key.data() + key.size(); word < end;) {
    const KeyWord head = KeyWord::unpack(*word++);
    frontend::ArgumentSpec spec;
    spec.isConstant = head.kind >= ArgumentClass::ConstantNone;
    spec.divisibility = head.divisibleBy16 ? 16 : 1;
    switch (head.kind) {
    case ArgumentClass::Pointer:
      spec.text = std::string(head.isConst ? "*k" : "*") + dataTypeName(head.type);
      break;
    case ArgumentClass::Int:
    case ArgumentClass::Float:
      spec.text = dataTypeName(head.type);
      break;
    case ArgumentClass::Descriptor: {
      frontend::DescriptorSpec descriptor{dataTypeName(head.type), {}, (*word & 1) != 0};
      for (uint64_t d = 0; d < *word >> 1; ++d)
        descriptor.blockShape.push_back(int64_t(word[1 + d]));
      spec.text = descriptor.str();
      break;
    }
    case ArgumentClass::ConstantNone:
      spec.text = "None";
      break;
    case ArgumentClass::ConstantInt:
      spec.text = std::to_string(int64_t(*word));
      break;
    case ArgumentClass::ConstantUInt:
      spec.text = std::to_string(*word);
      break;
    case ArgumentClass::ConstantFloat:
      spec.text = floatLiteral(std::bit_cast<double>(*word));
      break;
    case ArgumentClass::ConstantBool:
      spec.text = *word ? "True" : "False";
      break;
    case ArgumentClass::ConstantText:
      spec.text.assign(reinterpret_cast<const char *>(word + 1), *word);
      break;
    }
    word += head.payload(word);
    arguments.push_back(std::move(spec));
  }
  return arguments;
}

uint64_t descriptorSlot(const tw_descriptor &descriptor, ParameterPart part, unsigned dimension) {
  switch (part) {
  case ParameterPart::Extent:
    return uint64_t(descriptor.shape[dimension]);
  case ParameterPart::Stride:
    return uint64_t(descriptor.strides[dimension]);
  default:
    return reinterpret_cast<uint64_t>(descriptor.base);
  }
}

ArgumentSpan argumentSpan(const tw_argument &argument) {
  ArgumentSpan span;
  if (!isPointer(argument) && argument.kind != TW_ARGUMENT_DESCRIPTOR)
    return span;
  const void *pointer = isPointer(argument) ? argument.value.pointer : argument.value.descriptor->base;
  span.pointer = reinterpret_cast<uintptr_t>(pointer);
  // A descriptor's memory is often not told.
  if (argument.bytes == TW_BYTES_UNKNOWN || (argument.kind == TW_ARGUMENT_DESCRIPTOR && argument.bytes == 0))
    return span;
  span.begin = span.pointer - argument.bytes_before;
  span.end = span.pointer + argument.bytes;
  return span;
}

uint64_t argumentSlot(const tw_argument &argument, ArgumentClass kind, tw_dtype type) {
  if (kind != ArgumentClass::Float)
    return type == TW_BOOL && kind == ArgumentClass::Int ? argument.value.u & 1 : argument.value.u;
  switch (argument.kind) {
  case TW_ARGUMENT_INT:
    return floatSlot(double(argument.value.i), type);
  case TW_ARGUMENT_UINT:
  case TW_ARGUMENT_BOOL:
    return floatSlot(double(argument.value.u), type);
  default:
    return floatSlot(argument.value.f, type);
  }
}

} // namespace tilewise
