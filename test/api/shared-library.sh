#!/bin/sh
# The library's exported symbols, needed libraries, SONAME, glibc and stripped size. usage: shared-library.sh LIBRARY LLVM_TOOLS WORK
set -eu
here=$(dirname "$0"); library=$1; tools=$2; work=$3
failed=0
fail() { echo "error: $1" >&2; failed=1; }

"$tools/llvm-nm" -D --defined-only "$library" | sed 's/.* //; s/@.*//' | grep -v '^TILEWISE_' | LC_ALL=C sort > "$work/exported.txt"
diff -u "$here/exported-symbols.txt" "$work/exported.txt" || fail "the exported symbols differ from exported-symbols.txt"

"$tools/llvm-readelf" -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | LC_ALL=C sort > "$work/needed.txt"
allowed='^(ld-linux-x86-64\.so\.2|libc\.so\.6|libdl\.so\.2|libgcc_s\.so\.1|libm\.so\.6|libpthread\.so\.0)$'
! grep -Ev "$allowed" "$work/needed.txt" || fail "the library needs more than libc and libgcc"
"$tools/llvm-readelf" -d "$library" | grep -q 'SONAME.*\[libtilewise.so.0\]' || fail "the SONAME is not libtilewise.so.0"

newest=$("$tools/llvm-readelf" -V "$library" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -1)
[ "${newest#GLIBC_2.}" -le 31 ] || fail "the library needs $newest, beyond glibc 2.31"

"$tools/llvm-strip" -o "$work/stripped.so" "$library"
size=$(stat -c %s "$work/stripped.so")
rm "$work/stripped.so"
[ "$size" -le 58000000 ] || fail "$size bytes stripped, at most 58 MB are allowed: does something link in all of LLVM's passes again, as PassBuilder::parsePassPipeline does?"
echo "$(wc -l < "$work/exported.txt") symbols, needs $(tr '\n' ' ' < "$work/needed.txt")and $newest, $size bytes stripped"
exit $failed
