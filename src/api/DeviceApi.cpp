// tw_* functions on versions, errors, types, devices and streams.
#include "api/Status.h"
#include "artifact/Target.h"
#include "cache/Key.h"
#include "runtime/DataType.h"
#include "runtime/Device.h"
#include "runtime/Interrupt.h"
#include "runtime/Log.h"

using namespace tilewise;

namespace tilewise {
std::string &lastError() {
  static thread_local std::string message;
  return message;
}
} // namespace tilewise

uint32_t tw_api_version(void) { return TW_API_VERSION; }
const char *tw_version(void) { return TILEWISE_VERSION; }
const char *tw_build_id(void) { return cache::buildId().c_str(); }
const char *tw_last_error(void) { return lastError().c_str(); }
size_t tw_last_diagnostic_count(void) { return latestReport().size(); }
tw_diagnostic tw_last_diagnostic(size_t index) {
  if (index >= latestReport().size())
    return {};
  const ReportEntry &entry = latestReport()[index];
  return {uint32_t(entry.severity),
          uint32_t(entry.code),
          entry.message.c_str(),
          entry.file.c_str(),
          entry.line,
          entry.column,
          entry.length,
          entry.notes};
}
void tw_set_log_callback(tw_log_callback callback, void *user) { setLogCallback(callback, user); }
void tw_set_print_callback(tw_print_callback callback, void *user) { setPrintCallback(callback, user); }
void tw_set_interrupt_callback(tw_interrupt_callback callback, void *user) { setInterruptCallback(callback, user); }
tw_status tw_set_warnings(const char *flags) {
  return guarded([&] { return setWarnings(flags ? flags : ""); });
}
void tw_free(void *memory) { std::free(memory); }

const char *tw_dtype_name(tw_dtype dtype) { return dataTypeName(dtype); }
tw_dtype tw_dtype_parse(const char *name) { return name ? parseDataType(name) : TW_DTYPE_NONE; }
size_t tw_dtype_size(tw_dtype dtype) { return dataTypeBytes(dtype); }

tw_status tw_device_parse(const char *text, tw_device *device) {
  return guarded([&]() -> Result<void> {
    Result<tw_device> parsed = parseDevice(text ? text : "");
    if (!parsed)
      return parsed.takeFailure();
    *device = *parsed;
    return {};
  });
}

int32_t tw_device_count(tw_engine engine) { return deviceCount(engine); }

tw_status tw_device_target(tw_device device, char **target) {
  return guarded([&]() -> Result<void> {
    Result<Target> found = deviceTarget(device);
    if (!found)
      return found.takeFailure();
    return returnText(found->str(), target);
  });
}

tw_status tw_device_name(tw_device device, char **name) {
  return guarded([&] { return returnText(deviceName(device), name); });
}

tw_status tw_device_synchronize(tw_device device) {
  return guarded([&] { return synchronizeDevice(device); });
}

tw_status tw_stream_create(tw_device device, void **stream) {
  return guarded([&]() -> Result<void> {
    Result<void *> made = createStream(device);
    if (!made)
      return made.takeFailure();
    *stream = *made;
    return {};
  });
}

tw_status tw_stream_synchronize(tw_device device, void *stream) {
  return guarded([&] { return synchronizeStream(device, stream); });
}

tw_status tw_stream_destroy(tw_device device, void *stream) {
  return guarded([&] { return destroyStream(device, stream); });
}
