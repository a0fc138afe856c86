// Reference artifacts: the tile IR, parsed once and executed at every launch.
#include "reference/Reference.h"
#include "runtime/Executable.h"
#include "runtime/Interrupt.h"
#include "runtime/Log.h"

namespace tilewise {

namespace {
class ReferenceExecutable : public Executable {
public:
  explicit ReferenceExecutable(std::unique_ptr<reference::Program> program) : program_(std::move(program)) {}

  Result<void> launch(std::span<const uint64_t> arguments, const LaunchGrid &grid, void *stream) override {
    return launchChecked(arguments, {}, grid, stream);
  }

  bool isChecked() const override { return true; }
  Result<void> launchChecked(std::span<const uint64_t> arguments, std::span<const ArgumentSpan> spans,
                             const LaunchGrid &grid, void *) override {
    Interruption interruption;
    reference::LaunchServices services{
        {spans.data(), spans.size()}, [](llvm::StringRef text) { print(text.str()); }, {}};
    if (interruption.canHappen())
      services.interrupted = [&] { return interruption.isWanted(); };
    services.cooperative = grid.cooperative;
    return program_->run({arguments.data(), arguments.size()}, grid.size, services);
  }

private:
  std::unique_ptr<reference::Program> program_;
};
} // namespace

Result<std::unique_ptr<Executable>> loadReferenceExecutable(const Artifact &artifact) {
  auto program = reference::Program::load(artifact);
  if (!program)
    return program.takeFailure();
  return std::unique_ptr<Executable>(std::make_unique<ReferenceExecutable>(std::move(*program)));
}

} // namespace tilewise
