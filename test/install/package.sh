#!/bin/bash
# cpack's tarball of a build, unpacked and run: here, and in a folder with an older system. usage: package.sh BUILD WORK LLVM_TOOLS [ROOT]
set -euo pipefail
build=$1 work=$2 tools=$3 root=${4:-}
fail() { echo "error: $*" >&2; exit 1; }
rm -rf "$work"
mkdir -p "$work/unpacked"
(cd "$build" && cpack -G TGZ -B "$work" >"$work/cpack.log" 2>&1) || { tail -20 "$work/cpack.log" >&2; fail "cpack failed"; }
tarball=$(ls "$work"/tilewise-*.tar.gz)
tar -xzf "$tarball" -C "$work/unpacked" --strip-components=1
cd "$work/unpacked"
for file in bin/tilewise bin/tilewise-opt lib/libtilewise.so.0 lib/cmake/Tilewise/TilewiseConfig.cmake lib/pkgconfig/tilewise.pc include/tilewise/jit.hpp \
  share/tilewise/kernels/softmax.py share/tilewise/kernels/softmax.hpp share/tilewise/examples/softmax.cpp share/tilewise/licenses/LLVM; do
  [[ -e $file ]] || fail "the tarball has no $file"
done
for file in bin/tilewise bin/tilewise-opt lib/libtilewise.so.0; do
  newest=$("$tools/llvm-readelf" -V "$file" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n -u | tail -1)
  ((${newest#GLIBC_2.} <= 31)) || fail "$file needs $newest, beyond glibc 2.31"
  ! "$tools/llvm-readelf" -V "$file" | grep GLIBC_ABI_DT_RELR || fail "$file has packed relocations, which glibc 2.31 does not load"
  ! "$tools/llvm-readelf" -d "$file" | grep -E 'NEEDED.*(libstdc|libz\.|zstd)' || fail "$file needs a library that other systems may not have"
  echo "$file needs $newest"
done

# A kernel compiled and run, and one that is only compiled.
try() { "$@" bin/tilewise info && "$@" bin/tilewise emit --stage=asm share/tilewise/kernels/softmax.py --signature '*fp32:16, *fp32:16, i32, i32, i32, 1024' | grep ret >/dev/null; }
try env TILEWISE_CACHE_DIR="$work/cache" >"$work/info.txt" || fail "it does not run"
if [[ -n $root ]]; then
  rm -rf "$root/tilewise"
  cp -r . "$root/tilewise"
  chroot "$root" ldd --version | head -1
  # Without /proc the loader does not know where a program lies.
  try chroot "$root" env -C /tilewise LD_LIBRARY_PATH=/tilewise/lib TILEWISE_CACHE_DIR=/tilewise/cache | sed -n 1,5p
  rm -rf "$root/tilewise"
fi
echo "$tarball, $(stat -c %s "$tarball") bytes"
