// Launch arguments -> what a kernel is compiled for. A launch first writes a compact key of words;
// only a key never seen before is turned into the front end's signature.
//
//     softmax(out, in, 64, 64, 1, BLOCK=64), pointers aligned to 16 bytes
//       key        pointer fp32 /16 | pointer fp32 /16 | int i32 /16 | int i32 /16 | constant int, 1 | constant int, 64
//       signature  *fp32:16, *fp32:16, i32:16, i32:16, 1, 64
//
// Per argument: an integer that is 1 becomes the constant 1; other integers are i32 if they fit,
// else i64, else u64; integers and addresses are marked when 16 divides them; floats are fp32; None
// and every argument of a tl.constexpr parameter are constants. A type given with the argument or
// as the parameter's annotation overrides the choice by value, and then 1 stays a runtime value.
#pragma once

#include "artifact/ArgumentSpan.h"
#include "artifact/Artifact.h"
#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

namespace frontend {
struct ArgumentSpec;
}

/// One parameter of a kernel, as binding needs it.
struct Parameter {
  std::string name, annotation, defaultText;
  bool isConstexpr = false;
  bool isRest = false; ///< `*args`
  /// From the annotation: TW_DTYPE_NONE if it says nothing.
  tw_dtype type = TW_DTYPE_NONE;
  bool isPointer = false;
  /// The kernel only reads through it.
  bool isConst = false;
  unsigned specialize = TW_SPECIALIZE_ONE | TW_SPECIALIZE_DIVISIBILITY;
  /// The default as an argument; points into `defaultText`.
  std::optional<tw_argument> defaultArgument;

  /// Reads `annotation` and `defaultText` once they are final, at their final address.
  void readAnnotationAndDefault();
};

/// How an argument enters the key, and with it the compile.
enum class ArgumentClass : uint8_t {
  Pointer,
  Int,
  Float,
  Descriptor, ///< One more word, the rank and whether NaN is the padding; then the block's extents.
  ConstantNone,
  ConstantInt,  ///< One more word: the value.
  ConstantUInt, ///< One more word; above the signed range.
  ConstantFloat,
  ConstantBool,
  ConstantText, ///< One more word, the length; then the text, padded to words.
};

/// The arguments of a launch, with those that `*args` takes made the parts of a tuple: k(x, 5, y)
/// of `def k(x, *more)` becomes k(x, "(__part0,__part1,)", __part0=5, __part1=y). Costs nothing for
/// a kernel without such a parameter.
class TupledArguments {
public:
  TupledArguments(std::span<const Parameter> parameters, std::span<const tw_argument> arguments);
  std::span<const tw_argument> get() const { return arguments_; }

private:
  std::span<const tw_argument> arguments_;
  std::vector<tw_argument> made_;
  std::vector<std::string> texts_;
};

/// Words of a key with room for most launches on the stack.
class LaunchKey {
public:
  void push(uint64_t word) {
    if (size_ < kInline)
      inline_[size_] = word;
    else {
      if (size_ == kInline)
        spilled_.assign(inline_, inline_ + kInline);
      spilled_.push_back(word);
    }
    ++size_;
  }
  void pushText(const char *text);
  std::span<const uint64_t> words() const { return {size_ <= kInline ? inline_ : spilled_.data(), size_}; }
  uint64_t hash() const;

private:
  static constexpr size_t kInline = 128;
  size_t size_ = 0;
  uint64_t inline_[kInline];
  std::vector<uint64_t> spilled_;
};

/// How many of the arguments are parts of tuples, which are named "__part0", "__part1", ... in
/// their order.
size_t countParts(std::span<const tw_argument> arguments);

/// Finds the argument of each parameter: by position, by name, else the default; `whyMissing` is
/// told where one has none. `bound` has one place per parameter, then one per part.
Result<void> bindArguments(const std::string &kernel, std::span<const Parameter> parameters,
                           std::span<const tw_argument> arguments, std::span<const tw_argument *> bound,
                           const std::string &whyMissing = "");

/// Appends the words of one bound argument to the key; fails where the argument cannot be what the
/// parameter wants.
Result<void> appendToKey(const std::string &kernel, const Parameter &parameter, const tw_argument &argument,
                         LaunchKey &key);

/// The words of a whole key after the first `skip` -> the front end's arguments.
std::vector<frontend::ArgumentSpec> signatureOfKey(std::span<const uint64_t> key, size_t skip);

/// One word of a key, as appendToKey packs it.
struct KeyWord {
  ArgumentClass kind;
  tw_dtype type;
  bool divisibleBy16;
  bool isConst = false; ///< Of a pointer.

  static KeyWord unpack(uint64_t word) {
    return {ArgumentClass(word & 0xff), tw_dtype(word >> 8 & 0xff), (word >> 16 & 1) != 0, (word >> 17 & 1) != 0};
  }
  uint64_t pack() const {
    return uint64_t(kind) | uint64_t(type) << 8 | uint64_t(divisibleBy16) << 16 | uint64_t(isConst) << 17;
  }
  /// How many words follow it that belong to it; `next` is the first of them.
  size_t payload(const uint64_t *next) const;
};

/// The 8-byte slot of a part of a descriptor.
uint64_t descriptorSlot(const tw_descriptor &descriptor, ParameterPart part, unsigned dimension);
/// The memory behind a pointer argument, for checked mode.
ArgumentSpan argumentSpan(const tw_argument &argument);
/// The 8-byte slot of a runtime argument.
uint64_t argumentSlot(const tw_argument &argument, ArgumentClass kind, tw_dtype type);

} // namespace tilewise
