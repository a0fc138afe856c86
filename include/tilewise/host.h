/* For hosts whose kernels are live functions of an interpreter, as Python's: the text of a function
 * is compiled like a file's, while the names that it does not bind itself resolve through callbacks
 * of the host.
 *
 *     tw_source *source;
 *     tw_source_create(text, length, "model.py", 120, &source);     the function's own text, which starts at line 120
 *     tw_source_set_host(source, &host);                            host.lookup answers for `tl`, `BLOCK`, `helper`, ...
 *     tw_kernel_create(source, "softmax", &kernel);
 *
 * A callback answers by filling a tw_value, which is good during the call only. Callbacks run on
 * the thread that launches or compiles, never two at once for one source, and only while something
 * is compiled. */
#ifndef TILEWISE_HOST_H
#define TILEWISE_HOST_H

#include "tilewise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_value tw_value;

/* Each of these says what a value is. One that nobody said anything about is missing: the name is
 * not defined. */
TW_API void tw_value_none(tw_value *value);
TW_API void tw_value_bool(tw_value *value, bool b);
TW_API void tw_value_int(tw_value *value, int64_t i);
TW_API tw_status tw_value_big_int(tw_value *value, const char *decimal);
TW_API void tw_value_float(tw_value *value, double f);
TW_API void tw_value_string(tw_value *value, const char *utf8, size_t length);
/* `count` missing items, or twice as many for a dict (key, value, key, value, ...), to be filled
 * through tw_value_item. */
TW_API void tw_value_tuple(tw_value *value, size_t count);
TW_API void tw_value_list(tw_value *value, size_t count);
TW_API void tw_value_dict(tw_value *value, size_t count);
TW_API tw_value *tw_value_item(tw_value *value, size_t index);
/* A module, function or type of the language by its dotted name: "triton", "triton.language",
 * "triton.language.load". */
TW_API tw_status tw_value_language(tw_value *value, const char *dotted);
/* The text of a literal or a type: `(1, 2)`, `tl.pointer_type(tl.float16)`. */
TW_API tw_status tw_value_literal(tw_value *value, const char *text);
/* A jit function: the function `name` of another source, whose own names resolve through that
 * source's host. */
TW_API tw_status tw_value_function(tw_value *value, tw_source *source, const char *name);
/* What else is known of a function that was just said; the text may be null. */
enum {
  TW_FUNCTION_PYTHON = 1,   /* runs while compiling, as Python has it */
  TW_FUNCTION_STATIC = 2,   /* a method that does not get its object */
  TW_FUNCTION_PROPERTY = 4, /* a method that is called by naming it */
  TW_FUNCTION_NOINLINE = 8, /* takes no blocks, as it would be a function of its own */
  TW_FUNCTION_MUST_USE = 16 /* ignoring its result is an error, for the reason given */
};
TW_API void tw_value_function_flags(tw_value *value, unsigned flags, const char *must_use);
/* A class of named tuples, or of aggregates: values of named parts. `identity` stands for it
 * wherever it is said. True the first time: its fields and attributes (methods, values, "__base__")
 * are then to be said one by one, each filled before the next. A field's value is its default, and
 * may stay missing. */
TW_API bool tw_value_class(tw_value *value, const void *identity, const char *name, bool is_tuple);
typedef enum tw_field_kind { TW_FIELD_ANY = 0, TW_FIELD_TENSOR = 1, TW_FIELD_CONSTEXPR = 2 } tw_field_kind;
TW_API tw_value *tw_value_class_field(tw_value *value, const char *name, tw_field_kind kind);
TW_API tw_value *tw_value_class_attribute(tw_value *value, const char *name);
/* A named tuple of `count` elements: item 0 is its class, the elements are the items after it. */
TW_API void tw_value_named_tuple(tw_value *value, size_t count);
/* Anything else. Kernels can hold it, compare it, and look into it by host.attribute; `description`
 * is for messages. */
TW_API void tw_value_object(tw_value *value, void *object, const char *description);

/* What a value is that the library hands to the host: an argument of a call. */
typedef enum tw_value_kind {
  TW_VALUE_MISSING = 0,
  TW_VALUE_NONE = 1,
  TW_VALUE_BOOL = 2,
  TW_VALUE_INT = 3, /* its text is the decimal digits */
  TW_VALUE_FLOAT = 4,
  TW_VALUE_STRING = 5,
  TW_VALUE_TUPLE = 6,
  TW_VALUE_LIST = 7,
  TW_VALUE_DICT = 8,    /* key, value, key, value, ... */
  TW_VALUE_TYPE = 9,    /* its text is an expression, as `tl.pointer_type(tl.float32)` */
  TW_VALUE_OBJECT = 10, /* of this host */
  /* something of a kernel that the host cannot look into; its text says what */
  TW_VALUE_OTHER = 11,
  /* a scalar or block of the interpreter; its text is its type, as of TW_VALUE_TYPE */
  TW_VALUE_BLOCK = 12,
} tw_value_kind;
TW_API tw_value_kind tw_value_get_kind(const tw_value *value);
TW_API bool tw_value_get_bool(const tw_value *value);
TW_API double tw_value_get_float(const tw_value *value);
/* `length` may be null */
TW_API const char *tw_value_get_text(const tw_value *value, size_t *length);
TW_API void *tw_value_get_object(const tw_value *value);
/* Of a named tuple: the identity of its class, if that is the host's, else null. */
TW_API const void *tw_value_get_class(const tw_value *value);
TW_API size_t tw_value_get_count(const tw_value *value);
TW_API const tw_value *tw_value_get_item(const tw_value *value, size_t index);

/* Marks what was said as wrapped in tl.constexpr, without which a kernel may not use a number or
 * string from outside. */
TW_API void tw_value_constexpr(tw_value *value);
/* The value is there but cannot be had, for this reason. */
TW_API void tw_value_error(tw_value *value, const char *reason);

typedef struct tw_host {
  uint32_t struct_size; /* sizeof(tw_host) */
  void *user;           /* handed to each callback */
  /* What a name of the function means. */
  void (*lookup)(void *user, const char *name, tw_value *value);
  /* `object.name`. May be null: objects are opaque. */
  void (*attribute)(void *user, void *object, const char *name, tw_value *value);
  /* `a == b`. May be null: objects equal themselves only. */
  bool (*equal)(void *user, void *a, void *b);
  /* Every name that can be looked up, one call of `add` per name, for "did you mean". May be
   * null. */
  void (*names)(void *user, void (*add)(void *list, const char *name), void *list);
  /* An object is no longer held; once per tw_value_object. May be null. */
  void (*release_object)(void *user, void *object);
  /* The source is gone; `user` is not used again. May be null. */
  void (*release)(void *user);
  /* `object(arguments)` on compile-time values: `arguments` is a tuple, `named` a dict with strings
   * as keys. May be null: kernels cannot call the host. */
  void (*call)(void *user, void *object, const tw_value *arguments, const tw_value *named, tw_value *result);
} tw_host;

/* Before the first kernel is created from the source. The struct is copied. */
TW_API tw_status tw_source_set_host(tw_source *source, const tw_host *host);

/* Every function that kernels call of a module of the language, `triton.language` or
 * `triton.language.extra.libdevice`, by its name there: `take` is called once for each. */
TW_API void tw_language_names(const char *module, void (*take)(void *user, const char *name), void *user);

/* Reads a signature, as in "*fp32:16, i32, 1024": `take` is called once per argument, in order. The
 * text is that of a type without its divisor, or that of a constant. */
TW_API tw_status tw_signature_read(const char *signature,
                                   void (*take)(void *user, const char *text, bool is_constant, uint32_t divisibility),
                                   void *user);

#ifdef __cplusplus
}
#endif

#endif
