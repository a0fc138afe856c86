#!/bin/sh
# A program of this folder on the fake driver. usage: on-fake-driver.sh NAME CC CXX LIBRARY ROOT WORK
set -eu
name=$1; cc=$2; cxx=$3; library=$4; root=$5; work=$6
mkdir -p "$work"
"$cc" -std=c11 -O1 -shared -fPIC -Wall -Wextra -Werror "$root/test/api/fake-driver.c" -o "$work/libcuda-$name.so"
"$cxx" -std=c++20 -Wall -Wextra -Werror -I"$root/include" "$root/test/api/$name.cpp" -o "$work/$name" "$library" \
  -Wl,-rpath,"$(dirname "$library")"
TILEWISE_LIBCUDA="$work/libcuda-$name.so" TILEWISE_CACHE_MB=0 "$work/$name" "$root/kernels/copy.py"
