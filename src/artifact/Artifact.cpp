// Artifact <-> bytes: a magic word, a checksum, the release that wrote it, then each field in
// order.
#include "artifact/Artifact.h"
#include "support/Bytes.h"

#include "llvm/Support/xxhash.h"

namespace tilewise {

static constexpr llvm::StringLiteral kMagic = "TWARTIFACT";

/// What releases that read each other's artifacts have in common: "0.1" of "0.1.7".
static llvm::StringRef minorVersion(llvm::StringRef version) { return version.rsplit('.').first; }

std::string Artifact::serialize() const {
  ByteWriter body;
  body.string(TILEWISE_VERSION);
  body.string(target.str());
  body.string(target.cpuFeatures);
  body.string(kernel);
  body.number(arguments.size());
  for (const ArtifactArgument &argument : arguments) {
    body.string(argument.name);
    body.string(argument.text);
    body.number(argument.isConstant);
    body.number(argument.divisibility);
  }
  body.number(plan.parameters.size());
  for (const LaunchParameter &parameter : plan.parameters) {
    body.string(parameter.name);
    body.number(parameter.argument);
    body.number(uint64_t(parameter.kind));
    body.number(parameter.bits);
    body.string(parameter.type);
    body.number(uint64_t(parameter.part));
    body.number(parameter.dimension);
  }
  body.number(plan.scratchBytes);
  body.number(plan.storedBytes);
  body.number(uint64_t(plan.waits) | uint64_t(plan.hasAtomics) << 1 | uint64_t(plan.updatesOnly) << 2 |
              uint64_t(plan.repeatsPrograms) << 3 | uint64_t(plan.aloneThreads) << 4);
  for (uint8_t axis : plan.programOrder)
    body.number(axis);
  body.number(plan.threadsPerProgram);
  body.number(plan.sharedBytes);
  body.number(plan.checkedParameters.size());
  for (uint32_t parameter : plan.checkedParameters)
    body.number(parameter);
  body.number(plan.tensorMaps.size());
  for (const TensorMapPlan &map : plan.tensorMaps) {
    const std::vector<int64_t> numbers = map.encode();
    body.number(numbers.size());
    for (int64_t number : numbers)
      body.number(uint64_t(number));
  }
  body.string(plan.delegatedOps);
  body.string(code);

  ByteWriter file;
  file.bytes = kMagic;
  file.number(llvm::xxh3_64bits(body.bytes));
  file.bytes += body.bytes;
  return std::move(file.bytes);
}

Result<Artifact> Artifact::deserialize(llvm::StringRef bytes) {
  if (!bytes.consume_front(kMagic))
    return launchFailure("these bytes are no Tilewise artifact");
  ByteReader reader{bytes};
  uint64_t checksum = reader.number();
  if (reader.broken || checksum != llvm::xxh3_64bits(reader.rest))
    return launchFailure("a Tilewise artifact is damaged: its checksum does not match");
  const std::string version = reader.string();
  if (minorVersion(version) != minorVersion(TILEWISE_VERSION))
    return launchFailure("this artifact was made by Tilewise " + version +
                         ", and this is Tilewise " TILEWISE_VERSION
                         ": artifacts serve within one minor version; make it anew from the kernel's text");

  Artifact artifact;
  Result<Target> target = Target::parse(reader.string());
  if (!target)
    return target.takeFailure();
  artifact.target = *target;
  artifact.target.cpuFeatures = reader.string();
  artifact.kernel = reader.string();
  uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    ArtifactArgument argument;
    argument.name = reader.string();
    argument.text = reader.string();
    argument.isConstant = reader.number() != 0;
    argument.divisibility = uint32_t(reader.number());
    artifact.arguments.push_back(std::move(argument));
  }
  count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    LaunchParameter parameter;
    parameter.name = reader.string();
    parameter.argument = uint32_t(reader.number());
    parameter.kind = ScalarKind(reader.number());
    parameter.bits = uint8_t(reader.number());
    parameter.type = reader.string();
    parameter.part = ParameterPart(reader.number());
    parameter.dimension = uint8_t(reader.number());
    artifact.plan.parameters.push_back(std::move(parameter));
  }
  artifact.plan.scratchBytes = uint32_t(reader.number());
  artifact.plan.storedBytes = reader.number();
  const uint64_t flags = reader.number();
  artifact.plan.waits = flags & 1;
  artifact.plan.hasAtomics = flags & 2;
  artifact.plan.updatesOnly = flags & 4;
  artifact.plan.repeatsPrograms = flags & 8;
  artifact.plan.aloneThreads = uint32_t(flags >> 4);
  for (uint8_t &axis : artifact.plan.programOrder)
    axis = uint8_t(std::min<uint64_t>(reader.number(), 2));
  artifact.plan.threadsPerProgram = uint32_t(reader.number());
  artifact.plan.sharedBytes = uint32_t(reader.number());
  count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i)
    artifact.plan.checkedParameters.push_back(uint32_t(reader.number()));
  count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    std::vector<int64_t> numbers;
    for (uint64_t left = reader.number(); left && !reader.broken; --left)
      numbers.push_back(int64_t(reader.number()));
    artifact.plan.tensorMaps.push_back(TensorMapPlan::decode(numbers));
  }
  artifact.plan.delegatedOps = reader.string();
  artifact.code = reader.string();
  if (reader.broken || !reader.rest.empty())
    return launchFailure("a Tilewise artifact is damaged: it ends in the wrong place");
  return artifact;
}

} // namespace tilewise
