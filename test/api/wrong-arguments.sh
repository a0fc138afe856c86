#!/bin/sh
# What a C++ compiler says of arguments that are none: the readable message, and as the first error. usage: wrong-arguments.sh COMPILER INCLUDE
set -eu
compiler=$1; include=$2
failed=0

# expect TEXT STATEMENT: compiling the statement fails, and its first error has the text. With - as the text it compiles.
expect() {
  told=$(printf '%s\n' '#include <tilewise/tilewise.hpp>' '#include <array>' '#include <string>' 'struct Point { int x; };' \
    'void program(tilewise::Kernel &k, std::vector<float> &v) {' 'using namespace tilewise::literals;' "$2" '}' |
    "$compiler" -std="${3:-c++17}" -fsyntax-only -I"$include" -x c++ - 2>&1) && told=-
  first=$(printf '%s\n' "$told" | grep -m1 'error:' || printf '%s' "$told")
  case $first in
    *"$1"*) ;;
    *) echo "error: '$2' should be told '$1', got:" >&2; printf '%s\n' "$told" | head -20 >&2; failed=1 ;;
  esac
}

expect 'a container is not a kernel argument: pass tilewise::Tensor::view(container)' 'k[1](v);'
expect 'a container is not a kernel argument' 'k[1]("x"_a = v);'
expect 'a string is not a kernel argument: write tilewise::quoted' 'k[1]("KIND"_a = "relu");'
expect 'a string is not a kernel argument' 'k[1](std::string("relu"));'
expect 'a kernel argument is a tilewise::Tensor, a Descriptor, a pointer to elements, a number' 'k[1](Point{1});'
expect 'elements of a tensor are bool, integers, float, double' 'Point p; k[1](&p);'
expect 'a view of a temporary container would outlive it' 'tilewise::Tensor::view(std::vector<float>(3));'
expect 'deleted' 'tilewise::Tensor::from(std::vector<bool>(3));'
expect 'std::vector<bool> has no elements in memory' 'tilewise::Tensor(tilewise::DType::Bool, {1}).toVector<bool>();'
expect - 'k[1](tilewise::Tensor::view(v), v.data(), 1, 2u, 3.0f, 4.0, true, nullptr, tilewise::None(), tilewise::quoted("a"), "B"_a = 2);'
expect - 'k[1].with(tilewise::Options().withNumWarps(8).withChecked())(1);'
expect - '#include <span>
tilewise::Tensor::view(std::span<const float>(v));' c++20
exit $failed
