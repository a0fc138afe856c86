// A kernel of a source text: binds launch arguments, compiles on first use of a signature,
// launches.
//
// The steady state of `launch` is: bind, write the key, look it up, fill the slots, call. It takes
// no lock, allocates nothing (for up to 64 parameters and 128 words of key) and touches no type of
// LLVM.
#pragma once

#include "artifact/LaunchOptions.h"
#include "runtime/LaunchLints.h"
#include "runtime/LaunchTable.h"
#include "runtime/Specialize.h"
#include "runtime/VariantCache.h"
#include "support/Error.h"
#include "support/Knobs.h"
#include "tilewise/tilewise.h"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilewise {

struct Artifact;
class Executable;
struct Resources;
class SourceFile;
struct Target;
struct CompileRequest;
struct CompiledKernel;

namespace frontend {
class Environment;
struct FunctionValue;
} // namespace frontend

/// The text of a kernel file with the names defined from outside; kernels share it. What is defined
/// or set later concerns kernels made later.
class Source {
public:
  static Result<std::shared_ptr<Source>> open(const std::string &path);
  static std::shared_ptr<Source> create(std::string text, std::string file, uint32_t firstLine);
  ~Source();

  Result<void> define(const std::string &name, const std::string &literal);
  /// Names resolve there instead of in the file; for hosts whose functions live in a running
  /// interpreter.
  void setEnvironment(std::shared_ptr<frontend::Environment> environment);
  /// Null for a file's own.
  frontend::Environment *environment() const;
  const SourceFile &file() const;

  /// The function of this name for kernels of other sources to call; its own names resolve in this
  /// source's environment.
  Result<std::shared_ptr<const frontend::FunctionValue>> function(const std::string &name);

  /// Parses at the first call.
  Result<void> parse();
  /// The kernels' names in the file's order, after `parse`.
  const std::vector<std::string> &kernels() const;

private:
  friend class Kernel;
  struct State;
  explicit Source(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// TILEWISE_CHECKED, read once: a launch is to cost little.
knobs::Checked checkedByDefault();

class Kernel {
public:
  /// An empty name means the file's only kernel.
  static Result<std::unique_ptr<Kernel>> create(std::shared_ptr<Source> source, const std::string &name);
  /// A kernel that was compiled before, in this process or another; it serves the one signature
  /// that it was compiled for. The bytes are Kernel::artifact's.
  static Result<std::unique_ptr<Kernel>> fromArtifact(const std::string &bytes);
  ~Kernel();

  const std::string &name() const { return name_; }
  const std::vector<Parameter> &parameters() const { return parameters_; }
  Result<void> specialize(size_t parameter, unsigned what);
  /// The same for every parameter.
  void specializeAll(unsigned what);
  Result<void> annotate(size_t parameter, const std::string &annotation);

  Result<void> launch(tw_device device, void *stream, std::span<const int64_t> grid,
                      std::span<const tw_argument> arguments, const LaunchOptions &options);
  /// Compiles for these arguments if that has not been done.
  Result<void> prepare(tw_device device, std::span<const tw_argument> arguments, const LaunchOptions &options);

  /// The number of the compile for these arguments, or -1.
  Result<int64_t> find(tw_device device, std::span<const tw_argument> arguments, const LaunchOptions &options) const;

  Result<std::string> signature(std::span<const tw_argument> arguments) const;
  Result<std::string> emit(const std::string &stage, const std::string &signature, const std::string &target,
                           const LaunchOptions &options) const;
  Result<std::string> artifact(const std::string &signature, const std::string &target,
                               const LaunchOptions &options) const;
  /// What the code for a signature takes; of a device it is loaded into, if it is to be.
  Result<Resources> resources(const std::string &signature, const std::string &target, const LaunchOptions &options,
                              bool load, tw_device device) const;
  /// What tells this kernel from others of its name: a hash over its text, or over the artifact.
  std::string identity() const;
  /// A hash over the code for these arguments and its plan, if it has been compiled.
  std::optional<uint64_t> codeHash(tw_device device, std::span<const tw_argument> arguments,
                                   const LaunchOptions &options) const;
  /// Null for a kernel from an artifact.
  const Source *source() const { return source_.get(); }
  const std::vector<std::pair<std::string, std::string>> &defines() const { return defines_; }
  size_t compileCount() const { return compiles_.load(std::memory_order_relaxed); }

private:
  /// A launch that has returned, for the profile; on a GPU it is waited for.
  Result<void> profileLaunch(tw_device device, void *stream, const std::array<uint32_t, 3> &grid,
                             std::span<const tw_argument> arguments, std::chrono::steady_clock::time_point start) const;
  /// How one slot of the code's arguments is filled.
  struct SlotRule {
    uint32_t parameter;
    ArgumentClass kind;
    tw_dtype type;
    ParameterPart part;
    uint8_t dimension;
  };
  struct Entry : CachedVariant {
    ~Entry();
    uint64_t hash;
    std::vector<uint64_t> key;
    int64_t number = 0; ///< How many compiles there were before it.
    std::vector<SlotRule> slots;
    LaunchLints lints;
    std::unique_ptr<Executable> executable;
    uint64_t codeHash = 0;
    Kernel *kernel = nullptr; ///< Whose table it is in.
  };

  Kernel(std::shared_ptr<Source> source, std::string name);
  class BoundLaunch;
  /// The caller is pinned, and may use the entry while it is.
  Result<Entry *> findOrCompile(tw_device device, const LaunchOptions &options, const LaunchKey &key);
  Entry *publish(std::unique_ptr<Entry> entry, bool mayBeEvicted);
  Result<std::unique_ptr<Entry>> compileEntry(tw_device device, const LaunchOptions &options, const LaunchKey &key,
                                              const std::string &reason) const;
  Result<CompiledKernel> compileFor(tw_device device, const LaunchOptions &options, const LaunchKey &key) const;
  /// Of a kernel from an artifact: its code, if it serves these arguments on this device.
  Result<CompiledKernel> artifactFor(tw_device device, const LaunchKey &key) const;
  Failure hasNoText(const std::string &wanted) const;
  CompileRequest request(std::vector<frontend::ArgumentSpec> arguments, const Target &target,
                         const LaunchOptions &options) const;
  Result<CompiledKernel> compileFor(const std::string &signature, const std::string &target,
                                    const LaunchOptions &options) const;
  Result<CompileRequest> request(const std::string &signature, const std::string &target,
                                 const LaunchOptions &options) const;

  const std::shared_ptr<Source> source_;
  const std::string name_;
  /// As they were in the source when the kernel was made.
  std::shared_ptr<frontend::Environment> environment_;
  std::vector<std::pair<std::string, std::string>> defines_;
  /// Of a kernel from an artifact, which has no source; else null.
  std::unique_ptr<const Artifact> artifact_;
  std::vector<Parameter> parameters_;
  /// What a launch is told that leaves arguments out: decorators that could have given them.
  std::string whyMissing_;
  LaunchTable<Entry> table_; ///< Its writes are guarded by the variant cache's mutex.
  std::atomic<size_t> compiles_{0};
};

} // namespace tilewise
