// The reference engine: parses and decodes a kernel once, then runs its programs, on several
// threads when they are independent.
#include "reference/Reference.h"

#include "ir/Tile.h"
#include "reference/Checked.h"
#include "support/Knobs.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <semaphore>
#include <thread>

using namespace mlir;

namespace tilewise::reference {
namespace {

// Starting a thread costs about as much as a few programs of a small kernel.
constexpr uint64_t kProgramsPerThread = 16;

// As the CPU engine, which gives each a thread, too.
constexpr uint64_t kMostCooperativePrograms = 1024;

struct Parameter {
  Slot slot;
  Kind kind;
};

void printToStandardOutput(StringRef text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

struct FrameDeleter {
  void operator()(std::byte *memory) const { ::operator delete[](memory, std::align_val_t(64)); }
};

class DecodedProgram : public Program {
public:
  static Result<std::unique_ptr<Program>> decode(func::FuncOp kernel, bool waits) {
    auto program = std::make_unique<DecodedProgram>();
    program->waits_ = waits;
    Decoder decoder;
    decoder.follow(findOffsets(kernel));
    for (BlockArgument argument : kernel.getArguments()) {
      auto name = kernel.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::TileDialect::kNameAttr);
      program->names_.push_back(name ? name.str() : "argument " + std::to_string(argument.getArgNumber()));
      auto kind = kindOf(argument.getType());
      Slot slot = decoder.slotOf(argument);
      if (kind)
        program->parameters_.push_back({slot, *kind});
    }
    Result<Code> code = decoder.decode(kernel.getBody().front());
    if (!code)
      return code.takeFailure();
    program->code_ = std::move(*code);
    program->prologue_ = std::move(decoder.prologue);
    program->overflowSites_ = std::move(decoder.overflowSites);
    program->frameBytes_ = decoder.frameBytes();
    program->sequential_ = decoder.hasAtomics || decoder.hasMessages;
    program->kernel_ = kernel.getName().str();
    return std::unique_ptr<Program>(std::move(program));
  }

  Result<void> run(llvm::ArrayRef<uint64_t> arguments, std::array<uint32_t, 3> grid,
                   const LaunchServices &services) override {
    if (arguments.size() != parameters_.size())
      return launchFailure("the kernel takes " + std::to_string(parameters_.size()) + " arguments, got " +
                           std::to_string(arguments.size()));
    uint64_t programs = uint64_t(grid[0]) * grid[1] * grid[2];
    uint64_t threads = std::clamp<uint64_t>(programs / kProgramsPerThread, 1, threadLimit());
    if (isCounting)
      countLaunch(programs);
    const bool sequential = sequential_ || waits_;
    LaunchContext context{services.spans, names_, overflowSites_,
                          services.print ? services.print : printToStandardOutput, services.interrupted};
    Launch launch{context, arguments, grid, programs, waits_ ? 1 : std::max<uint64_t>(1, programs / (threads * 8))};
    if (services.cooperative && programs > 1) {
      if (programs > kMostCooperativePrograms)
        return launchFailure("kernel '" + kernel_ + "': a cooperative launch on the reference engine has at most " +
                             std::to_string(kMostCooperativePrograms) + " programs, got " + std::to_string(programs));
      Turns turns(programs);
      context.interrupted = [&] {
        turns.passOn(turns.mine);
        return launch.failure || (services.interrupted && services.interrupted());
      };
      inTurns(launch, turns, services);
    } else if (sequential || threads == 1) {
      launch.working = 1;
      std::atomic<bool> stuck{false};
      if (waits_)
        context.interrupted = [&] {
          stuck = launch.isStuck();
          return stuck || (services.interrupted && services.interrupted());
        };
      work(launch);
      if (stuck)
        return launchFailure(
            "kernel '" + kernel_ + "': program " + std::to_string(launch.failedProgram) + " of " +
            std::to_string(programs) +
            " waits, and the programs after it begin when it has ended: one that waits for a higher one "
            "needs a cooperative launch (launch_cooperative_grid=True in Python, Options::cooperative in "
            "C++); TILEWISE_WAIT_SECONDS lets it wait longer");
    } else {
      launch.working = threads;
      std::vector<std::thread> helpers;
      for (uint64_t t = 1; t < threads; ++t)
        helpers.emplace_back([&] { work(launch); });
      work(launch);
      // The question may be one that only the launching thread can answer, so it goes on asking.
      while (context.interrupted && !launch.isDoneSoon())
        context.interrupted();
      for (std::thread &helper : helpers)
        helper.join();
    }
    if (launch.failure)
      return std::move(*launch.failure);
    return {};
  }

private:
  struct Launch {
    const LaunchContext &context;
    llvm::ArrayRef<uint64_t> arguments;
    std::array<uint32_t, 3> grid;
    uint64_t programs, chunk;
    std::atomic<uint64_t> next{0};
    std::mutex mutex = {};
    std::optional<Failure> failure = {};
    uint64_t failedProgram = 0;
    std::condition_variable left = {}; ///< A thread has no more to do.
    uint64_t working = 0;
    const std::chrono::seconds waitLimit{knobs::waitSeconds()};
    std::chrono::steady_clock::time_point programBegan = {};

    /// Of programs that run one after another: whether this one has waited too long for those after
    /// it.
    bool isStuck() const {
      return waitLimit.count() != 0 && next < programs && std::chrono::steady_clock::now() - programBegan > waitLimit;
    }
    bool isDoneSoon() {
      std::unique_lock lock(mutex);
      return left.wait_for(lock, std::chrono::milliseconds(50), [this] { return working == 0; });
    }
  };

  /// Whose turn it is among programs that live at once: one runs, until it asks whether to go on,
  /// and the next one follows.
  struct Turns {
    explicit Turns(uint64_t programs) : hasEnded(programs) {
      for (uint64_t i = 0; i < programs; ++i)
        turn.emplace_back(0);
    }

    std::deque<std::binary_semaphore> turn;
    std::vector<bool> hasEnded; ///< Written by the program whose turn it is.
    static thread_local uint64_t mine;

    /// To the next program that has not ended; false when there is none but `from`.
    bool give(uint64_t from) {
      for (uint64_t to = (from + 1) % turn.size(); to != from; to = (to + 1) % turn.size())
        if (!hasEnded[to]) {
          turn[to].release();
          return true;
        }
      return false;
    }
    void passOn(uint64_t from) {
      if (give(from))
        turn[from].acquire();
    }
  };

  /// A thread for each program; this one answers for the host meanwhile.
  void inTurns(Launch &launch, Turns &turns, const LaunchServices &services) {
    std::vector<std::thread> threads;
    launch.working = launch.programs;
    for (uint64_t i = 0; i < launch.programs; ++i)
      threads.emplace_back([&, i] {
        Turns::mine = i;
        turns.turn[i].acquire();
        runPrograms(launch, i);
        turns.hasEnded[i] = true;
        turns.give(i);
        std::lock_guard lock(launch.mutex);
        --launch.working;
        launch.left.notify_all();
      });
    turns.turn[0].release();
    while (!launch.isDoneSoon())
      if (services.interrupted)
        services.interrupted();
    for (std::thread &thread : threads)
      thread.join();
  }

  static uint64_t threadLimit() {
    return std::max(1u, knobs::numThreads().value_or(std::thread::hardware_concurrency()));
  }

  void work(Launch &launch) {
    runPrograms(launch);
    std::lock_guard lock(launch.mutex);
    --launch.working;
    launch.left.notify_all();
  }

  /// Takes chunks of programs in increasing order until none is left or one has failed; or runs
  /// only the one given.
  void runPrograms(Launch &launch, std::optional<uint64_t> only = {}) {
    std::unique_ptr<std::byte[], FrameDeleter> memory(
        static_cast<std::byte *>(::operator new[](std::max<size_t>(frameBytes_, 64), std::align_val_t(64))));
    std::memset(memory.get(), 0, frameBytes_);
    Frame frame;
    frame.memory = memory.get();
    frame.grid = launch.grid;
    frame.launch = &launch.context;
    for (auto [parameter, argument] : llvm::zip_equal(parameters_, launch.arguments)) {
      uint64_t bits = parameter.kind == Kind::Bool ? argument & 1 : argument;
      std::memcpy(frame.at<std::byte>(parameter.slot), &bits, bytesOf(parameter.kind));
    }
    prologue_.run(frame);
    while (true) {
      uint64_t begin = only.value_or(0), end = begin + 1;
      if (!only) {
        begin = launch.next.fetch_add(launch.chunk);
        end = std::min(begin + launch.chunk, launch.programs);
      }
      if (begin >= launch.programs)
        return;
      if (waits_)
        launch.programBegan = std::chrono::steady_clock::now();
      for (uint64_t linear = begin; linear < end; ++linear) {
        frame.program = {uint32_t(linear % launch.grid[0]), uint32_t(linear / launch.grid[0] % launch.grid[1]),
                         uint32_t(linear / launch.grid[0] / launch.grid[1])};
        if (launch.context.interrupted && launch.context.interrupted())
          frame.failure = launchFailure("the launch was interrupted");
        else if (code_.run(frame))
          continue;
        // Programs before this one are in chunks that were taken earlier and run to their end, so
        // the first to fail is always found. Of programs that live at once the others end because
        // of it.
        std::lock_guard lock(launch.mutex);
        if (!launch.failure || (!only && linear < launch.failedProgram)) {
          launch.failure = std::move(frame.failure);
          launch.failedProgram = linear;
        }
        launch.next = launch.programs;
        return;
      }
      if (only)
        return;
    }
  }

  Code prologue_, code_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> names_;
  std::vector<std::shared_ptr<OverflowSite>> overflowSites_;
  std::string kernel_;
  size_t frameBytes_ = 0;
  bool sequential_ = false;
  bool waits_ = false; ///< See LaunchPlan.
};

thread_local uint64_t DecodedProgram::Turns::mine = 0;

} // namespace

const LaunchContext &plainLaunch() {
  static const LaunchContext plain{{}, {}, {}, printToStandardOutput, {}};
  return plain;
}

Result<std::unique_ptr<Program>> Program::load(const Artifact &artifact) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<tile::TileDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect>();
  std::string messages;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(messages);
    os << diagnostic.getLocation() << ": " << diagnostic << '\n';
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(artifact.code, &context);
  if (!module)
    return internalFailure("the reference engine cannot read its tile IR:\n" + messages);
  func::FuncOp kernel = tile::kernelOf(*module);
  if (!kernel)
    return internalFailure("the reference engine was given a module without a kernel");
  return DecodedProgram::decode(kernel, artifact.plan.waits);
}

} // namespace tilewise::reference
