// tw_source_*, tw_kernel_* and tw_set_executor.
#include "api/Handles.h"
#include "api/Status.h"
#include "runtime/Executable.h"
#include "runtime/SpreadPrograms.h"

#include <cstring>

using namespace tilewise;

LaunchOptions tilewise::readOptions(const tw_options *options) {
  LaunchOptions result;
  result.checked = checkedByDefault() == knobs::Checked::On;
  result.checkedIfWarned = checkedByDefault() == knobs::Checked::IfWarned;
  // An older caller's structure ends earlier; what it does not have keeps its default.
  auto has = [&](size_t end) { return options && options->struct_size >= end; };
  if (has(offsetof(tw_options, num_warps) + sizeof(uint32_t)) && options->num_warps)
    result.numWarps = options->num_warps;
  if (has(offsetof(tw_options, num_stages) + sizeof(uint32_t)) && options->num_stages)
    result.numStages = options->num_stages;
  if (has(offsetof(tw_options, no_fp_fusion) + sizeof(uint32_t)))
    result.fpFusion = options->no_fp_fusion == 0;
  if (has(offsetof(tw_options, debug) + sizeof(uint32_t)))
    result.debug = options->debug != 0;
  if (has(offsetof(tw_options, checked) + sizeof(uint32_t)) && options->checked)
    (options->checked == TW_CHECKED_IF_WARNED ? result.checkedIfWarned : result.checked) = true;
  if (has(offsetof(tw_options, cooperative) + sizeof(uint32_t)))
    result.cooperative = options->cooperative != 0;
  if (has(offsetof(tw_options, no_overflow_checks) + sizeof(uint32_t)))
    result.overflowChecks = options->no_overflow_checks == 0;
  if (has(offsetof(tw_options, max_registers) + sizeof(uint32_t)))
    result.maxRegisters = options->max_registers;
  return result;
}

tw_status tw_source_open(const char *path, tw_source **source) {
  return guarded([&]() -> Result<void> {
    auto opened = Source::open(path ? path : "");
    if (!opened)
      return opened.takeFailure();
    *source = new tw_source{std::move(*opened)};
    return {};
  });
}

tw_status tw_source_create(const char *text, size_t length, const char *file, uint32_t first_line, tw_source **source) {
  return guarded([&]() -> Result<void> {
    if (!text || first_line == 0)
      return launchFailure("tw_source_create needs a text and the number of its first line, counted from 1");
    *source = new tw_source{Source::create({text, length}, file ? file : "<text>", first_line)};
    return {};
  });
}

tw_status tw_source_define(tw_source *source, const char *name, const char *literal) {
  return guarded([&] { return source->source->define(name, literal); });
}

void tw_source_destroy(tw_source *source) { delete source; }

tw_status tw_source_kernel_count(tw_source *source, size_t *count) {
  return guarded([&]() -> Result<void> {
    if (Result<void> parsed = source->source->parse(); !parsed)
      return parsed;
    *count = source->source->kernels().size();
    return {};
  });
}

const char *tw_source_kernel_name(tw_source *source, size_t index) {
  if (tw_status status = guarded([&] { return source->source->parse(); }); status != TW_OK)
    return nullptr;
  const auto &names = source->source->kernels();
  return index < names.size() ? names[index].c_str() : nullptr;
}

tw_status tw_kernel_create(tw_source *source, const char *name, tw_kernel **kernel) {
  return guarded([&]() -> Result<void> {
    auto made = Kernel::create(source->source, name ? name : "");
    if (!made)
      return made.takeFailure();
    *kernel = new tw_kernel{std::move(*made)};
    return {};
  });
}

void tw_kernel_destroy(tw_kernel *kernel) { delete kernel; }

const char *tw_kernel_name(const tw_kernel *kernel) { return kernel->kernel->name().c_str(); }
size_t tw_kernel_parameter_count(const tw_kernel *kernel) { return kernel->kernel->parameters().size(); }

tw_parameter tw_kernel_parameter(const tw_kernel *kernel, size_t index) {
  if (index >= kernel->kernel->parameters().size())
    return {nullptr, false, nullptr, nullptr};
  const Parameter &parameter = kernel->kernel->parameters()[index];
  return {parameter.name.c_str(), parameter.isConstexpr, parameter.annotation.c_str(), parameter.defaultText.c_str()};
}

tw_status tw_kernel_specialize(tw_kernel *kernel, size_t parameter, unsigned what) {
  return guarded([&] { return kernel->kernel->specialize(parameter, what); });
}

tw_status tw_kernel_annotate(tw_kernel *kernel, size_t parameter, const char *annotation) {
  return guarded([&] { return kernel->kernel->annotate(parameter, annotation ? annotation : ""); });
}

bool tw_options_checked(const tw_options *options) {
  const LaunchOptions read = readOptions(options);
  return read.checked || read.checkedIfWarned;
}

tw_status tw_kernel_launch(tw_kernel *kernel, tw_device device, void *stream, const int64_t *grid, size_t rank,
                           const tw_argument *arguments, size_t count, const tw_options *options) {
  return guarded([&]() -> Result<void> {
    if (!kernel)
      return launchFailure("tw_kernel_launch needs a kernel, got a null pointer");
    if ((!grid && rank != 0) || (!arguments && count != 0))
      return launchFailure("kernel '" + kernel->kernel->name() + "': " + (grid ? "the arguments are" : "the grid is") +
                           " a null pointer");
    return kernel->kernel->launch(device, stream, {grid, rank}, {arguments, count}, readOptions(options));
  });
}

tw_status tw_kernel_prepare(tw_kernel *kernel, tw_device device, const tw_argument *arguments, size_t count,
                            const tw_options *options) {
  return guarded([&] { return kernel->kernel->prepare(device, {arguments, count}, readOptions(options)); });
}

tw_status tw_kernel_find(tw_kernel *kernel, tw_device device, const tw_argument *arguments, size_t count,
                         const tw_options *options, int64_t *number) {
  return guarded([&]() -> Result<void> {
    Result<int64_t> found = kernel->kernel->find(device, {arguments, count}, readOptions(options));
    if (!found)
      return found.takeFailure();
    *number = *found;
    return {};
  });
}

tw_status tw_kernel_signature(tw_kernel *kernel, const tw_argument *arguments, size_t count, char **signature) {
  return guarded([&] { return returnText(kernel->kernel->signature({arguments, count}), signature); });
}

tw_status tw_kernel_emit(tw_kernel *kernel, const char *stage, const char *signature, const char *target,
                         const tw_options *options, char **text) {
  return guarded(
      [&] { return returnText(kernel->kernel->emit(stage, signature, target, readOptions(options)), text); });
}

tw_status tw_kernel_artifact(tw_kernel *kernel, const char *signature, const char *target, const tw_options *options,
                             void **bytes, size_t *length) {
  return guarded([&]() -> Result<void> {
    Result<std::string> made = kernel->kernel->artifact(signature, target, readOptions(options));
    if (!made)
      return made.takeFailure();
    *bytes = copyForCaller(*made);
    *length = made->size();
    return {};
  });
}

tw_status tw_kernel_resources(tw_kernel *kernel, const char *signature, const char *target, const tw_options *options,
                              bool load, tw_device device, tw_resources *resources) {
  return guarded([&]() -> Result<void> {
    Result<Resources> taken = kernel->kernel->resources(signature, target, readOptions(options), load, device);
    if (!taken)
      return taken.takeFailure();
    const tw_resources all = {resources->struct_size, taken->threads,      taken->sharedBytes,
                              taken->registers,       taken->spilledBytes, taken->maxThreads};
    std::memcpy(resources, &all, std::min(size_t(resources->struct_size), sizeof(all)));
    return {};
  });
}

tw_status tw_set_executor(const tw_executor *executor) {
  return guarded([&] { return setExecutor(executor); });
}

size_t tw_kernel_compile_count(const tw_kernel *kernel) { return kernel->kernel->compileCount(); }
