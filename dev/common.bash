# What the scripts in dev/ share: the repository's root as the working folder, --help from a script's head, and the kinds of build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '%s\n' "$*" >&2; }
fail() { say "error: $*"; exit 1; }
usage_error() { say "error: $*"; say "try: dev/${0##*/} --help"; exit 2; }

# The comment at the head of the calling script is its help text.
help_if_asked() {
  local argument
  for argument in "$@"; do
    if [[ $argument == --help || $argument == -h ]]; then
      sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0
    fi
  done
}

is_kind() { [[ $1 == release || $1 == debug || $1 == asan || $1 == tsan ]]; }

# MLIR is not instrumented: its containers poison no memory that ours do not know of, and what it keeps for ever is no leak of ours.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allow_user_poisoning=0:detect_leaks=0:detect_container_overflow=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1}
# A precompiled header is cached only when ccache need not know the macros it was built with.
export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}
