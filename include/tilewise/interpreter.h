/* Kernels run line by line, for hosts that step through a kernel's text themselves, as Python under
 * its debugger: each operation is an expression of the kernel language over named values, evaluated
 * at once by the reference engine.
 *
 *     tw_interpreter_create(&host, &interpreter);
 *     tw_interpreter_argument(interpreter, "*fp32", (uint64_t)data, &pointer);
 *     tw_interpreter_set_program(interpreter, program, grid);
 *     tw_interpreter_parse(interpreter, "a + b", names, 2, &sum);
 *     tw_interpreter_evaluate(interpreter, sum, give, take, user);     give says what `a` and `b` are, take gets the sum
 *
 * An interpreter belongs to the thread that created it, and serves any number of launches, one
 * after another. */
#ifndef TILEWISE_INTERPRETER_H
#define TILEWISE_INTERPRETER_H

#include "host.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_interpreter tw_interpreter;

/* Something of the interpreter that the host holds: a block, a pointer, or what TW_VALUE_OTHER
 * stands for. It keeps its interpreter alive. */
typedef struct tw_operand tw_operand;

/* The host's objects may be part of expressions; of the callbacks, attribute, equal, call and the
 * releases are used. */
TW_API tw_status tw_interpreter_create(const tw_host *host, tw_interpreter **interpreter);
TW_API void tw_interpreter_destroy(tw_interpreter *interpreter);

/* Before the first program of a launch: the arguments of the one before are forgotten, and what the
 * host's functions were worth. */
TW_API void tw_interpreter_reset(tw_interpreter *interpreter);
/* Which program of which grid all that follows belongs to. */
TW_API void tw_interpreter_set_program(tw_interpreter *interpreter, const uint32_t program[3], const uint32_t grid[3]);

/* An argument of the kernel: a type as in a signature, as "*fp32" or "i32", and its bits. */
TW_API tw_status tw_interpreter_argument(tw_interpreter *interpreter, const char *type, uint64_t bits,
                                         tw_operand **operand);
/* A pointer, and how much memory lies there and before it, as in a tw_argument: what is made from
 * it may touch no other memory. */
TW_API tw_status tw_interpreter_pointer(tw_interpreter *interpreter, const char *type, const char *name,
                                        uint64_t address, uint64_t bytes, uint64_t bytes_before, tw_operand **operand);

/* Whether kernels may use a value from outside of them under this name: fails, in the language's
 * words, where it would have to be a constexpr. `give` is called once, with index 0, and says what
 * the value is. */
TW_API tw_status tw_interpreter_check_outer(tw_interpreter *interpreter, const char *name,
                                            void (*give)(void *user, size_t index, tw_value *value), void *user);

/* An expression and the names in it. The same expression is parsed once, and lives as long as its
 * interpreter. */
typedef struct tw_expression tw_expression;
TW_API tw_status tw_interpreter_parse(tw_interpreter *interpreter, const char *text, const char *const *names,
                                      size_t count, tw_expression **expression);
/* Its value. `give` is called once per name and says what it is; `take` gets the result, good
 * during the call only. Warnings go to the log. */
TW_API tw_status tw_interpreter_evaluate(tw_interpreter *interpreter, tw_expression *expression,
                                         void (*give)(void *user, size_t index, tw_value *value),
                                         void (*take)(void *user, const tw_value *result), void *user);

/* Says that a value is this operand; holds on to a value that is a block or something else of the
 * interpreter, null when it is neither. */
TW_API void tw_value_operand(tw_value *value, const tw_operand *operand);
TW_API tw_operand *tw_value_hold(const tw_value *value, tw_interpreter *interpreter);
TW_API void tw_operand_release(tw_operand *operand);

/* The elements of a scalar or block, one after another in row-major order; a bool takes a byte.
 * Null for what is neither. */
TW_API const void *tw_operand_data(const tw_operand *operand, size_t *bytes);
/* The type of these elements, TW_DTYPE_NONE for pointers and for what has none; and the shape of a
 * block, of rank 0 for others. */
TW_API tw_dtype tw_operand_dtype(const tw_operand *operand);
TW_API const int64_t *tw_operand_shape(const tw_operand *operand, size_t *rank);

#ifdef __cplusplus
}
#endif

#endif
