/* A collector of Intel's instrumentation API: it prints the tasks of each domain. Compiled with
 * OLD it has no __itt_api_init. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct domain {
  int flags;
  const char *name;
};
struct id {
  unsigned long long d[3];
};

static int depth;
struct domain *__itt_domain_create(const char *name) {
  static struct domain made = {1, NULL};
  made.name = name;
  return &made;
}
char *__itt_string_handle_create(const char *text) {
  fprintf(stderr, "text: %s\n", text);
  return strdup(text);
}
void __itt_task_begin(const struct domain *domain, struct id task, struct id parent, const char *name) {
  fprintf(stderr, "%*s%s: %s %llu %llu\n", 2 * depth++, "", domain->name, name, task.d[0], parent.d[2]);
}
void __itt_task_end(const struct domain *domain) { fprintf(stderr, "%*send of %s\n", 2 * --depth, "", domain->name); }

#ifndef OLD
struct api {
  const char *name;
  void **function;
  void *functions[2];
  int group;
};
struct global {
  unsigned char magic[8];
  unsigned long version[3];
  long states[3];
  char mutex[40];
  void *library, *errors, *path;
  struct api *functions;
};
void __itt_api_init(struct global *global, int groups) {
  fprintf(stderr, "version %lu, groups %d\n", global->version[0], groups);
  for (struct api *each = global->functions; each->name; ++each)
    *each->function = dlsym(global->library, each->name);
}
#endif
