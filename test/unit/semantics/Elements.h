// Elements of every type as numbers, for tables of expected results: names, texts, bits, and
// rounding done independently of the library.
#pragma once

#include "tilewise/tilewise.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::test {

/// One element type of the language, by its name in signatures.
struct ElementType {
  const char *name;     ///< "fp16"
  const char *language; ///< "float16", after `tl.`
  /// The tensor that carries it; 8-bit floats travel as bytes and are reinterpreted in the kernel.
  DType storage;
  bool isFloat, isSigned;
  int bits;
  /// Floats: bits of the exponent and the mantissa, bias, and whether the top patterns are as in
  /// IEEE, one NaN at all ones ("finite"), or one NaN at -0 ("unsigned").
  int exponentBits = 0, mantissaBits = 0, bias = 0;
  char special = 'i';

  bool isFp8() const { return isFloat && bits == 8; }
  bool isBool() const { return bits == 1; }
  bool isInt() const { return !isFloat; }
};

const std::vector<ElementType> &elementTypes();
/// Null when no type has this name.
const ElementType *findType(const std::string &name);

/// The nearest value of the type, ties to even; beyond the range infinity, or NaN where the type
/// has none.
double roundTo(const ElementType &type, double value);
/// Bits of a value that the type can hold, in the low bytes.
uint64_t encode(const ElementType &type, double value);
double decode(const ElementType &type, uint64_t bits);
/// An integer's low bits as the type reads them.
int64_t wrap(const ElementType &type, __int128 value);

/// "7", "-0.0", "inf", "nan", "0x1.8p-3", "True", or "#7fc0" for the bits themselves.
std::optional<uint64_t> parseElement(const ElementType &type, const std::string &text);
std::string printElement(const ElementType &type, uint64_t bits);
/// Equal bits, or two NaNs, or floats that are at most `ulps` apart.
bool sameElement(const ElementType &type, uint64_t got, uint64_t expected, double ulps = 0);

/// Elements packed as a tensor of a device with host memory holds them, and back.
Tensor packElements(const ElementType &type, const std::vector<uint64_t> &bits, const Device &device);
std::vector<uint64_t> unpackElements(const ElementType &type, const Tensor &tensor);

/// "tl.float16", and the text that makes `load` one: with a reinterpretation for 8-bit floats.
std::string languageName(const ElementType &type);
std::string asElement(const ElementType &type, const std::string &load);
/// The text that makes `value` what the tensor of the type stores.
std::string asStored(const ElementType &type, const std::string &value);

} // namespace tilewise::test
