/* Kernels written in a host's own language, recorded one operation at a time; jit.hpp is C++ over
 * it. A recorder is one kernel. Each call adds what one operation of the kernel language does, with
 * the place in the host's text where it was written, which messages then point to:
 *
 *     tw_recorder *recorder; uint32_t x, row, sum;
 *     tw_recorder_create("add_row", here, &recorder);
 *     tw_recorder_parameter(recorder, "x_ptr", "", here, &x);
 *     tw_recorder_call(recorder, "tl.program_id", &zero, NULL, 1, here, &row);
 *     tw_recorder_operator(recorder, "+", items_of_x_and_row, 2, here, &sum);
 *     ...
 *     tw_recorder_finish(recorder, &source);     tw_kernel_create(source, "add_row", &kernel);
 *
 * Values are numbers that the recorder gives out. A value is a variable: tw_recorder_assign gives
 * it another meaning from there on, also in loops and branches. One thread at a time uses a
 * recorder. */
#ifndef TILEWISE_RECORD_H
#define TILEWISE_RECORD_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_recorder tw_recorder;

/* Where something was written: line and column count from 1, a column of 0 is not known. */
typedef struct tw_place {
  const char *file;
  uint32_t line, column;
} tw_place;

typedef enum tw_item_kind {
  TW_ITEM_NONE = 0,
  TW_ITEM_VALUE = 1, /* `value` */
  TW_ITEM_INT = 2,   /* `integer` */
  TW_ITEM_UINT = 3,  /* `integer`, as unsigned */
  TW_ITEM_FLOAT = 4, /* `number` */
  TW_ITEM_BOOL = 5,  /* `integer` */
  TW_ITEM_TEXT = 6,  /* `text`, a string of the kernel language */
  TW_ITEM_NAME = 7,  /* `text`, a name of the language, as tl.float32 */
  TW_ITEM_SLICE = 8, /* a whole dimension, as in x[:, None] */
  TW_ITEM_TUPLE = 9, /* `items`, `count` of them */
} tw_item_kind;

/* What an operation takes. */
typedef struct tw_item {
  int32_t kind; /* a tw_item_kind */
  uint32_t value;
  int64_t integer;
  double number;
  const char *text;
  const struct tw_item *items;
  size_t count;
} tw_item;

TW_API tw_status tw_recorder_create(const char *kernel, tw_place place, tw_recorder **recorder);
TW_API void tw_recorder_destroy(tw_recorder *recorder);

/* The next parameter, before anything else. The annotation is empty, "constexpr", or a type as in
 * signatures: "*fp32", "i64". */
TW_API tw_status tw_recorder_parameter(tw_recorder *recorder, const char *name, const char *annotation, tw_place place,
                                       uint32_t *value);

/* A call of a function of the language, as tl.load, or, with a callee that begins with a point, of
 * a method of the first item. `names` is null, or has for each item its keyword, or null. Without
 * `value` the result is dropped, as that of tl.store. */
TW_API tw_status tw_recorder_call(tw_recorder *recorder, const char *callee, const tw_item *items,
                                  const char *const *names, size_t count, tw_place place, uint32_t *value);

/* An operator over one or more items:
 *     + - * / // % ** & | ^ << >> < <= > >= == != and or    of two
 *     - + ~ not                                             of one
 *     =       a new value that starts as the item is
 *     []      item 0 at the items after it
 *     .       an attribute: item 0 and a name
 *     if      item 1 where item 0 is true, else item 2, decided at compile time */
TW_API tw_status tw_recorder_operator(tw_recorder *recorder, const char *spelling, const tw_item *items, size_t count,
                                      tw_place place, uint32_t *value);

/* From here on the value is another. `is_temporary`: nothing else will ever use the item. */
TW_API tw_status tw_recorder_assign(tw_recorder *recorder, uint32_t value, const tw_item *item, bool is_temporary,
                                    tw_place place);

/* Blocks, each ended by tw_recorder_end. A loop is over what a call gives, as tl.range or
 * tl.static_range, and `index` is its value. An else follows the end of an if. */
TW_API tw_status tw_recorder_for(tw_recorder *recorder, const char *callee, const tw_item *items,
                                 const char *const *names, size_t count, tw_place place, uint32_t *index);
TW_API tw_status tw_recorder_while(tw_recorder *recorder, const tw_item *condition, tw_place place);
TW_API tw_status tw_recorder_if(tw_recorder *recorder, const tw_item *condition, tw_place place);
TW_API tw_status tw_recorder_else(tw_recorder *recorder, tw_place place);
/* A function to give to others, as the combination of tl.reduce: `parameters` receives `count`
 * values, and tw_recorder_return is its last operation. It is a value itself. */
TW_API tw_status tw_recorder_function(tw_recorder *recorder, size_t count, uint32_t *parameters, tw_place place,
                                      uint32_t *function);
TW_API tw_status tw_recorder_return(tw_recorder *recorder, const tw_item *items, size_t count, tw_place place);
TW_API tw_status tw_recorder_end(tw_recorder *recorder);

/* What has been recorded, as a source that holds the kernel and the functions it gives to others;
 * and as text in the kernel language, for tw_free. */
TW_API tw_status tw_recorder_finish(tw_recorder *recorder, tw_source **source);
TW_API tw_status tw_recorder_text(tw_recorder *recorder, char **text);

#ifdef __cplusplus
}
#endif

#endif
