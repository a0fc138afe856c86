// PTX loaded into the current GPU context, and launched.
#include "runtime/CudaAssembler.h"
#include "runtime/CudaDriver.h"
#include "runtime/CudaFaults.h"
#include "runtime/CudaTensorMap.h"
#include "runtime/Executable.h"
#include "runtime/Log.h"
#include "support/Try.h"
#include "target/PtxTools.h"

#include <limits>
#include <vector>

namespace tilewise {

namespace {

// Numbers from the driver's interface.
constexpr int kMaxThreads = 0, kLocalBytes = 3, kRegisters = 4; ///< Attributes of a function.
constexpr int kMultiprocessors = 16;                            ///< An attribute of a device.
constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6, kJitLineInfo = 13, kMaxDynamicShared = 8,
              kCooperativeTooLarge = 720;
/// Beyond this, dynamic shared memory must be asked for function by function.
constexpr uint32_t kPlainSharedBytes = 48 << 10;
constexpr uint32_t kGridLimits[] = {std::numeric_limits<int32_t>::max(), 65535, 65535};

/// Makes a context current while it lives.
class ContextScope {
public:
  ContextScope(const cuda::Driver &driver, void *context) : driver_(driver) {
    code = driver.cuCtxGetCurrent(&previous_);
    if (code != 0 || previous_ == context)
      return;
    code = driver.cuCtxSetCurrent(context);
    changed_ = code == 0;
  }
  ContextScope(const ContextScope &) = delete;
  ~ContextScope() {
    if (changed_)
      driver_.cuCtxSetCurrent(previous_);
  }
  int code = 0;

private:
  const cuda::Driver &driver_;
  void *previous_ = nullptr;
  bool changed_ = false;
};

class CudaExecutable : public Executable {
public:
  CudaExecutable(const cuda::Driver &driver, void *context, void *module, void *function, const Artifact &artifact,
                 uint32_t repeatedOn)
      : driver_(driver), context_(context), module_(module), function_(function), kernel_(artifact.kernel),
        name_(cuda::internName(artifact.kernel)), parameters_(artifact.plan.parameters),
        tensorMaps_(artifact.plan.tensorMaps), checked_(artifact.plan.checkedParameters),
        threads_(artifact.plan.threadsPerProgram), sharedBytes_(artifact.plan.sharedBytes), repeatedOn_(repeatedOn) {}

  ~CudaExecutable() override {
    // At the end of the process the driver may have gone first; then there is nothing to unload.
    ContextScope scope(driver_, context_);
    if (scope.code == 0)
      driver_.cuModuleUnload(module_);
  }

  Result<void> launch(std::span<const uint64_t> arguments, const LaunchGrid &launched, void *stream) override {
    if (isChecked())
      return launchChecked(arguments, std::vector<ArgumentSpan>(arguments.size()), launched, stream);
    return launchPlain(arguments, launched, stream);
  }

  bool isChecked() const override { return !checked_.empty(); }
  /// The memory of the arguments follows them.
  Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan> spans,
                             const LaunchGrid &launched, void *stream) override {
    std::vector<uint64_t> all(arguments.begin(), arguments.end());
    for (uint32_t parameter : checked_) {
      all.push_back(spans[parameter].begin);
      all.push_back(spans[parameter].end);
    }
    return launchPlain(all, launched, stream);
  }

  Result<Resources> resources() const override {
    ContextScope scope(driver_, context_);
    int registers = 0, spilled = 0, threads = 0, code = scope.code;
    for (auto [attribute, value] :
         {std::pair(kMaxThreads, &threads), std::pair(kLocalBytes, &spilled), std::pair(kRegisters, &registers)})
      if (code == 0)
        code = driver_.cuFuncGetAttribute(value, attribute, function_);
    if (code != 0)
      return driver_.failure(code, "ask what kernel '" + kernel_ + "' takes");
    return Resources{threads_, sharedBytes_, uint32_t(registers), uint32_t(spilled), uint32_t(threads)};
  }

private:
  Result<void> launchPlain(std::span<const uint64_t> arguments, const LaunchGrid &launched, void *stream) {
    const std::array<uint32_t, 3> &grid = launched.size;
    if (arguments.size() != parameters_.size() + 2 * checked_.size())
      return launchFailure("kernel '" + kernel_ + "' takes " + std::to_string(parameters_.size()) + " arguments, got " +
                           std::to_string(arguments.size() - std::min(arguments.size(), 2 * checked_.size())));
    for (int axis = 0; axis < 3; ++axis) {
      if (grid[axis] == 0)
        return {};
      if (grid[axis] > kGridLimits[axis])
        return launchFailure("grid axis " + std::to_string(axis) + " of kernel '" + kernel_ + "' is " +
                             std::to_string(grid[axis]) + ": a GPU takes at most " + std::to_string(kGridLimits[axis]) +
                             " programs along it");
    }
    // The driver reads as many bytes of each slot as the parameter has.
    std::array<void *, 64> few;
    const size_t known = arguments.size() + tensorMaps_.size(), count = known + (repeatedOn_ ? grid.size() : 0);
    std::vector<void *> many(count > few.size() ? count : 0);
    void **slots = many.empty() ? few.data() : many.data();
    for (size_t i = 0; i < arguments.size(); ++i)
      slots[i] = const_cast<uint64_t *>(&arguments[i]);
    std::array<cuda::EncodedMap, LaunchPlan::kMostTensorMaps> maps;
    for (size_t i = 0; i < tensorMaps_.size(); ++i) {
      TILEWISE_TRY(maps[i], cuda::encodeMap(driver_, tensorMaps_[i], parameters_, arguments));
      slots[arguments.size() + i] = &maps[i];
    }
    std::array<uint32_t, 3> blocks = grid;
    if (repeatedOn_) {
      if (launched.programs() > std::numeric_limits<int32_t>::max())
        return launchFailure("a launch of kernel '" + kernel_ + "' has " + std::to_string(launched.programs()) +
                             " programs: this kernel takes at most 2147483647");
      blocks = {uint32_t(std::min<uint64_t>(launched.programs(), repeatedOn_)), 1, 1};
      for (size_t axis = 0; axis < grid.size(); ++axis)
        slots[known + axis] = const_cast<uint32_t *>(&grid[axis]);
    }
    ContextScope scope(driver_, context_);
    int code = scope.code;
    if (code == 0)
      code = launched.cooperative ? driver_.cuLaunchCooperativeKernel(function_, blocks[0], blocks[1], blocks[2],
                                                                      threads_, 1, 1, sharedBytes_, stream, slots)
                                  : driver_.cuLaunchKernel(function_, blocks[0], blocks[1], blocks[2], threads_, 1, 1,
                                                           sharedBytes_, stream, slots, nullptr);
    if (code == kCooperativeTooLarge)
      return driver_.failure(code, "launch kernel '" + kernel_ + "' cooperatively: not all of its " +
                                       std::to_string(launched.programs()) + " programs fit the GPU at once");
    if (code != 0)
      return driver_.failure(code, "launch kernel '" + kernel_ + "'");
    cuda::noteLaunch(name_);
    return {};
  }

  const cuda::Driver &driver_;
  void *context_, *module_, *function_;
  std::string kernel_;
  const std::string *name_;
  std::vector<LaunchParameter> parameters_;
  std::vector<TensorMapPlan> tensorMaps_; ///< At most LaunchPlan::kMostTensorMaps.
  std::vector<uint32_t> checked_;
  uint32_t threads_, sharedBytes_;
  /// Multiprocessors that go through the programs; 0: each has its own block.
  uint32_t repeatedOn_;
};

/// By ptxas where there is one that the driver accepts the code of, else by the driver.
Result<void *> loadModule(const cuda::Driver &driver, const Artifact &artifact) {
  void *module = nullptr;
  if (std::string ptxas = findPtxas(); !ptxas.empty()) {
    Result<std::string> machineCode = cuda::assembleOrRecall(ptxas, artifact.code, artifact.target.capability);
    // A ptxas newer than the driver can make code that it cannot load.
    if (machineCode && driver.cuModuleLoadDataEx(&module, machineCode->data(), 0, nullptr, nullptr) == 0)
      return module;
    log(TW_LOG_WARNING,
        "kernel '" + artifact.kernel + "': " +
            (machineCode ? "the driver cannot load what " + ptxas + " makes for " + artifact.target.str()
                         : machineCode.failure().message) +
            "; the driver assembles it, which takes longer");
  }
  char errors[4096] = "";
  int options[] = {kJitErrorLog, kJitErrorLogBytes, kJitLineInfo};
  void *values[] = {errors, reinterpret_cast<void *>(uintptr_t(sizeof(errors))), reinterpret_cast<void *>(1)};
  int code = driver.cuModuleLoadDataEx(&module, artifact.code.c_str(), 3, options, values);
  if (code == 0)
    return module;
  Failure failure = driver.failure(code, "load kernel '" + artifact.kernel + "' for " + artifact.target.str());
  if (errors[0])
    failure.message += std::string("\n") + errors;
  return failure;
}

} // namespace

Result<std::unique_ptr<Executable>> loadCudaExecutable(const Artifact &artifact) {
  Result<const cuda::Driver *> found = cuda::Driver::get();
  if (!found)
    return found.takeFailure();
  const cuda::Driver &driver = **found;
  void *context = nullptr;
  if (int code = driver.cuCtxGetCurrent(&context); code != 0)
    return driver.failure(code, "find the current GPU");
  if (!context)
    return launchFailure("no GPU is current on this thread: make one current before loading kernel '" +
                         artifact.kernel + "'");

  Result<void *> module = loadModule(driver, artifact);
  if (!module)
    return module.takeFailure();
  void *function = nullptr;
  int code = driver.cuModuleGetFunction(&function, *module, artifact.kernel.c_str());
  std::string what = "find kernel '" + artifact.kernel + "' in its module";
  if (code == 0 && artifact.plan.sharedBytes > kPlainSharedBytes) {
    code = driver.cuFuncSetAttribute(function, kMaxDynamicShared, int(artifact.plan.sharedBytes));
    what = "give kernel '" + artifact.kernel + "' " + std::to_string(artifact.plan.sharedBytes) +
           " bytes of shared memory: take smaller blocks";
  }
  int device = 0, multiprocessors = 0;
  if (code == 0 && artifact.plan.repeatsPrograms) {
    what = "ask the GPU for its multiprocessors";
    code = driver.cuCtxGetDevice(&device);
    if (code == 0)
      code = driver.cuDeviceGetAttribute(&multiprocessors, kMultiprocessors, device);
  }
  if (code != 0) {
    driver.cuModuleUnload(*module);
    return driver.failure(code, what);
  }
  return std::unique_ptr<Executable>(
      std::make_unique<CudaExecutable>(driver, context, *module, function, artifact, uint32_t(multiprocessors)));
}

} // namespace tilewise
