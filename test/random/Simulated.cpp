// Kernels for an NVIDIA GPU on the host, thread by thread.
#include "Simulated.h"

#include "ir/Tile.h"
#include "nvidia/NvidiaTesting.h"
#include "nvidia/ThreadSimulator.h"
#include "runtime/Log.h"
#include "target/gpu/Gpu.h"

namespace tilewise::random {
namespace {

/// Threads take turns in one order, and asynchronous work is done late; a launch that begins
/// another way round, or copies at once, must give the same.
class SimulatedExecutable : public Executable {
public:
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  unsigned way = 0;

  bool isChecked() const override { return true; }

  Result<void> launch(std::span<const uint64_t>, const LaunchGrid &, void *) override {
    return internalFailure("a simulated launch needs to know its memory");
  }

  Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan> spans,
                             const LaunchGrid &grid, void *) override {
    nvidiatest::Simulation simulation{*module, {arguments.begin(), arguments.end()}, {}, grid.size};
    for (const ArgumentSpan &span : spans)
      if (span.isKnown())
        simulation.memory.push_back({reinterpret_cast<const void *>(span.begin), size_t(span.end - span.begin)});
    for (int32_t argument : gpu::checkedArgumentsOf(*module)) {
      simulation.arguments.push_back(spans[argument].begin);
      simulation.arguments.push_back(spans[argument].end);
    }
    simulation.backwards = way != 0;
    simulation.copiesAtOnce = way == 2;
    way = (way + 1) % 3;
    std::string wrong = simulation.run();
    print(simulation.printed);
    if (!wrong.empty())
      return launchFailure("the simulator says: " + wrong);
    return {};
  }
};

} // namespace

Result<std::unique_ptr<Executable>> loadSimulated(const CompileRequest &request) {
  Result<std::string> tileIr = emitStage(request, "opt");
  if (!tileIr)
    return tileIr.takeFailure();
  if (tileIr->find("tile.inline_asm") != std::string::npos)
    return kernelFailure("the simulator cannot run PTX of a kernel's own");
  auto executable = std::make_unique<SimulatedExecutable>();
  executable->way = request.options.numStages % 3;
  executable->context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(executable->context.get(),
                                        [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  executable->module =
      nvidiatest::lowerTileIr(*tileIr, *executable->context, request.target.capability, request.options);
  if (!executable->module)
    return kernelFailure(said);
  return std::unique_ptr<Executable>(std::move(executable));
}

} // namespace tilewise::random
