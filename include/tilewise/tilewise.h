/* The C interface of Tilewise: compile kernels written in Triton's Python syntax, and launch them
 * on a CPU or an NVIDIA GPU.
 *
 *     tw_source *source; tw_kernel *add;
 *     tw_source_open("vector_add.py", &source);
 *     tw_kernel_create(source, "vector_add", &add);
 *     tw_argument arguments[] = {tw_pointer(x, TW_FLOAT32), tw_pointer(y, TW_FLOAT32), tw_pointer(z, TW_FLOAT32), tw_int(n), tw_int(1024)};
 *     int64_t grid[] = {(n + 1023) / 1024};
 *     if (tw_kernel_launch(add, tw_cpu(), NULL, grid, 1, arguments, 5, NULL) != TW_OK)
 *       fprintf(stderr, "%s\n", tw_last_error());
 *
 * Every function that can fail returns a tw_status and leaves the reason in tw_last_error() of the
 * calling thread; on failure it writes nothing through its result pointers. All functions may be
 * called from several threads at once; a handle may be used by several threads but destroyed by
 * one. Strings are UTF-8 and end in a zero byte. A string returned through `char **` belongs to the
 * caller, who gives it to tw_free; a `const char *` result lives as long as the handle it came
 * from. */
#ifndef TILEWISE_TILEWISE_H
#define TILEWISE_TILEWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows when functions or enumerators are added. A function's meaning never changes; an
 * incompatible library has another SONAME. */
#define TW_API_VERSION 3

#if defined(_WIN32)
#define TW_API
#else
#define TW_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The library's TW_API_VERSION, its release as in "0.1.0", and what tells this build from every
   other of that release: caches of what it compiled keep it in their keys. */
TW_API uint32_t tw_api_version(void);
TW_API const char *tw_version(void);
TW_API const char *tw_build_id(void);

/* Errors and log */

typedef enum tw_status {
  TW_OK = 0,
  /* the kernel's text is wrong: a compiler's message with file, line and column */
  TW_ERROR_KERNEL = 1,
  /* the call is wrong: arguments, grid, device, memory, a file that is not there; a compiler's
   * message follows where the kernel would compile for other types or constants than these */
  TW_ERROR_LAUNCH = 2,
  TW_ERROR_INTERNAL = 3, /* a fault of Tilewise */
} tw_status;

/* Why the latest failing call of this thread failed; never null. Good until the next call from this
 * thread. */
TW_API const char *tw_last_error(void);

typedef enum tw_log_level { TW_LOG_INFO = 0, TW_LOG_WARNING = 1 } tw_log_level;
typedef void (*tw_log_callback)(tw_log_level level, const char *message, void *user);

/* What the library has to say beside errors. A null callback (the default) writes warnings to
 * standard error and drops the rest. As every callback it may be called from several threads at
 * once. */
TW_API void tw_set_log_callback(tw_log_callback callback, void *user);

/* Switches the compiler's warnings, which go to the log, for all compiles of this process from now
 * on: flags between commas, as in "no-mask-other,error". The names are those of docs/warnings.md;
 * all are on unless switched off, and `error` makes them errors. */
TW_API tw_status tw_set_warnings(const char *flags);

/* What kernels print (tl.device_print), some whole lines at a time. A null callback (the default)
 * writes them to standard output. */
typedef void (*tw_print_callback)(const char *text, void *user);
TW_API void tw_set_print_callback(tw_print_callback callback, void *user);

/* Frees what a function returned through `char **` or `void **` and said the caller owns. Null is
 * fine. */
TW_API void tw_free(void *memory);

/* Types and devices */

typedef enum tw_dtype {
  TW_DTYPE_NONE = 0, /* as a scalar's type: choose by value */
  TW_BOOL = 1,       /* one byte in memory */
  TW_INT8 = 2,
  TW_INT16 = 3,
  TW_INT32 = 4,
  TW_INT64 = 5,
  TW_UINT8 = 6,
  TW_UINT16 = 7,
  TW_UINT32 = 8,
  TW_UINT64 = 9,
  TW_FLOAT8E4M3 = 10, /* tl.float8e4nv: finite, bias 7 */
  TW_FLOAT8E5M2 = 11, /* tl.float8e5 */
  TW_FLOAT16 = 12,
  TW_BFLOAT16 = 13,
  TW_FLOAT32 = 14,
  TW_FLOAT64 = 15,
  TW_FLOAT8E4B8 = 16,  /* tl.float8e4b8: finite, bias 8, no negative zero */
  TW_FLOAT8E5B16 = 17, /* tl.float8e5b16 */
  TW_FLOAT8E4B15 = 18, /* tl.float8e4b15: bias 15 */
} tw_dtype;

/* "fp32", as in signatures; and back: TW_DTYPE_NONE for an unknown name. Size in bytes of one
 * element in memory. */
TW_API const char *tw_dtype_name(tw_dtype dtype);
TW_API tw_dtype tw_dtype_parse(const char *name);
TW_API size_t tw_dtype_size(tw_dtype dtype);

typedef enum tw_engine {
  /* executes the kernel's meaning literally, on host memory: slow, exact, deterministic */
  TW_ENGINE_REFERENCE = 0,
  TW_ENGINE_CPU = 1,  /* machine code over all cores, on host memory */
  TW_ENGINE_CUDA = 2, /* an NVIDIA GPU */
} tw_engine;

typedef struct tw_device {
  int32_t engine; /* a tw_engine */
  int32_t index;  /* which GPU; 0 for the others */
} tw_device;

static inline tw_device tw_cpu(void) {
  tw_device device = {TW_ENGINE_CPU, 0};
  return device;
}

/* "reference", "cpu", "cuda", "cuda:1" */
TW_API tw_status tw_device_parse(const char *text, tw_device *device);
/* How many devices of an engine this process can use: 1 or 0 for reference and cpu; GPUs for cuda,
 * 0 without a driver. */
TW_API int32_t tw_device_count(tw_engine engine);
/* The compile target of a device, as in "cpu" or "cuda:90". */
TW_API tw_status tw_device_target(tw_device device, char **target);
/* The processor's or GPU's own name, for a person. */
TW_API tw_status tw_device_name(tw_device device, char **name);
/* Waits until everything launched on the device has finished. */
TW_API tw_status tw_device_synchronize(tw_device device);

/* A stream is the driver's own handle (CUstream), so that a foreign stream needs no wrapping. Null
 * is the default stream, and the only stream of engines whose launches have finished on return. */
TW_API tw_status tw_stream_create(tw_device device, void **stream);
TW_API tw_status tw_stream_synchronize(tw_device device, void *stream);
TW_API tw_status tw_stream_destroy(tw_device device, void *stream);

/* Tensors */

typedef struct tw_tensor tw_tensor;

/* A tensor in row-major order on fresh zeroed memory of the device. */
TW_API tw_status tw_tensor_create(tw_device device, tw_dtype dtype, const int64_t *shape, size_t rank,
                                  tw_tensor **tensor);
/* A tensor around memory that the caller owns and keeps. `strides` are in elements; null means
 * row-major order. */
TW_API tw_status tw_tensor_view(tw_device device, tw_dtype dtype, void *data, const int64_t *shape,
                                const int64_t *strides, size_t rank, tw_tensor **tensor);
TW_API void tw_tensor_destroy(tw_tensor *tensor);

TW_API void *tw_tensor_data(const tw_tensor *tensor);
TW_API tw_dtype tw_tensor_dtype(const tw_tensor *tensor);
TW_API tw_device tw_tensor_device(const tw_tensor *tensor);
TW_API size_t tw_tensor_rank(const tw_tensor *tensor);
TW_API const int64_t *tw_tensor_shape(const tw_tensor *tensor);
TW_API const int64_t *tw_tensor_strides(const tw_tensor *tensor);
/* Bytes between the first element and the end of the last. */
TW_API size_t tw_tensor_bytes(const tw_tensor *tensor);

/* Copies between host memory in row-major order and a tensor of any strides; `bytes` are those of
 * its elements. Waits for the device. */
TW_API tw_status tw_tensor_upload(tw_tensor *tensor, const void *host, size_t bytes);
TW_API tw_status tw_tensor_download(const tw_tensor *tensor, void *host, size_t bytes);

/* DLPack, without its header: `managed` is a `struct DLManagedTensor *`. Import takes it over: its
 * deleter is called when the tensor is destroyed, or at once on failure. Export gives a new one to
 * the caller, which keeps the memory alive until its deleter is called. */
TW_API tw_status tw_tensor_from_dlpack(void *managed, tw_tensor **tensor);
TW_API tw_status tw_tensor_to_dlpack(const tw_tensor *tensor, void **managed);

/* Kernels */

typedef struct tw_source tw_source; /* the text of one kernel file */
typedef struct tw_kernel tw_kernel; /* one kernel of it, with what was compiled for it so far */

TW_API tw_status tw_source_open(const char *path, tw_source **source);
/* `file` is for messages. `first_line` is the number of the text's first line in that file: 1, or
 * more for a function cut out of it. */
TW_API tw_status tw_source_create(const char *text, size_t length, const char *file, uint32_t first_line,
                                  tw_source **source);
/* Gives a module-level name a value (the text of a literal) from outside, for kernels created from
 * now on. */
TW_API tw_status tw_source_define(tw_source *source, const char *name, const char *literal);
TW_API void tw_source_destroy(tw_source *source); /* kernels created from it live on */

/* The kernel library that comes with Tilewise, whose texts are inside of it: the name of a file,
 * null beyond the last, as "softmax.py"; and the text of one, null when there is none of that
 * name. */
TW_API const char *tw_library_file(size_t index);
TW_API const char *tw_library_text(const char *file);

/* The kernels of the file in its order. The first call parses; a file with a syntax error has a
 * failing status and no kernels. */
TW_API tw_status tw_source_kernel_count(tw_source *source, size_t *count);
/* null beyond the last */
TW_API const char *tw_source_kernel_name(tw_source *source, size_t index);

/* `name` may be null when the file has a single kernel. */
TW_API tw_status tw_kernel_create(tw_source *source, const char *name, tw_kernel **kernel);
TW_API void tw_kernel_destroy(tw_kernel *kernel);

typedef struct tw_parameter {
  const char *name;
  bool is_constexpr;
  const char *annotation;    /* as written, or "" */
  const char *default_value; /* its text, or "" */
} tw_parameter;

TW_API const char *tw_kernel_name(const tw_kernel *kernel);
TW_API size_t tw_kernel_parameter_count(const tw_kernel *kernel);
/* all null beyond the last */
TW_API tw_parameter tw_kernel_parameter(const tw_kernel *kernel, size_t index);

/* What a launch may conclude from an argument's value and compile in: that an integer is 1, and
 * that an integer or a pointer's address is a multiple of 16. Both by default; fewer means fewer
 * compiles. TW_WIDE_INTEGERS: an integer is 64 bits wide, whatever its value. Set before the first
 * launch. */
enum { TW_SPECIALIZE_NOTHING = 0, TW_SPECIALIZE_ONE = 1, TW_SPECIALIZE_DIVISIBILITY = 2, TW_WIDE_INTEGERS = 4 };
TW_API tw_status tw_kernel_specialize(tw_kernel *kernel, size_t parameter, unsigned what);

/* Says what a parameter's annotation means, where the host knows better than the text: "constexpr",
 * "i64", "*fp32", "" for none. Set before the first launch. */
TW_API tw_status tw_kernel_annotate(tw_kernel *kernel, size_t parameter, const char *annotation);

/* Launching */

typedef enum tw_argument_kind {
  TW_ARGUMENT_NONE = 0,    /* Python's None */
  TW_ARGUMENT_POINTER = 1, /* memory of the device; dtype is its elements' */
  TW_ARGUMENT_INT = 2,
  TW_ARGUMENT_UINT = 3,
  TW_ARGUMENT_FLOAT = 4,
  TW_ARGUMENT_BOOL = 5,
  /* a compile-time constant as its literal: `"relu"` with its quotes, `tl.float16`, `(2, 3)` */
  TW_ARGUMENT_TEXT = 6,
  TW_ARGUMENT_DESCRIPTOR = 7,
  /* as POINTER; a launch of a kernel that stores through it is refused */
  TW_ARGUMENT_CONST_POINTER = 8,
} tw_argument_kind;

/* A tensor with the shape of the blocks that a kernel reads it by; a kernel's parameter `d` then
 * has d.load([i, j]) and the like. */
typedef struct tw_descriptor {
  void *base;             /* memory of the device, aligned to 16 bytes */
  uint32_t dtype;         /* a tw_dtype */
  uint32_t rank;          /* 1 to 5 */
  uint32_t pad_with_nan;  /* what lies outside the tensor reads as: 0, or NaN if this is 1 */
  int64_t shape[5];       /* at most 2147483647 each */
  int64_t strides[5];     /* in elements; the last is 1, the others are multiples of 16 bytes */
  int64_t block_shape[5]; /* powers of two; the last takes at least 16 bytes */
} tw_descriptor;

/* One argument of a launch. Arguments without a name fill the parameters in order; the others go to
 * the parameter of that name. A number given for a tl.constexpr parameter is a compile-time
 * constant. Else an integer becomes i32 if it fits, else i64, else u64, and a float fp32, unless
 * dtype or the parameter's annotation says otherwise. */
typedef struct tw_argument {
  const char *name; /* null: the next parameter */
  uint32_t kind;    /* a tw_argument_kind */
  uint32_t dtype;   /* a tw_dtype */
  union {
    void *pointer;
    int64_t i;
    uint64_t u; /* UINT, and BOOL as 0 or 1 */
    double f;
    const char *text;
    const tw_descriptor *descriptor; /* read during the call only */
  } value;
  /* memory that lies there, or TW_BYTES_UNKNOWN; null POINTER: 0 only, DESCRIPTOR: 0 is unknown,
   * too */
  uint64_t bytes;
  /* how much memory of the same storage lies before it, when `bytes` is known */
  uint64_t bytes_before;
} tw_argument;

#define TW_BYTES_UNKNOWN UINT64_MAX

static inline tw_argument tw_pointer(const void *pointer, tw_dtype dtype) {
  tw_argument argument = {NULL, TW_ARGUMENT_POINTER, (uint32_t)dtype, {(void *)pointer}, TW_BYTES_UNKNOWN, 0};
  return argument;
}
/* Memory that the kernel may only read. */
static inline tw_argument tw_const_pointer(const void *pointer, tw_dtype dtype) {
  tw_argument argument = tw_pointer(pointer, dtype);
  argument.kind = TW_ARGUMENT_CONST_POINTER;
  return argument;
}
static inline tw_argument tw_int(int64_t value) {
  tw_argument argument = {NULL, TW_ARGUMENT_INT, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.i = value;
  return argument;
}
static inline tw_argument tw_uint(uint64_t value) {
  tw_argument argument = {NULL, TW_ARGUMENT_UINT, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.u = value;
  return argument;
}
static inline tw_argument tw_float(double value) {
  tw_argument argument = {NULL, TW_ARGUMENT_FLOAT, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.f = value;
  return argument;
}
static inline tw_argument tw_bool(bool value) {
  tw_argument argument = {NULL, TW_ARGUMENT_BOOL, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.u = value;
  return argument;
}
static inline tw_argument tw_constant(const char *literal) {
  tw_argument argument = {NULL, TW_ARGUMENT_TEXT, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.text = literal;
  return argument;
}
static inline tw_argument tw_descriptor_argument(const tw_descriptor *descriptor) {
  tw_argument argument = {NULL, TW_ARGUMENT_DESCRIPTOR, TW_DTYPE_NONE, {NULL}, 0, 0};
  argument.value.descriptor = descriptor;
  return argument;
}
static inline tw_argument tw_none(void) {
  tw_argument argument = {NULL, TW_ARGUMENT_NONE, TW_DTYPE_NONE, {NULL}, 0, 0};
  return argument;
}
/* A scalar of a given type: tw_typed(TW_FLOAT16, tw_float(0.5)) */
static inline tw_argument tw_typed(tw_dtype dtype, tw_argument argument) {
  argument.dtype = (uint32_t)dtype;
  return argument;
}
static inline tw_argument tw_named(const char *name, tw_argument argument) {
  argument.name = name;
  return argument;
}

/* Whether accesses are checked against the memory of the arguments. */
typedef enum tw_checked {
  TW_CHECKED = 1,           /* in every launch */
  TW_CHECKED_IF_WARNED = 2, /* in launches of a kernel that -Wunmasked-access warns of */
} tw_checked;

/* What a launch may ask of the compiler beyond types. Zero in a field means its default. */
typedef struct tw_options {
  uint32_t struct_size;  /* sizeof(tw_options) */
  uint32_t num_warps;    /* 4 */
  uint32_t num_stages;   /* 3 */
  uint32_t no_fp_fusion; /* 1: never contract a * b + c */
  uint32_t debug;        /* 1: tl.device_assert, assert and integer overflow are checked */
  /* a tw_checked; 0: what TILEWISE_CHECKED says, which is off where it is not set */
  uint32_t checked;
  /* 1: all programs live at once, so that each may wait for any other; see docs/threads.md */
  uint32_t cooperative;
  uint32_t no_overflow_checks; /* 1: `debug` leaves integer overflow unchecked */
  /* that a thread of a GPU may have, 16 to 255; 0: as many as the assembler likes */
  uint32_t max_registers;
} tw_options;
/* Whether launches with these options, which may be null, may check their accesses: the sizes of
 * the arguments are wanted then. */
TW_API bool tw_options_checked(const tw_options *options);

/* Launches grid[0] x grid[1] x grid[2] programs, compiling first where this signature is new.
 * `rank` is 1 to 3; an empty grid is fine and does nothing. Launches on a CPU have finished on
 * return, launches on a GPU are queued on the stream. `options` may be null. */
TW_API tw_status tw_kernel_launch(tw_kernel *kernel, tw_device device, void *stream, const int64_t *grid, size_t rank,
                                  const tw_argument *arguments, size_t count, const tw_options *options);
/* The compile alone. */
TW_API tw_status tw_kernel_prepare(tw_kernel *kernel, tw_device device, const tw_argument *arguments, size_t count,
                                   const tw_options *options);
/* Which of the kernel's compiles, counted from 0 in their order, serves these arguments; -1 if none
 * does yet. Compiles nothing. */
TW_API tw_status tw_kernel_find(tw_kernel *kernel, tw_device device, const tw_argument *arguments, size_t count,
                                const tw_options *options, int64_t *number);

/* The signature that such a launch compiles for, as in "*fp32:16, i32, 1024". */
TW_API tw_status tw_kernel_signature(tw_kernel *kernel, const tw_argument *arguments, size_t count, char **signature);
/* The kernel's text at a stage: tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm, ptx, sass.
 * `target` is "reference", "cpu" or "cuda:90". */
TW_API tw_status tw_kernel_emit(tw_kernel *kernel, const char *stage, const char *signature, const char *target,
                                const tw_options *options, char **text);
/* The compiled kernel with its launch plan, as bytes that are the same in every process. */
TW_API tw_status tw_kernel_artifact(tw_kernel *kernel, const char *signature, const char *target,
                                    const tw_options *options, void **bytes, size_t *length);

/* What a compiled kernel takes of a GPU. All are 0 for other targets. */
typedef struct tw_resources {
  uint32_t struct_size;   /* sizeof(tw_resources) */
  uint32_t threads;       /* of a program */
  uint32_t shared_bytes;  /* of a program */
  uint32_t registers;     /* of a thread; this and what follows is known only of loaded code */
  uint32_t spilled_bytes; /* local memory of a thread */
  uint32_t max_threads;   /* that a program of this code could have */
} tw_resources;
/* Compiles for a signature and a target; for `load`, the code is also loaded into the device, which
 * must be of that target. */
TW_API tw_status tw_kernel_resources(tw_kernel *kernel, const char *signature, const char *target,
                                     const tw_options *options, bool load, tw_device device, tw_resources *resources);
/* How many signatures this kernel has been compiled for in this process. */
TW_API size_t tw_kernel_compile_count(const tw_kernel *kernel);

/* Threads */

/* Runs task(context, 0) to task(context, count - 1), on any threads, in any order and at once as it
 * likes, and returns when all have returned; none may be called after that. False says that it
 * could not, and the launch fails. Tasks never fail, never throw and never call it. */
typedef bool (*tw_executor_run)(void *user, size_t count, void (*task)(void *context, size_t index), void *context);
typedef struct tw_executor {
  uint32_t struct_size; /* sizeof(tw_executor) */
  /* how many tasks to make at most; 0: as many as the library would have threads */
  uint32_t threads;
  tw_executor_run run;
  void *user;
  /* how many of `threads` a launch from the calling thread has now; 1 leaves it to the caller.
   * Null: all */
  uint32_t (*threads_now)(void *user);
} tw_executor;

/* Launches on the CPU engine that are made from now on run on the host's threads; null means the
 * library's own again. Not those of a single program, which run on the caller, nor cooperative
 * ones, nor those made inside a task, nor those of a forked child, which has none of the host's
 * threads. */
TW_API tw_status tw_set_executor(const tw_executor *executor);

/* The command line tool `tilewise` as a function: prints, and returns the exit code. */
TW_API int tw_command_line(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif
