// Ranges for VTune and other collectors of Intel's instrumentation API (ITT), as its tasks.
//
// A collector's library has `__itt_api_init`, which takes the list of functions that this process
// would call and fills their addresses in; older ones are asked for each function by its name.
#include "runtime/profile/Ranges.h"

#include <cstdint>
#include <dlfcn.h>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unordered_map>

namespace tilewise::profile {
namespace {

constexpr int kStructureGroup = 1 << 12; // Domains, tasks and texts.

struct Domain {
  volatile int flags;
  const char *name;
  void *wideName;
  int extra1;
  void *extra2;
  Domain *next;
};
struct Text;
struct Id {
  unsigned long long d1, d2, d3;
};

struct Functions {
  Domain *(*createDomain)(const char *name) = nullptr;
  Text *(*createText)(const char *text) = nullptr;
  void (*beginTask)(const Domain *domain, Id task, Id parent, Text *name) = nullptr;
  void (*endTask)(const Domain *domain) = nullptr;
};

struct ApiInfo {
  const char *name;
  void **function;
  void *initFunction, *nullFunction;
  int group;
};

/// The head of what the API's static part keeps; collectors walk its lists, which are empty here.
struct Global {
  unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
  unsigned long versionMajor = 3, versionMinor = 0, versionBuild = 0;
  volatile long isInitialized = 1, isMutexInitialized = 1, atomicCounter = 0;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void *library = nullptr, *errorHandler = nullptr;
  const char **path = nullptr;
  ApiInfo *functions = nullptr;
  Global *next = nullptr;
  void *threads = nullptr;
  Domain *domains = nullptr;
  void *texts = nullptr;
  int state = 4; // The collector's library is open.
  void *counters = nullptr;
  unsigned collectsEvents = 0;
  void *histograms = nullptr, *counterMetadata = nullptr;
};

class Itt final : public RangeTool {
public:
  explicit Itt(void *library) {
    global_.library = library;
    global_.functions = list_;
    using Initialize = void (*)(Global *, int);
    if (auto initialize = reinterpret_cast<Initialize>(dlsym(library, "__itt_api_init")))
      initialize(&global_, -1);
    else
      for (ApiInfo *info = list_; info->name; ++info)
        *info->function = dlsym(library, info->name);
    if (hasAll())
      domain_ = functions_.createDomain("tilewise");
  }
  bool wantsRanges() const { return domain_; }

  void begin(const char *name) override {
    if (domain_->flags)
      functions_.beginTask(domain_, {}, {}, textOf(name));
  }
  void end() override {
    if (domain_->flags)
      functions_.endTask(domain_);
  }

private:
  bool hasAll() const {
    return functions_.createDomain && functions_.createText && functions_.beginTask && functions_.endTask;
  }
  /// A collector keeps each text for ever.
  Text *textOf(const char *name) {
    std::lock_guard lock(mutex_);
    Text *&text = texts_[name];
    if (!text)
      text = functions_.createText(name);
    return text;
  }
  template <typename F> static ApiInfo info(const char *name, F &function) {
    return {name, reinterpret_cast<void **>(&function), nullptr, nullptr, kStructureGroup};
  }

  Functions functions_;
  ApiInfo list_[5] = {info("__itt_domain_create", functions_.createDomain),
                      info("__itt_string_handle_create", functions_.createText),
                      info("__itt_task_begin", functions_.beginTask),
                      info("__itt_task_end", functions_.endTask),
                      {}};
  Global global_;
  Domain *domain_ = nullptr;
  std::mutex mutex_;
  std::unordered_map<std::string, Text *> texts_;
};

} // namespace

std::unique_ptr<RangeTool> openItt(const char *path) {
  void *library = dlopen(path, RTLD_LAZY);
  if (!library)
    return nullptr;
  auto tool = std::make_unique<Itt>(library);
  // The library is not closed: it may have kept what it was given.
  return tool->wantsRanges() ? std::move(tool) : (tool.release(), nullptr);
}

} // namespace tilewise::profile
