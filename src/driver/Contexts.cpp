// The context that the last compile of this thread used.
#include "driver/Contexts.h"

#include "driver/Compile.h"

namespace tilewise {

/// After so many the loading is a few thousandths of each compile, and a context holds some
/// megabytes.
static constexpr unsigned kMostUses = 32;

namespace {

struct KeptContext {
  unsigned uses = 0;
  std::unique_ptr<mlir::MLIRContext> context;
};

} // namespace

static thread_local KeptContext kept;

void KeepContext::operator()(mlir::MLIRContext *context) const {
  std::unique_ptr<mlir::MLIRContext> owned(context);
  if (!isSpoilt && uses < kMostUses)
    kept = {uses, std::move(owned)};
}

ContextHandle takeContext() {
  if (kept.context)
    return ContextHandle(kept.context.release(), KeepContext{kept.uses + 1});
  auto context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  context->appendDialectRegistry(registry);
  // Messages are for the kernel's author, who has never seen the op.
  context->printOpOnDiagnostic(false);
  return ContextHandle(context.release(), KeepContext{1});
}

} // namespace tilewise
