// libFuzzer's way in: any text -> tile IR or errors. It must neither crash nor hang nor leak, and
// what it emits must verify.
//
// The text's first line may be `#sig *fp32, i32, 64`: the signature for each kernel of the text.
// Without it every parameter gets something plausible. No file is ever read, and the budget is far
// below a user's, so that unrolling ends in milliseconds.
#include "frontend/Frontend.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdio>
#include <cstdlib>

using namespace tilewise;
using namespace tilewise::frontend;

/// Ops come in families: a pointer, an int, a float and a second pointer make most kernels
/// type-check somewhere.
static std::vector<ArgumentSpec> plausibleArguments(const KernelInfo &kernel) {
  static constexpr const char *kTypes[] = {"*fp32", "i32", "*i32", "fp32"};
  std::vector<ArgumentSpec> arguments;
  for (const ParameterInfo &parameter : kernel.parameters) {
    ArgumentSpec spec;
    spec.isConstant = parameter.isConstexpr;
    spec.text = parameter.isConstexpr ? "16" : kTypes[arguments.size() % 4];
    arguments.push_back(std::move(spec));
  }
  return arguments;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Types and attributes are unique per context and live as long as it does: a new one now and then
  // keeps memory bounded.
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 500 == 0)
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);

  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  std::optional<std::vector<ArgumentSpec>> given;
  if (text.consume_front("#sig ")) {
    auto [first, rest] = text.split('\n');
    if (auto parsed = parseSignature(first))
      given = std::move(*parsed);
    text = rest;
  }
  SourceFile file("fuzz.py", text.str());
  Diagnostics listing;
  unsigned count = 0;
  for (const KernelInfo &kernel : listKernels(file, listing)) {
    if (++count > 4)
      break;
    EmitRequest request;
    request.file = &file;
    request.kernel = kernel.name;
    request.arguments = given ? *given : plausibleArguments(kernel);
    request.readImport = [](const std::string &) { return std::nullopt; };
    request.maxSteps = 20'000;
    Diagnostics diagnostics;
    mlir::OwningOpRef<mlir::ModuleOp> module = emitTile(request, *context, diagnostics);
    // Rendering walks the places too.
    std::string rendered = diagnostics.render();
    if (request.isFault || (!module && !diagnostics.hasErrors())) {
      fprintf(stderr, "no tile IR, and no error of the kernel's: %s\n", rendered.c_str());
      abort();
    }
  }
  return 0;
}
