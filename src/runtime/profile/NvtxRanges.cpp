// Ranges for NVIDIA's profilers, by version 3 of NVTX's protocol.
//
// The profiler's library asks for a table per group of functions. Its entries are addresses of
// pointers, by the number of the function, and the library writes its own functions there.
#include "runtime/profile/Ranges.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <iterator>

namespace tilewise::profile {
namespace {

using AnyFunction = void (*)();

struct EventAttributes {
  uint16_t version = 3, size = sizeof(EventAttributes);
  uint32_t category = 0;
  int32_t colorType = 0;
  uint32_t color = 0;
  int32_t payloadType = 0, reserved = 0;
  uint64_t payload = 0;
  int32_t messageType = 1; // A text of bytes.
  const char *message = nullptr;
};
static_assert(sizeof(EventAttributes) == 48, "as NVTX 3 has it");

struct Functions {
  int (*push)(const char *name) = nullptr;
  int (*pop)() = nullptr;
  int (*pushInDomain)(void *domain, const EventAttributes *attributes) = nullptr;
  int (*popInDomain)(void *domain) = nullptr;
  void *(*createDomain)(const char *name) = nullptr;
  void (*initialize)(const void *reserved) = nullptr;
};

/// What a process has one of, since the protocol's callbacks take no context.
Functions functions;

template <typename F> AnyFunction *slot(F &function) { return reinterpret_cast<AnyFunction *>(&function); }

/// The functions of a group by their numbers, which start at 1, and a null behind them. A library
/// may write to every entry: those that nobody calls get a place that nobody reads.
class Table {
public:
  explicit Table(unsigned size) : size(size) {
    static AnyFunction unused;
    for (unsigned i = 1; i < size; ++i)
      entries[i] = &unused;
  }
  template <typename F> Table &set(unsigned number, F &function) {
    entries[number] = reinterpret_cast<AnyFunction *>(&function);
    return *this;
  }
  unsigned size;
  std::array<AnyFunction *, 17> entries = {};
};

int giveTable(int group, AnyFunction ***table, unsigned *size) {
  // Core, CUDA, OpenCL, the CUDA runtime, core 2, synchronisation.
  static Table tables[] = {
      Table(16).set(9, functions.push).set(11, functions.pop),
      Table(9),
      Table(15),
      Table(7),
      Table(16)
          .set(4, functions.pushInDomain)
          .set(5, functions.popInDomain)
          .set(12, functions.createDomain)
          .set(15, functions.initialize),
      Table(7),
  };
  if (group < 1 || group > int(std::size(tables)))
    return 0;
  if (table)
    *table = tables[group - 1].entries.data();
  if (size)
    *size = tables[group - 1].size;
  return 1;
}

struct Callbacks {
  size_t size = sizeof(Callbacks);
  int (*giveTable)(int, AnyFunction ***, unsigned *) = profile::giveTable;
};
struct VersionInfo {
  size_t size = sizeof(VersionInfo);
  uint32_t version = 3, reserved = 0;
  void (*setVersionOfLibrary)(uint32_t) = [](uint32_t) {};
};

const void *exportTable(uint32_t id) {
  static const Callbacks callbacks;
  static const VersionInfo version;
  return id == 1 ? static_cast<const void *>(&callbacks) : id == 3 ? &version : nullptr;
}

class Nvtx final : public RangeTool {
public:
  Nvtx() {
    if (functions.initialize)
      functions.initialize(nullptr);
    if (functions.createDomain && functions.pushInDomain && functions.popInDomain)
      domain_ = functions.createDomain("tilewise");
  }
  void begin(const char *name) override {
    EventAttributes attributes;
    attributes.message = name;
    if (domain_)
      functions.pushInDomain(domain_, &attributes);
    else
      functions.push(name);
  }
  void end() override {
    if (domain_)
      functions.popInDomain(domain_);
    else
      functions.pop();
  }
  bool wantsRanges() const { return domain_ || (functions.push && functions.pop); }

private:
  void *domain_ = nullptr;
};

} // namespace

std::unique_ptr<RangeTool> openNvtx(const char *path) {
  void *library = dlopen(path, RTLD_LAZY);
  if (!library)
    return nullptr;
  using Initialize = int (*)(const void *(*)(uint32_t));
  auto initialize = reinterpret_cast<Initialize>(dlsym(library, "InitializeInjectionNvtx2"));
  if (!initialize || !initialize(exportTable)) {
    dlclose(library);
    return nullptr;
  }
  auto tool = std::make_unique<Nvtx>();
  return tool->wantsRanges() ? std::move(tool) : nullptr;
}

} // namespace tilewise::profile
