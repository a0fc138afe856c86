/* A profiler's library, as NVTX 3 loads one: it prints the ranges of each domain. Without
 * NVTX_PLAIN it takes the functions with domains, with it those without. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);
struct callbacks {
  size_t size;
  int (*table)(int module, function ***table, unsigned *size);
};
struct attributes {
  uint16_t version, size;
  uint32_t category, colors[2];
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const char *message;
};

static int depth;
static void *create(const char *name) { return (void *)name; }
static int push_in(void *domain, const struct attributes *range) {
  fprintf(stderr, "%*s%s: %s (version %d, %d bytes, type %d)\n", 2 * depth, "", (const char *)domain, range->message,
          range->version, range->size, range->message_type);
  return depth++;
}
static int pop_in(void *domain) {
  (void)domain;
  fprintf(stderr, "%*send\n", 2 * --depth, "");
  return depth;
}
static int push(const char *name) {
  fprintf(stderr, "%*splain: %s\n", 2 * depth, "", name);
  return depth++;
}
static int pop(void) { return pop_in(NULL); }
static void ignore(void) {}

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
  const struct callbacks *callbacks = export_table(1);
  if (!callbacks || callbacks->size < sizeof *callbacks || getenv("NVTX_REFUSES"))
    return 0;
  static const unsigned sizes[] = {0, 16, 9, 15, 7, 16, 7};
  for (int module = 1; module <= 6; ++module) {
    function **table;
    unsigned size;
    if (!callbacks->table(module, &table, &size) || size != sizes[module] || table[0] || table[size])
      return 0;
    for (unsigned i = 1; i < size; ++i)
      *table[i] = module == 5 && i == 15 ? ignore : NULL; /* Others are left out. */
  }
  function **table;
  unsigned size;
  callbacks->table(getenv("NVTX_PLAIN") ? 1 : 5, &table, &size);
  if (getenv("NVTX_PLAIN")) {
    *table[9] = (function)push;
    *table[11] = (function)pop;
  } else {
    *table[4] = (function)push_in;
    *table[5] = (function)pop_in;
    *table[12] = (function)create;
  }
  return 1;
}
