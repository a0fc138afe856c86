// What ties a build to the glibc it is made on, in the form that glibc 2.31 has: with it inside,
// the library and the tools of a TILEWISE_PORTABLE build run from there on.
//
// A linker takes a function's newest version, as pthread_create@@GLIBC_2.34, of which an older
// glibc knows nothing; the older version is there in every later one. So each is defined here, for
// this library alone, as a jump to the older one. Functions that glibc 2.31 does not have at all
// are written out.
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

// glibc 2.17 is the first for AArch64, and has all that is older elsewhere.
#if defined(__aarch64__)
#define OLD(NAME, VERSION) TAKE(NAME, "GLIBC_2.17")
#define START "GLIBC_2.17"
#define STAT_VERSION 0
#define JUMP(NAME) "  adrp x16, :got:old_" NAME "\n  ldr x16, [x16, :got_lo12:old_" NAME "]\n  br x16\n"
#else
#define OLD(NAME, VERSION) TAKE(NAME, VERSION)
#define START "GLIBC_2.2.5"
#define STAT_VERSION 1
#define JUMP(NAME) "  jmp *old_" NAME "@GOTPCREL(%rip)\n"
#endif

#define TAKE(NAME, VERSION)                                                                                            \
  __asm__(".symver old_" #NAME "," #NAME "@" VERSION "\n"                                                              \
          ".text\n.globl " #NAME "\n.hidden " #NAME "\n.type " #NAME ",@function\n" #NAME                              \
          ":\n" JUMP(#NAME) ".size " #NAME ",.-" #NAME "\n")

#define HIDDEN __attribute__((visibility("hidden")))

#if defined(TILEWISE_LIBRARY_FUNCTIONS) || defined(TILEWISE_EXTENSION)
// libstdc++ asks it before it counts references: a process with our threads has several.
HIDDEN char __libc_single_threaded = 0;
#endif

#ifdef TILEWISE_LIBRARY_FUNCTIONS
OLD(dladdr, "GLIBC_2.2.5");
OLD(dlclose, "GLIBC_2.2.5");
OLD(dlerror, "GLIBC_2.2.5");
OLD(dlopen, "GLIBC_2.2.5");
OLD(dlsym, "GLIBC_2.2.5");
OLD(hypot, "GLIBC_2.2.5");
OLD(pthread_attr_setstacksize, "GLIBC_2.2.5");
TAKE(pthread_cond_clockwait, "GLIBC_2.30");
OLD(pthread_create, "GLIBC_2.2.5");
OLD(pthread_detach, "GLIBC_2.2.5");
OLD(pthread_getaffinity_np, "GLIBC_2.3.4");
OLD(pthread_getname_np, "GLIBC_2.12");
OLD(pthread_getspecific, "GLIBC_2.2.5");
OLD(pthread_join, "GLIBC_2.2.5");
OLD(pthread_key_create, "GLIBC_2.2.5");
OLD(pthread_key_delete, "GLIBC_2.2.5");
OLD(pthread_once, "GLIBC_2.2.5");
OLD(pthread_rwlock_rdlock, "GLIBC_2.2.5");
OLD(pthread_rwlock_unlock, "GLIBC_2.2.5");
OLD(pthread_rwlock_wrlock, "GLIBC_2.2.5");
OLD(pthread_setaffinity_np, "GLIBC_2.3.4");
OLD(pthread_setname_np, "GLIBC_2.12");
OLD(pthread_setspecific, "GLIBC_2.2.5");
OLD(pthread_sigmask, "GLIBC_2.2.5");
OLD(pthread_sigqueue, "GLIBC_2.11");

// Before 2.33 these were inline functions over calls with a version of `struct stat`.
int __xstat(int, const char *, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
HIDDEN int stat(const char *path, struct stat *found) { return __xstat(STAT_VERSION, path, found); }
HIDDEN int lstat(const char *path, struct stat *found) { return __lxstat(STAT_VERSION, path, found); }
HIDDEN int fstat(int file, struct stat *found) { return __fxstat(STAT_VERSION, file, found); }
HIDDEN int fstatat(int folder, const char *path, struct stat *found, int flags) {
  return __fxstatat(STAT_VERSION, folder, path, found, flags);
}

HIDDEN uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) {
  }
  return number;
}

// LLVM's count of the memory in use, for its statistics alone; above 2 GB the older call wraps.
HIDDEN struct mallinfo2 mallinfo2(void) {
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const struct mallinfo old = mallinfo();
  struct mallinfo2 info = {0};
  info.uordblks = (size_t)(unsigned)old.uordblks;
  info.hblkhd = (size_t)(unsigned)old.hblkhd;
  info.arena = (size_t)(unsigned)old.arena;
  return info;
}
#endif

#ifdef TILEWISE_PROGRAM_START
// The start of a program. From 2.34 on glibc itself calls a program's constructors; before, the
// program brought the function that does.
typedef void (*Constructor)(int, char **, char **);
extern Constructor __preinit_array_start[], __preinit_array_end[], __init_array_start[], __init_array_end[];
static void callConstructors(int count, char **words, char **environment) {
  for (Constructor *each = __preinit_array_start; each != __preinit_array_end; ++each)
    (*each)(count, words, environment);
  for (Constructor *each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, words, environment);
}
typedef int (*Main)(int, char **, char **);
int oldStart(Main, int, char **, void (*)(int, char **, char **), void (*)(void), void (*)(void), void *);
__asm__(".symver oldStart,__libc_start_main@" START);
__attribute__((visibility("hidden"))) int __libc_start_main(Main main, int count, char **words,
                                                            void (*initialize)(int, char **, char **),
                                                            void (*finish)(void), void (*atExit)(void), void *stack) {
  (void)initialize;
  return oldStart(main, count, words, callConstructors, finish, atExit, stack);
}
#endif
