// The table of libdevice's functions, made from Libdevice.def.
#include "libdevice/Libdevice.h"

#include "libdevice/Functions.h"

#include "llvm/ADT/StringMap.h"

#include <type_traits>
#include <utility>

namespace tilewise::libdevice {

namespace {

using namespace fn;

template <typename T> constexpr Element elementOf() {
  if constexpr (std::is_same_v<T, bool>)
    return Element::Bool;
  else if constexpr (std::is_same_v<T, i32>)
    return Element::I32;
  else if constexpr (std::is_same_v<T, u32>)
    return Element::U32;
  else if constexpr (std::is_same_v<T, i64>)
    return Element::I64;
  else if constexpr (std::is_same_v<T, u64>)
    return Element::U64;
  else if constexpr (std::is_same_v<T, f32>)
    return Element::F32;
  else
    return Element::F64;
}

template <typename Signature> struct Entry;
template <typename R, typename... A> struct Entry<R(A...)> {
  template <R (*function)(A...)> static void apply(const void *const *operands, void *result, size_t count) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      for (size_t k = 0; k < count; ++k)
        static_cast<R *>(result)[k] = function(static_cast<const A *>(operands[I])[k]...);
    }(std::index_sequence_for<A...>());
  }

  template <R (*function)(A...)> static Function make(llvm::StringRef symbol) {
    return {symbol, elementOf<R>(), sizeof...(A), {elementOf<A>()...}, apply<function>};
  }
};

} // namespace

llvm::ArrayRef<Name> names() {
  static const Name table[] = {
#define LIBDEVICE(name, parameters, overloads) {#name, {overloads}},
#define F(symbol, type, function) Entry<type>::make<&fn::function>(#symbol),
#include "libdevice/Libdevice.def"
  };
  return table;
}

const Function *findSymbol(llvm::StringRef symbol) {
  static const llvm::StringMap<const Function *> map = [] {
    llvm::StringMap<const Function *> result;
    for (const Name &name : names())
      for (const Function &function : name.overloads()) {
        [[maybe_unused]] bool isNew = result.try_emplace(function.symbol, &function).second;
        assert(isNew && "a symbol names one function");
      }
    return result;
  }();
  return map.lookup(symbol);
}

} // namespace tilewise::libdevice
