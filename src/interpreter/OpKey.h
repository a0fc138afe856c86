// The name of an op with its parameters and operand types, as bytes: equal for two ops exactly when
// one decoded kernel serves both.
#pragma once

#include "frontend/values/Type.h"

#include "llvm/ADT/SmallString.h"

namespace tilewise::interpreter {

class OpKey {
public:
  template <typename... Parameters> explicit OpKey(llvm::StringRef op, const Parameters &...parameters) {
    bytes_ += op;
    (add(parameters), ...);
  }

  void add(const frontend::Type &type) {
    add(type.element);
    add(llvm::ArrayRef<int64_t>(type.shape));
  }
  void add(const frontend::DType &type) {
    // Pointers of eight levels fit: the name is the type.
    add(llvm::StringRef(type.isPointer() ? type.signatureName() : std::string(1, char(type.scalar()))));
  }
  void add(llvm::ArrayRef<int64_t> numbers) {
    add(numbers.size());
    for (int64_t number : numbers)
      add(number);
  }
  void add(llvm::StringRef text) {
    add(text.size());
    bytes_ += text;
  }
  void add(const llvm::APInt &number) {
    add(number.getBitWidth());
    for (unsigned i = 0; i < number.getNumWords(); ++i)
      add(number.getRawData()[i]);
  }
  template <typename T>
    requires(std::is_integral_v<T> || std::is_enum_v<T>)
  void add(T number) {
    auto wide = uint64_t(number);
    bytes_.append(reinterpret_cast<const char *>(&wide), reinterpret_cast<const char *>(&wide + 1));
  }

  void addByte(uint8_t byte) { bytes_.push_back(char(byte)); }
  /// A type in as few bytes as tell it from every other.
  void addShort(const frontend::Type &type) {
    static_assert(std::has_unique_object_representations_v<frontend::DType>);
    bytes_.append(reinterpret_cast<const char *>(&type.element), reinterpret_cast<const char *>(&type.element + 1));
    addByte(uint8_t(type.rank()));
    bytes_.append(reinterpret_cast<const char *>(type.shape.begin()), reinterpret_cast<const char *>(type.shape.end()));
  }

  llvm::StringRef bytes() const { return bytes_; }

private:
  llvm::SmallString<160> bytes_;
};

} // namespace tilewise::interpreter
