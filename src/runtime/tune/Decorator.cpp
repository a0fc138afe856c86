// What a kernel's decorators say -> the tuner's settings, and the constants that heuristics
// compute.
#include "runtime/Fork.h"
#include "runtime/Log.h"
#include "runtime/Source.h"
#include "runtime/tune/Autotuner.h"
#include "runtime/tune/Choices.h"
#include "runtime/tune/NamedArguments.h"
#include "support/Try.h"

#include <cstdio>

namespace tilewise::tune {

std::vector<std::pair<std::string, tw_argument>> namedArguments(const Kernel &kernel,
                                                                llvm::ArrayRef<tw_argument> arguments) {
  std::vector<std::pair<std::string, tw_argument>> named;
  size_t position = 0;
  for (const tw_argument &argument : arguments)
    if (argument.name)
      named.emplace_back(argument.name, argument);
    else if (position < kernel.parameters().size())
      named.emplace_back(kernel.parameters()[position++].name, argument);
  return named;
}

std::string valueText(const tw_argument &argument) {
  switch (argument.kind) {
  case TW_ARGUMENT_INT:
    return std::to_string(argument.value.i);
  case TW_ARGUMENT_UINT:
    return std::to_string(argument.value.u);
  case TW_ARGUMENT_FLOAT: {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", argument.value.f);
    return text;
  }
  case TW_ARGUMENT_BOOL:
    return argument.value.u ? "True" : "False";
  case TW_ARGUMENT_TEXT:
    return argument.value.text ? argument.value.text : "";
  case TW_ARGUMENT_NONE:
    return "None";
  default:
    return "";
  }
}

static llvm::StringMap<std::string> definesOf(const Kernel &kernel) {
  llvm::StringMap<std::string> defines;
  for (const auto &[name, literal] : kernel.defines())
    defines[name] = literal;
  return defines;
}

void Autotuner::readDecorator() {
  const Source *source = kernel_.source();
  if (!source || source->environment())
    return; // A live host's decorators are the host's.
  Diagnostics ignored;
  for (const frontend::KernelInfo &info : frontend::listKernels(source->file(), ignored))
    hasHeuristics_ |= info.name == kernel_.name() && info.hasHeuristics;
  Result<frontend::AutotuneInfo> info = frontend::autotuneOf(source->file(), kernel_.name(), definesOf(kernel_));
  if (!info) {
    // Configs may still come from code.
    log(TW_LOG_WARNING, "kernel '" + kernel_.name() + "': " + info.failure().message);
    return;
  }
  for (const frontend::ConfigInfo &one : info->configs)
    configs.push_back({one.values, uint32_t(one.numWarps), uint32_t(one.numStages)});
  key = info->key;
  resetToZero = info->resetToZero;
  restoreValue = info->restoreValue;
}

Result<Config> Autotuner::complete(const TunedLaunch &launch, const Config &config) const {
  if (!hasHeuristics_)
    return config;
  std::vector<std::pair<std::string, std::string>> known;
  std::string place;
  for (const auto &[name, argument] : namedArguments(kernel_, launch.arguments))
    if (std::string text = valueText(argument); !text.empty())
      known.emplace_back(name, std::move(text));
  llvm::append_range(known, config.values);
  known.emplace_back("num_warps", std::to_string(config.numWarps));
  known.emplace_back("num_stages", std::to_string(config.numStages));
  for (const auto &[name, text] : known)
    place += name + "=" + text + ";";
  std::unique_lock lock(Choices::instance().mutex);
  if (auto found = completed_.find(place); found != completed_.end())
    return found->second;
  lock.unlock();
  Config completed = config;
  {
    const CompileScope scope; // What evaluates them has locks that fork() does not know.
    TILEWISE_TRY(const auto computed,
                 frontend::heuristicsOf(kernel_.source()->file(), kernel_.name(), definesOf(kernel_), known));
    llvm::append_range(completed.values, computed);
  }
  lock.lock();
  return completed_.try_emplace(place, std::move(completed)).first->second;
}

} // namespace tilewise::tune
