// Launch: bind, key, look up, fill slots, call. Miss: compile, load, publish.
#include "runtime/Kernel.h"
#include "frontend/KernelNames.h"
#include "support/Knobs.h"

#include "driver/Recall.h"
#include "runtime/CompileEvents.h"
#include "runtime/DataType.h"
#include "runtime/Device.h"
#include "runtime/Executable.h"
#include "runtime/Fork.h"
#include "runtime/Log.h"
#include "runtime/Report.h"
#include "runtime/Source.h"
#include "runtime/profile/Profile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <array>
#include <chrono>

namespace tilewise {

namespace {
/// `count` values on the stack if they are few.
template <typename T> class StackArray {
public:
  explicit StackArray(size_t count) : size_(count) {
    if (count > kInline)
      heap_.resize(count);
  }
  std::span<T> get() { return {size_ > kInline ? heap_.data() : inline_, size_}; }

private:
  static constexpr size_t kInline = 64;
  size_t size_;
  T inline_[kInline];
  std::vector<T> heap_;
};
} // namespace

/// Held while a kernel of a live host is compiled: its callbacks, and those of the functions it
/// calls in other sources, come one at a time. Recursive, since a callback may itself ask for
/// something to be compiled.
static auto *const hostMutex = new std::recursive_mutex;
// A thread that forks does not wait for this lock, which others hold while they wait for the host.
[[maybe_unused]] static const bool isHostForkReady =
    onFork(ForkLock::Host, nullptr, nullptr, [] { new (hostMutex) std::recursive_mutex; });
static std::unique_lock<std::recursive_mutex> lockHost(const frontend::Environment *environment) {
  if (!environment)
    return {};
  // Who holds it may wait for a fork to end, which waits for all compiles: none must wait here.
  const CompilePause pause;
  return std::unique_lock(*hostMutex);
}

/// What a compile had to say, whether it was now or in another process.
static void logMessages(const CompiledKernel &kernel) {
  for (const auto &[severity, text] : kernel.messages)
    logOfCompiler(severity, text);
}

/// Of what a launch runs: equal for options that have no effect.
static uint64_t hashCode(Artifact artifact) {
  artifact.arguments.clear();
  return llvm::xxh3_64bits(artifact.serialize());
}

knobs::Checked checkedByDefault() {
  // Not a static constant: a child that is forked while one is made waits for it for ever.
  static constinit std::atomic<int> known{-1};
  int checked = known.load(std::memory_order_relaxed);
  if (checked < 0)
    known.store(checked = int(knobs::checked()), std::memory_order_relaxed);
  return knobs::Checked(checked);
}

Kernel::Kernel(std::shared_ptr<Source> source, std::string name) : source_(std::move(source)), name_(std::move(name)) {}
Kernel::~Kernel() {
  VariantCache &cache = VariantCache::instance();
  std::lock_guard lock(cache.mutex);
  for (const auto &entry : table_.entries())
    cache.remove(entry.get());
}

// Unmapping code takes locks of the linker.
Kernel::Entry::~Entry() {
  const CompileScope scope;
  executable.reset();
}

Result<std::unique_ptr<Kernel>> Kernel::create(std::shared_ptr<Source> source, const std::string &name) {
  const CompileScope scope;
  if (Result<void> parsed = source->parse(); !parsed)
    return parsed.takeFailure();
  const auto &infos = source->state_->infos;
  const std::string file = source->state_->file.path().str();
  const frontend::KernelInfo *found = nullptr;
  if (name.empty() && infos.size() == 1)
    found = &infos.front();
  for (const frontend::KernelInfo &info : infos)
    if (info.name == name)
      found = &info;
  if (!found) {
    if (name.empty() && !infos.empty())
      return launchFailure("'" + file + "' has several kernels, name one of: " + frontend::namesOf(infos));
    return frontend::noSuchKernel(file, name, infos);
  }
  std::unique_ptr<Kernel> kernel(new Kernel(source, found->name));
  {
    std::lock_guard lock(source->state_->mutex);
    kernel->environment_ = source->state_->environment;
    for (const auto &define : source->state_->defines)
      kernel->defines_.emplace_back(define.first().str(), define.second);
  }
  // In a running Python the decorators are functions, which have done what they are for.
  if (found->isAutotuned && !kernel->environment_)
    kernel->whyMissing_ = "; its @triton.autotune was not used: give the values, or launch it by a tuner "
                          "(tilewise::Autotuner, tw_tuner, 'tilewise tune')";
  if (found->hasHeuristics && !kernel->environment_)
    kernel->whyMissing_ +=
        "; its @triton.heuristics was not used: give the values, or launch it by a tuner, which evaluates it";
  kernel->parameters_.resize(found->parameters.size());
  for (size_t i = 0; i < found->parameters.size(); ++i) {
    Parameter &parameter = kernel->parameters_[i];
    parameter.name = found->parameters[i].name;
    parameter.annotation = found->parameters[i].annotation;
    parameter.defaultText = found->parameters[i].defaultValue;
    parameter.isConstexpr = found->parameters[i].isConstexpr;
    parameter.isRest = found->parameters[i].isRest;
    if (!knobs::specializes())
      parameter.specialize = TW_WIDE_INTEGERS;
    else if (found->parameters[i].notSpecialized)
      parameter.specialize = TW_SPECIALIZE_NOTHING;
    else if (found->parameters[i].notOnAlignment)
      parameter.specialize = TW_SPECIALIZE_ONE;
    parameter.readAnnotationAndDefault();
  }
  return kernel;
}

Result<void> Kernel::specialize(size_t parameter, unsigned what) {
  if (parameter >= parameters_.size())
    return launchFailure("kernel '" + name_ + "' has " + std::to_string(parameters_.size()) +
                         " parameters, no number " + std::to_string(parameter));
  parameters_[parameter].specialize = what;
  return {};
}

void Kernel::specializeAll(unsigned what) {
  for (Parameter &parameter : parameters_)
    parameter.specialize = what;
}

Result<void> Kernel::annotate(size_t parameter, const std::string &annotation) {
  if (parameter >= parameters_.size())
    return launchFailure("kernel '" + name_ + "' has " + std::to_string(parameters_.size()) +
                         " parameters, no number " + std::to_string(parameter));
  parameters_[parameter].annotation = annotation;
  parameters_[parameter].isConstexpr = annotation == "constexpr";
  parameters_[parameter].readAnnotationAndDefault();
  return {};
}

/// Stands in for the parameter of each part of a tuple.
static const Parameter partOfTuple = [] {
  Parameter made;
  made.name = "of a tuple";
  return made;
}();

/// The arguments of a launch in the order of the parameters, and the key of the code that serves
/// them.
class Kernel::BoundLaunch {
public:
  BoundLaunch(const Kernel &kernel, std::span<const tw_argument> arguments)
      : kernel_(kernel), tupled_(kernel.parameters_, arguments),
        bound_(kernel.parameters_.size() + countParts(tupled_.get())) {}

  /// Before all else: finds the argument of each parameter, and fails where there is none that
  /// fits.
  Result<void> bind(tw_device device, const LaunchOptions &options) {
    const auto &parameters = kernel_.parameters_;
    if (Result<void> done = bindArguments(kernel_.name_, parameters, tupled_.get(), bound_.get(), kernel_.whyMissing_);
        !done)
      return done;
    key.push(uint64_t(uint32_t(device.engine)) << 32 | uint32_t(device.index));
    key.push(packOptions(kernel_.artifact_ ? LaunchOptions() : options));
    for (size_t i = 0; i < bound_.get().size(); ++i)
      if (Result<void> done =
              appendToKey(kernel_.name_, i < parameters.size() ? parameters[i] : partOfTuple, *bound_.get()[i], key);
          !done)
        return done;
    return {};
  }

  const tw_argument &operator[](size_t parameter) { return *bound_.get()[parameter]; }

  LaunchKey key;

private:
  const Kernel &kernel_;
  const TupledArguments tupled_;
  StackArray<const tw_argument *> bound_;
};

Result<int64_t> Kernel::find(tw_device device, std::span<const tw_argument> arguments,
                             const LaunchOptions &options) const {
  BoundLaunch bound(*this, arguments);
  if (Result<void> done = bound.bind(device, options); !done)
    return done.takeFailure();
  const EpochPin pin;
  const Entry *entry = table_.find(bound.key.hash(), bound.key.words());
  return entry ? entry->number : -1;
}

std::optional<uint64_t> Kernel::codeHash(tw_device device, std::span<const tw_argument> arguments,
                                         const LaunchOptions &options) const {
  BoundLaunch bound(*this, arguments);
  if (Result<void> done = bound.bind(device, options); !done)
    return std::nullopt;
  const EpochPin pin;
  const Entry *entry = table_.find(bound.key.hash(), bound.key.words());
  return entry ? std::optional<uint64_t>(entry->codeHash) : std::nullopt;
}

std::string Kernel::identity() const {
  std::string text = artifact_ ? artifact_->serialize() : source_->state_->file.text().str();
  auto defines = defines_;
  llvm::sort(defines);
  for (const auto &[name, literal] : defines)
    text += "\n" + name + " = " + literal;
  return llvm::utohexstr(llvm::xxh3_64bits(text));
}

/// The grid with ones for the dimensions not given.
static Result<std::array<uint32_t, 3>> checkGrid(const std::string &kernel, std::span<const int64_t> grid) {
  std::array<uint32_t, 3> result{1, 1, 1};
  auto fail = [&](const std::string &what) { return launchFailure("kernel '" + kernel + "': " + what); };
  if (grid.empty() || grid.size() > 3)
    return fail("a grid has 1 to 3 dimensions, got " + std::to_string(grid.size()));
  uint64_t programs = 1;
  for (size_t i = 0; i < grid.size(); ++i) {
    if (grid[i] < 0)
      return fail("grid dimension " + std::to_string(i) + " is " + std::to_string(grid[i]) + ", expected 0 or more");
    if (grid[i] > INT32_MAX)
      return fail("grid dimension " + std::to_string(i) + " is " + std::to_string(grid[i]) +
                  ", at most 2147483647 programs are possible");
    result[i] = uint32_t(grid[i]);
    programs *= uint64_t(grid[i]); // below 2^62 here: the product before was checked
    if (programs > INT32_MAX)
      return fail("the grid has more than 2147483647 programs");
  }
  return result;
}

Result<void> Kernel::launch(tw_device device, void *stream, std::span<const int64_t> grid,
                            std::span<const tw_argument> arguments, const LaunchOptions &options) {
  Result<std::array<uint32_t, 3>> shape = checkGrid(name_, grid);
  if (!shape)
    return shape.takeFailure();
  BoundLaunch bound(*this, arguments);
  if (Result<void> done = bound.bind(device, options); !done)
    return done;
  if ((*shape)[0] == 0 || (*shape)[1] == 0 || (*shape)[2] == 0)
    return {};

  const EpochPin pin;
  Result<Entry *> entry = findOrCompile(device, options, bound.key);
  if (!entry)
    return entry.takeFailure();
  VariantCache::instance().noteUse(**entry);
  if ((*entry)->lints.mayHold(*shape, grid.size()))
    if (Result<void> told = (*entry)->lints.tell(name_, *shape, grid.size()); !told)
      return told;
  LaunchGrid launched{*shape, options.cooperative};
  StackArray<uint64_t> slots((*entry)->slots.size());
  for (size_t i = 0; i < (*entry)->slots.size(); ++i) {
    const SlotRule &rule = (*entry)->slots[i];
    const tw_argument &argument = bound[rule.parameter];
    slots.get()[i] = rule.kind == ArgumentClass::Descriptor
                         ? descriptorSlot(*argument.value.descriptor, rule.part, rule.dimension)
                         : argumentSlot(argument, rule.kind, rule.type);
    if (rule.kind == ArgumentClass::Pointer && argument.bytes == 0 && argument.bytes_before == 0 && isHost(device)) {
      // What checks accesses tells more of them where they lie.
      if (!(*entry)->executable->isChecked())
        slots.get()[i] = 0;
      launched.empty +=
          (launched.empty.empty() ? "'" : ", '") +
          (rule.parameter < parameters_.size() ? parameters_[rule.parameter].name
                                               : frontend::partNameOf(rule.parameter - parameters_.size())) +
          "'";
    }
  }
  if (!launched.empty.empty()) {
    const bool isOne = llvm::StringRef(launched.empty).count('\'') == 2;
    launched.empty = (isOne ? "argument " : "arguments ") + launched.empty + (isOne ? " has" : " have");
  }
  // A thread of the host may never have used this GPU, or another one since.
  if (!isHost(device))
    if (Result<void> current = makeCurrent(device); !current)
      return current;
  const profile::Span span(profile::Kind::Launch, name_);
  auto run = [&] {
    if (!(*entry)->executable->isChecked())
      return (*entry)->executable->launch(slots.get(), launched, stream);
    StackArray<ArgumentSpan> spans((*entry)->slots.size());
    for (size_t i = 0; i < (*entry)->slots.size(); ++i)
      spans.get()[i] = argumentSpan(bound[(*entry)->slots[i].parameter]);
    return (*entry)->executable->launchChecked(slots.get(), spans.get(), launched, stream);
  };
  Result<void> done = run();
  if (!done && done.failure().code == MessageCode::NeedsPlainCopies && !options.plainCopies && !artifact_) {
    LaunchOptions plain = options;
    plain.plainCopies = true;
    return launch(device, stream, grid, arguments, plain);
  }
  return span.isRecorded() && done ? profileLaunch(device, stream, *shape, arguments, span.start()) : std::move(done);
}

Result<void> Kernel::profileLaunch(tw_device device, void *stream, const std::array<uint32_t, 3> &grid,
                                   std::span<const tw_argument> arguments,
                                   std::chrono::steady_clock::time_point start) const {
  if (!isHost(device))
    if (Result<void> done = synchronizeStream(device, stream); !done)
      return done;
  profile::add(profile::Kind::Launch, name_,
               "grid " + std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " + std::to_string(grid[2]),
               deviceText(device), start, profile::bytesOf(arguments));
  return {};
}

Result<void> Kernel::prepare(tw_device device, std::span<const tw_argument> arguments, const LaunchOptions &options) {
  BoundLaunch bound(*this, arguments);
  if (Result<void> done = bound.bind(device, options); !done)
    return done;
  const EpochPin pin;
  if (Result<Entry *> entry = findOrCompile(device, options, bound.key); !entry)
    return entry.takeFailure();
  return {};
}

Result<Kernel::Entry *> Kernel::findOrCompile(tw_device device, const LaunchOptions &options, const LaunchKey &key) {
  const uint64_t hash = key.hash();
  if (Entry *entry = table_.find(hash, key.words()))
    return entry;

  VariantCache &cache = VariantCache::instance();
  const VariantCache::Compile compile{this, {key.words().begin(), key.words().end()}};
  std::unique_lock lock(cache.mutex);
  // The table first: whoever compiled this key published it before leaving the list.
  while (true) {
    if (Entry *entry = table_.find(hash, compile.key))
      return entry;
    if (std::find(cache.compiling.begin(), cache.compiling.end(), compile) == cache.compiling.end())
      break;
    cache.settled.wait(lock);
  }
  cache.compiling.push_back(compile);
  std::vector<std::span<const uint64_t>> known;
  for (const auto &entry : table_.entries())
    known.emplace_back(entry->key);
  const std::string reason = whyCompile(parameters_, compile.key, known);
  lock.unlock();
  Result<std::unique_ptr<Entry>> made = compileEntry(device, options, key, reason);
  lock.lock();
  std::erase(cache.compiling, compile);
  cache.settled.notify_all();
  if (!made)
    return made.takeFailure();
  (*made)->hash = hash;
  (*made)->key = compile.key;
  Entry *entry = publish(std::move(*made), isHost(device));
  lock.unlock();
  freeRetired();
  return entry;
}

/// With the variant cache's mutex held.
Kernel::Entry *Kernel::publish(std::unique_ptr<Entry> made, bool mayBeEvicted) {
  made->number = int64_t(compiles_.fetch_add(1, std::memory_order_relaxed));
  made->kernel = this;
  Entry *entry = table_.insert(std::move(made));
  if (!mayBeEvicted)
    return entry;
  VariantCache &cache = VariantCache::instance();
  cache.add(entry);
  while (CachedVariant *excess = cache.excess(entry)) {
    cache.remove(excess);
    auto *evicted = static_cast<Entry *>(excess);
    evicted->kernel->table_.erase(evicted);
  }
  return entry;
}

Result<CompiledKernel> Kernel::compileFor(tw_device device, const LaunchOptions &options, const LaunchKey &key) const {
  Result<Target> target = deviceTarget(device);
  if (!target)
    return launchFailure("kernel '" + name_ + "': " + target.takeFailure().message);
  auto host = lockHost(environment_.get());
  Diagnostics diagnostics;
  CompileRequest wanted = request(signatureOfKey(key.words(), kKeyHead), *target, options);
  for (const Parameter &parameter : parameters_)
    wanted.launched.push_back(
        {parameter.name, parameter.isConstexpr, parameter.type != TW_DTYPE_NONE || parameter.isRest,
         parameter.type != TW_DTYPE_NONE ? (parameter.isPointer ? "*" : "") + std::string(dataTypeName(parameter.type))
                                         : ""});
  Result<CompiledKernel> compiled = recallOrCompile(wanted, diagnostics);
  if (compiled && options.checkedIfWarned && !options.checked && compiled->warnsOf(Warning::UnmaskedAccess)) {
    wanted.options.checked = true;
    compiled = recallOrCompile(wanted, diagnostics);
  }
  if (host)
    host.unlock();
  if (!compiled) {
    log(diagnostics);
    keepReport(diagnostics);
  }
  return compiled;
}

Result<std::unique_ptr<Kernel::Entry>> Kernel::compileEntry(tw_device device, const LaunchOptions &options,
                                                            const LaunchKey &key, const std::string &reason) const {
  const CompileScope scope;
  const profile::Span span(profile::Kind::Compile, name_);
  const auto start = std::chrono::steady_clock::now();
  Result<CompiledKernel> compiled = artifact_ ? artifactFor(device, key) : compileFor(device, options, key);
  if (!compiled)
    return compiled.takeFailure();
  logMessages(*compiled);
  const Artifact &artifact = compiled->artifact;

  auto entry = std::make_unique<Entry>();
  entry->lints = LaunchLints(std::move(compiled->gridLints), warnings().areErrors());
  std::vector<KeyWord> words;
  for (size_t at = kKeyHead; at < key.words().size();) {
    words.push_back(KeyWord::unpack(key.words()[at++]));
    at += words.back().payload(key.words().data() + at);
  }
  for (const LaunchParameter &parameter : artifact.plan.parameters)
    entry->slots.push_back({parameter.argument, words[parameter.argument].kind, words[parameter.argument].type,
                            parameter.part, parameter.dimension});
  if (Result<void> current = makeCurrent(device); !current)
    return current.takeFailure();
  Result<std::unique_ptr<Executable>> executable = loadExecutable(artifact);
  if (!executable)
    return executable.takeFailure();
  entry->executable = std::move(*executable);
  entry->codeHash = hashCode(artifact);
  if (!artifact_) {
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    tellCompile({name_, frontend::printSignature(signatureOfKey(key.words(), kKeyHead)), artifact.target.str(), reason,
                 compiled->isRecalled, taken.count()});
  }
  return entry;
}

Result<std::string> Kernel::signature(std::span<const tw_argument> arguments) const {
  BoundLaunch bound(*this, arguments);
  if (Result<void> done = bound.bind(tw_cpu(), {}); !done)
    return done.takeFailure();
  return frontend::printSignature(signatureOfKey(bound.key.words(), kKeyHead));
}

CompileRequest Kernel::request(std::vector<frontend::ArgumentSpec> arguments, const Target &target,
                               const LaunchOptions &options) const {
  CompileRequest request;
  request.kernel.file = &source_->state_->file;
  request.kernel.kernel = name_;
  // What is beyond the parameters are parts, if the text of a constant names them.
  const bool hasParts = llvm::any_of(arguments, [](const frontend::ArgumentSpec &spec) {
    return spec.isConstant && llvm::StringRef(spec.text).contains(frontend::partNameOf(0));
  });
  if (hasParts && arguments.size() > parameters_.size())
    request.kernel.partCount = arguments.size() - parameters_.size();
  request.kernel.arguments = std::move(arguments);
  request.kernel.environment = environment_.get();
  for (const auto &[name, literal] : defines_)
    request.kernel.defines[name] = literal;
  request.target = target;
  request.options = options;
  request.options.warnings = warnings();
  return request;
}

Result<CompileRequest> Kernel::request(const std::string &signature, const std::string &target,
                                       const LaunchOptions &options) const {
  auto arguments = frontend::parseSignature(signature);
  if (!arguments)
    return arguments.takeFailure();
  auto parsed = Target::parse(target);
  if (!parsed)
    return parsed.takeFailure();
  return request(std::move(*arguments), *parsed, options);
}

Result<std::string> Kernel::emit(const std::string &stage, const std::string &signature, const std::string &target,
                                 const LaunchOptions &options) const {
  if (artifact_)
    return hasNoText("stage '" + stage + "'");
  Result<CompileRequest> made = request(signature, target, options);
  if (!made)
    return made.takeFailure();
  made->options.lineTables = false; // It is read by a person.
  auto host = lockHost(environment_.get());
  const CompileScope scope;
  Diagnostics diagnostics;
  CompileObserver observer;
  observer.diagnostics = &diagnostics;
  Result<std::string> text = emitStage(*made, stage, observer);
  log(diagnostics);
  if (!text)
    keepReport(diagnostics);
  return text;
}

Result<CompiledKernel> Kernel::compileFor(const std::string &signature, const std::string &target,
                                          const LaunchOptions &options) const {
  if (artifact_)
    return hasNoText("(" + signature + ") for " + target);
  Result<CompileRequest> made = request(signature, target, options);
  if (!made)
    return made.takeFailure();
  auto host = lockHost(environment_.get());
  const CompileScope scope;
  Diagnostics diagnostics;
  Result<CompiledKernel> compiled = recallOrCompile(*made, diagnostics);
  if (!compiled)
    keepReport(diagnostics);
  return compiled;
}

Result<std::string> Kernel::artifact(const std::string &signature, const std::string &target,
                                     const LaunchOptions &options) const {
  const auto start = std::chrono::steady_clock::now();
  Result<CompiledKernel> compiled = compileFor(signature, target, options);
  if (!compiled)
    return compiled.takeFailure();
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
  const CompileScope scope;
  logMessages(*compiled);
  tellCompile(
      {name_, signature, compiled->artifact.target.str(), "ahead of a launch", compiled->isRecalled, taken.count()});
  return compiled->artifact.serialize();
}

Result<Resources> Kernel::resources(const std::string &signature, const std::string &target,
                                    const LaunchOptions &options, bool load, tw_device device) const {
  Result<CompiledKernel> compiled = compileFor(signature, target, options);
  if (!compiled)
    return compiled.takeFailure();
  const Artifact *artifact = &compiled->artifact;
  if (!load && artifact->target.engine != Engine::Nvidia)
    return Resources();
  if (!load)
    return Resources{artifact->plan.threadsPerProgram, artifact->plan.sharedBytes};
  if (Result<void> current = makeCurrent(device); !current)
    return current.takeFailure();
  Result<std::unique_ptr<Executable>> executable = loadExecutable(*artifact);
  if (!executable)
    return executable.takeFailure();
  return (*executable)->resources();
}

} // namespace tilewise
