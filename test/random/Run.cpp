// One kernel: compiled for two engines, launched on equal memory, compared.
#include "Run.h"

#include "Data.h"
#include "Plant.h"
#include "Random.h"
#include "Simulated.h"

#include "driver/Compile.h"
#include "runtime/Device.h"
#include "runtime/Executable.h"
#include "runtime/Log.h"

#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

namespace tilewise::random {
namespace {

struct Compiled {
  Artifact artifact;
  std::unique_ptr<Executable> executable;
};

/// The engine's name up to a colon: "cpu" of "cpu:haswell".
Result<Target> targetOf(const std::string &engine) {
  if (engine == "simulated")
    return Target::parse("cuda:90");
  if (engine.rfind("cuda", 0) != 0)
    return Target::parse(engine);
  auto device = parseDevice(engine);
  if (!device)
    return device.takeFailure();
  // What is compiled for it is loaded there.
  if (auto current = makeCurrent(*device); !current)
    return current.takeFailure();
  return deviceTarget(*device);
}

Result<Compiled> compileFor(const Emitted &emitted, const SourceFile &file, std::string engine, int plant,
                            bool plainCopies = false) {
  CompileRequest request;
  request.kernel.file = &file;
  request.kernel.kernel = kKernelName;
  auto arguments = frontend::parseSignature(emitted.signature());
  if (!arguments)
    return arguments.takeFailure();
  request.kernel.arguments = std::move(*arguments);
  if (engine == "cpu" && !emitted.machine.empty())
    engine += ":" + emitted.machine;
  auto target = targetOf(engine);
  if (!target)
    return target.takeFailure();
  request.target = *target;
  request.options.fpFusion = emitted.fusion;
  request.options.checked = emitted.checked;
  request.options.plainCopies = plainCopies;
  request.options.numWarps = emitted.warps;
  request.options.numStages = emitted.stages;
  if (engine == "simulated") {
    // The plan lists the parameters; the code is run by the simulator.
    request.target.engine = Engine::Reference;
    auto artifact = compile(request);
    if (!artifact)
      return artifact.takeFailure();
    request.target = *target;
    auto executable = loadSimulated(request);
    if (!executable)
      return executable.takeFailure();
    return Compiled{std::move(*artifact), std::move(*executable)};
  }
  auto artifact = plant ? compilePlanted(request, plant) : compile(request);
  if (!artifact)
    return artifact.takeFailure();
  auto executable = loadExecutable(*artifact);
  if (!executable)
    return executable.takeFailure();
  return Compiled{std::move(*artifact), std::move(*executable)};
}

/// What kernels print while this lives, by program: the order of lines of different programs is
/// open.
class Printed {
public:
  Printed() {
    setPrintCallback([](const char *text, void *user) { static_cast<Printed *>(user)->add(text); }, this);
  }
  Printed(const Printed &) = delete;
  Printed &operator=(const Printed &) = delete;
  ~Printed() { setPrintCallback(nullptr, nullptr); }

  /// Threads of a GPU print in any order.
  void sort() {
    for (auto &[program, lines] : lines_)
      std::sort(lines.begin(), lines.end());
  }

  /// Empty, or the first line in which they differ.
  std::string difference(const Printed &got) const {
    for (const auto &[program, lines] : lines_) {
      auto its = got.lines_.find(program);
      if (its == got.lines_.end())
        return "nothing is printed by " + program + ", expected '" + lines.front() + "'";
      for (size_t k = 0; k < std::max(lines.size(), its->second.size()); ++k) {
        const std::string a = k < lines.size() ? lines[k] : "nothing",
                          b = k < its->second.size() ? its->second[k] : "nothing";
        if (a != b)
          return "printed is '" + b + "', expected '" + a + "'";
      }
    }
    for (const auto &[program, lines] : got.lines_)
      if (!lines_.count(program))
        return "printed is '" + lines.front() + "', expected nothing";
    return "";
  }

  /// Program by program.
  std::string text() const {
    std::string all;
    for (const auto &[program, lines] : lines_)
      for (const std::string &line : lines)
        all += line + "\n";
    return all;
  }

private:
  void add(const std::string &text) {
    std::lock_guard lock(mutex_);
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
      lines_[line.substr(0, line.find(')') + 1)].push_back(line);
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> lines_;
};

/// Takes what goes to standard output while it lives, where the driver prints what a GPU's threads
/// say, and hands it to the print callback.
class DriverOutput {
public:
  DriverOutput() : file_(std::tmpfile()) {
    std::fflush(stdout);
    before_ = dup(STDOUT_FILENO);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  DriverOutput(const DriverOutput &) = delete;
  DriverOutput &operator=(const DriverOutput &) = delete;
  ~DriverOutput() {
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    close(before_);
    std::rewind(file_);
    std::string text;
    for (int letter; (letter = std::fgetc(file_)) != EOF;)
      text += char(letter);
    std::fclose(file_);
    if (!text.empty())
      print(text);
  }

private:
  std::FILE *file_;
  int before_;
};

/// The arguments of one launch on one engine; a GPU has copies of the memory.
class Launch {
public:
  Launch(const Emitted &emitted, const std::string &engine, uint64_t seed) : emitted_(emitted) {
    isGpu_ = engine.rfind("cuda", 0) == 0;
    if (isGpu_)
      device_ = *parseDevice(engine);
    for (size_t k = 0; k < emitted.buffers.size(); ++k)
      memory_.emplace_back(emitted.buffers[k], mix(seed, uint64_t(emitted.buffers[k].id)));
  }

  Result<void> run(const Compiled &kernel) {
    std::vector<uint64_t> values;
    std::vector<ArgumentSpan> allSpans;
    std::vector<void *> copies;
    for (Memory &memory : memory_) {
      void *pointer = memory.data();
      if (isGpu_) {
        auto copy = allocateOn(device_, memory.size() + 64);
        if (!copy)
          return copy.takeFailure();
        copies.push_back(*copy);
        pointer = static_cast<char *>(*copy) + reinterpret_cast<uintptr_t>(memory.data()) % 64;
        if (auto copied = copyToDevice(device_, pointer, memory.data(), memory.size()); !copied)
          return copied;
      }
      const auto address = reinterpret_cast<uint64_t>(pointer);
      values.push_back(address);
      allSpans.push_back({address, address + memory.size(), address});
    }
    for (const ScalarPlan &scalar : emitted_.scalars) {
      values.push_back(uint64_t(scalar.value));
      allSpans.emplace_back();
    }
    std::vector<uint64_t> slots;
    std::vector<ArgumentSpan> spans;
    for (const LaunchParameter &parameter : kernel.artifact.plan.parameters) {
      slots.push_back(values[parameter.argument]);
      spans.push_back(allSpans[parameter.argument]);
    }
    std::optional<DriverOutput> output;
    if (isGpu_)
      output.emplace();
    Result<void> done = kernel.executable->isChecked()
                            ? kernel.executable->launchChecked(slots, spans, {emitted_.grid}, nullptr)
                            : kernel.executable->launch(slots, {emitted_.grid}, nullptr);
    if (isGpu_ && done)
      done = synchronizeDevice(device_);
    output.reset();
    for (size_t k = 0; k < copies.size(); ++k) {
      if (done)
        done = copyToHost(device_, memory_[k].data(), reinterpret_cast<void *>(values[k]), memory_[k].size());
      freeOn(device_, copies[k]);
    }
    return done;
  }

  const Memory &memory(size_t k) const { return memory_[k]; }

private:
  const Emitted &emitted_;
  bool isGpu_ = false;
  tw_device device_{};
  std::vector<Memory> memory_;
};

} // namespace

const char *kindName(Outcome::Kind kind) {
  static constexpr const char *names[] = {"same",      "refused", "not planted", "does not compile", "does not launch",
                                          "different", "a crash", "a hang"};
  return names[kind];
}

Outcome runKernel(const Emitted &emitted, const RunOptions &options) {
  const SourceFile file("random.py", emitted.text);
  auto reference = compileFor(emitted, file, "reference", 0);
  if (!reference)
    return {Outcome::NoCompile, "reference: " + reference.failure().message};
  const bool isGpu = options.engine.rfind("cuda", 0) == 0 || options.engine == "simulated";
  auto tested = compileFor(emitted, file, options.engine, options.plant);
  if (!tested) {
    const std::string &message = tested.failure().message;
    if (message == kNotPlanted)
      return {Outcome::NotPlanted, ""};
    if (isGpu && tested.failure().kind == ErrorKind::Kernel &&
        (message.find("cannot run") != std::string::npos ||
         // A GPU's dots have least shapes, which the language asks for there as upstream does.
         message.find("Input shapes should have") != std::string::npos))
      return {Outcome::Refused, message};
    return {Outcome::NoCompile, options.engine + ": " + message};
  }
  for (int launch = 0; launch < options.launches; ++launch) {
    const uint64_t seed = mix(emitted.seed, uint64_t(launch));
    Launch expected(emitted, "reference", seed), got(emitted, options.engine, seed);
    Printed expectedText;
    if (auto done = expected.run(*reference); !done)
      return {Outcome::NoLaunch, "reference: " + done.failure().message};
    Printed gotText;
    auto done = got.run(*tested);
    // As a kernel's own launch does, see runtime/Kernel.cpp.
    if (!done && done.failure().code == MessageCode::NeedsPlainCopies) {
      tested = compileFor(emitted, file, options.engine, options.plant, /*plainCopies=*/true);
      if (!tested)
        return {Outcome::NoCompile, options.engine + ": " + tested.failure().message};
      done = got.run(*tested);
    }
    if (!done)
      return {Outcome::NoLaunch, options.engine + ": " + done.failure().message};
    if (isGpu) {
      expectedText.sort();
      gotText.sort();
    }
    if (std::string wrong = expectedText.difference(gotText); !wrong.empty())
      return {Outcome::Different, "launch " + std::to_string(launch) + ": " + wrong};
    for (size_t k = 0; k < emitted.buffers.size(); ++k) {
      const std::string where = "launch " + std::to_string(launch) + ": ";
      if (std::string stray = got.memory(k).strayWrite(); !stray.empty())
        return {Outcome::Different, where + emitted.buffers[k].name + " is written " + stray};
      if (std::string wrong = difference(emitted.buffers[k], expected.memory(k), got.memory(k)); !wrong.empty())
        return {Outcome::Different, where + wrong};
    }
  }
  return {};
}

std::string dumpKernel(Emitted kernel, const std::string &path) {
  kernel.fusion = kernel.checked = false;
  const SourceFile file("random.py", kernel.text);
  auto reference = compileFor(kernel, file, "reference", 0);
  if (!reference)
    return reference.failure().message;
  Launch before(kernel, "reference", kernel.seed), after(kernel, "reference", kernel.seed);
  Printed printed;
  if (auto done = after.run(*reference); !done)
    return done.failure().message;
  std::ofstream(path + ".py") << kernel.file();
  std::ofstream bytes(path + ".bin", std::ios::binary);
  std::ofstream(path + ".txt") << printed.text();
  for (size_t k = 0; k < kernel.buffers.size(); ++k)
    for (const Launch *launch : {&before, &after})
      bytes.write(reinterpret_cast<const char *>(launch->memory(k).data()), std::streamsize(launch->memory(k).size()));
  return "";
}

} // namespace tilewise::random
