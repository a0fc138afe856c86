// Artifact <-> bytes: a magic word with a version, then each field in order, numbers little-endian,
// strings with their length.
#include "artifact/Artifact.h"
#include "support/Bytes.h"

#include "llvm/Support/xxhash.h"

namespace tilewise {

static constexpr llvm::StringLiteral kMagic = "TWA6";

std::string Artifact::serialize() const {
  ByteWriter body;
  body.string(target.str());
  body.string(target.cpuFeatures);
  body.string(kernel);
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
  body.number(plan.waits);
  for (uint8_t axis : plan.programOrder)
    body.number(axis);
  body.number(plan.threadsPerProgram);
  body.number(plan.sharedBytes);
  body.string(plan.delegatedOps);
  body.string(code);

  ByteWriter file;
  file.bytes = kMagic;
  file.number(llvm::xxh3_64bits(body.bytes));
  file.bytes += body.bytes;
  return file.bytes;
}

Result<Artifact> Artifact::deserialize(llvm::StringRef bytes) {
  if (!bytes.consume_front(kMagic))
    return launchFailure("not a Tilewise artifact of this version");
  ByteReader reader{bytes};
  uint64_t checksum = reader.number();
  if (reader.broken || checksum != llvm::xxh3_64bits(reader.rest))
    return launchFailure("a Tilewise artifact is damaged: its checksum does not match");

  Artifact artifact;
  Result<Target> target = Target::parse(reader.string());
  if (!target)
    return target.takeFailure();
  artifact.target = *target;
  artifact.target.cpuFeatures = reader.string();
  artifact.kernel = reader.string();
  uint64_t count = reader.number();
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
  artifact.plan.waits = reader.number() != 0;
  for (uint8_t &axis : artifact.plan.programOrder)
    axis = uint8_t(std::min<uint64_t>(reader.number(), 2));
  artifact.plan.threadsPerProgram = uint32_t(reader.number());
  artifact.plan.sharedBytes = uint32_t(reader.number());
  artifact.plan.delegatedOps = reader.string();
  artifact.code = reader.string();
  if (reader.broken || !reader.rest.empty())
    return launchFailure("a Tilewise artifact is damaged: it ends in the wrong place");
  return artifact;
}

} // namespace tilewise
