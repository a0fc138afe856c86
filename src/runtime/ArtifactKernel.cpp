// Kernels that were compiled before: an artifact's own list of arguments takes the place of a
// source text.
//
// Binding and keys stay as they are. Each parameter only concludes from values what the code was
// made for, so that every launch the code can serve has one and the same signature, and any other
// is refused.
#include "runtime/Kernel.h"

#include "driver/Recall.h"
#include "runtime/CompileEvents.h"
#include "runtime/Device.h"
#include "support/Try.h"

namespace tilewise {

/// What the code was made for, with constants written as launches write them: 0.5 and 0.50 are one.
static Result<std::vector<frontend::ArgumentSpec>> specsOf(const Artifact &artifact,
                                                           std::span<const Parameter> parameters) {
  std::vector<frontend::ArgumentSpec> specs;
  for (const auto &[argument, parameter] : llvm::zip(artifact.arguments, parameters)) {
    specs.push_back({argument.text, argument.isConstant, argument.divisibility});
    if (!argument.isConstant)
      continue;
    LaunchKey key;
    TILEWISE_CHECK(appendToKey(artifact.kernel, parameter, *parameter.defaultArgument, key));
    specs.back() = signatureOfKey(key.words(), 0).front();
  }
  return specs;
}

Result<std::unique_ptr<Kernel>> Kernel::fromArtifact(const std::string &bytes) {
  TILEWISE_TRY(Artifact read, Artifact::deserialize(bytes));
  std::unique_ptr<Kernel> kernel(new Kernel(nullptr, read.kernel));
  // At their final address: a default points into its parameter.
  kernel->parameters_.resize(read.arguments.size());
  for (size_t i = 0; i < read.arguments.size(); ++i) {
    const ArtifactArgument &argument = read.arguments[i];
    if (frontend::isPartName(argument.name))
      return launchFailure("kernel '" + read.kernel + "' takes a tuple, and such kernels are not launched from " +
                           "artifacts; give the tuple's elements as arguments of their own");
    if (argument.divisibility != 1 && argument.divisibility != 16)
      return launchFailure("kernel '" + read.kernel + "' was compiled for an argument '" + argument.name +
                           "' that is a multiple of " + std::to_string(argument.divisibility) +
                           "; launches tell multiples of 16 only");
    Parameter &parameter = kernel->parameters_[i];
    parameter.name = argument.name;
    parameter.isConstexpr = argument.isConstant;
    parameter.specialize = argument.divisibility == 16 ? TW_SPECIALIZE_DIVISIBILITY : TW_SPECIALIZE_NOTHING;
    if (argument.isConstant)
      parameter.defaultText = argument.text; // It may be left out, and else must be the same.
    else
      parameter.annotation = argument.text;
    parameter.readAnnotationAndDefault();
  }
  kernel->artifact_ = std::make_unique<const Artifact>(std::move(read));
  return kernel;
}

Result<CompiledKernel> Kernel::artifactFor(tw_device device, const LaunchKey &key) const {
  auto fail = [&](const std::string &what) {
    return launchFailure("kernel '" + name_ + "' comes from an artifact for " + artifact_->target.str() + what);
  };
  TILEWISE_TRY(Target here, deviceTarget(device));
  // Code for a GPU is PTX, which newer GPUs run, too.
  if (here.engine != artifact_->target.engine || here.capability < artifact_->target.capability)
    return fail(", and the launch is on " + here.str());
  const std::vector<frontend::ArgumentSpec> wanted = signatureOfKey(key.words(), kKeyHead);
  TILEWISE_TRY(const std::vector<frontend::ArgumentSpec> made, specsOf(*artifact_, parameters_));
  if (wanted != made)
    return fail(" and (" + frontend::printSignature(made) + "), and these arguments need (" +
                frontend::printSignature(wanted) + "): a number after a colon divides the address or the value; " +
                "compile the kernel's text for them, or give what it was compiled for");
  CompiledKernel kernel;
  kernel.artifact = *artifact_;
  return kernel;
}

Failure Kernel::hasNoText(const std::string &wanted) const {
  return launchFailure("kernel '" + name_ + "' comes from an artifact and has no text, so there is no " + wanted);
}

} // namespace tilewise
