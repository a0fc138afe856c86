// tilewise build: a kernel compiled ahead of time, as an object library with a C header.
#include "aot/GpuHeader.h"
#include "aot/Header.h"
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "driver/Compile.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise build FILE[:KERNEL] --signature "..." [options]

Compiles a kernel ahead of time, for programs that have no Tilewise. Writes NAME.h, a C header with a typed launch
function, and what that calls:

  for a CPU          libNAME.a, to be linked
  for cuda:N         NAME.ptx, to be loaded by the driver; the header says how to launch it

options:
  --signature "..."  types, divisors and constants of the arguments, as 'tilewise emit' takes them; repeated, the launch
                     function takes the first that its arguments fit, so the most special comes first
  --target=TARGET    cpu:x86-64 (default, runs on every 64-bit x86), cpu:x86-64-v3, cpu:x86-64-v4, cpu:NAME, cpu (this
                     processor), or cuda:CAPABILITY; repeated, the launch function takes the first that it can run
  --name=NAME        of the launch function and the files (default: the kernel's)
  -o DIR             folder for the files (default: .)
  --num-warps=N, --num-stages=N   of a GPU program
  --no-fp-fusion     keep a * b + c as two roundings
  --define NAME=VALUE gives a module-level name a value; may be repeated

example:
  tilewise build kernels/softmax.py --signature "*fp32, *fp32, i32, i32, i32, 1024" --target=cpu:x86-64-v3
      --target=cpu:x86-64 -o build
)";

namespace {

struct Wanted {
  std::vector<std::string> signatures, targets;
  std::string name, folder;
  CompileRequest request;
};

/// Files appear whole or not at all: a build tool looks at their times.
Result<void> writeFile(const std::string &path, llvm::StringRef content) {
  auto failure = [&](std::error_code error) {
    return launchFailure("cannot write '" + path + "': " + error.message());
  };
  auto file = llvm::sys::fs::TempFile::create(path + ".%%%%%%.tmp");
  if (!file)
    return failure(llvm::errorToErrorCode(file.takeError()));
  std::error_code error;
  {
    llvm::raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    os << content;
    os.flush();
    error = os.error();
    os.clear_error();
  }
  if (!error)
    error = llvm::errorToErrorCode(file->keep(path));
  else
    llvm::consumeError(file->discard());
  return error ? Result<void>(failure(error)) : Result<void>();
}

Result<Artifact> compileFor(const Wanted &wanted, const std::string &signature, const std::string &target,
                            const std::string &entry) {
  CompileRequest request = wanted.request;
  TILEWISE_TRY(request.target, Target::parse(target));
  TILEWISE_TRY(request.kernel.arguments, frontend::parseSignature(signature));
  request.entry = entry;
  Diagnostics diagnostics;
  CompileObserver observer;
  observer.diagnostics = &diagnostics;
  Result<Artifact> artifact = compile(request, observer);
  if (artifact)
    for (const Diagnostic &diagnostic : diagnostics.all())
      renderDiagnostic(diagnostic, llvm::errs());
  return artifact;
}

Result<void> buildForCpu(const Wanted &wanted, const std::string &origin) {
  aot::Build build{wanted.name, origin, {}, {}};
  for (llvm::StringRef target : wanted.targets)
    build.processors.push_back(target == "cpu" ? "that of the build" : target.split(':').second.str());
  std::vector<llvm::NewArchiveMember> members;
  for (auto [number, signature] : llvm::enumerate(wanted.signatures)) {
    aot::Variant variant;
    for (auto [place, target] : llvm::enumerate(wanted.targets)) {
      const std::string entry = wanted.name + "_code_" + std::to_string(number) + "_" + std::to_string(place);
      TILEWISE_TRY(Artifact artifact, compileFor(wanted, signature, target, entry));
      variant.code.push_back(std::move(artifact));
    }
    build.variants.push_back(std::move(variant));
  }
  TILEWISE_TRY(const std::string header, aot::writeHeader(build));
  for (const aot::Variant &variant : build.variants)
    for (const Artifact &artifact : variant.code) {
      members.emplace_back(llvm::MemoryBufferRef(artifact.code, ""));
      members.back().MemberName = artifact.kernel;
    }
  auto archive = llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NormalSymtab,
                                            llvm::object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false);
  if (!archive)
    return internalFailure("cannot make an archive: " + llvm::toString(archive.takeError()));
  TILEWISE_CHECK(writeFile(wanted.folder + "/lib" + wanted.name + ".a", (*archive)->getBuffer()));
  return writeFile(wanted.folder + "/" + wanted.name + ".h", header);
}

Result<void> buildForGpu(const Wanted &wanted, const std::string &origin) {
  if (wanted.targets.size() != 1 || wanted.signatures.size() != 1)
    return launchFailure(
        "a build for a GPU has one target and one signature; make one build each, with a --name of its "
        "own");
  TILEWISE_TRY(const Artifact artifact, compileFor(wanted, wanted.signatures[0], wanted.targets[0], wanted.name));
  TILEWISE_TRY(const std::string header, aot::writeGpuHeader(wanted.name, origin, artifact));
  TILEWISE_CHECK(writeFile(wanted.folder + "/" + wanted.name + ".ptx", artifact.code));
  return writeFile(wanted.folder + "/" + wanted.name + ".h", header);
}

} // namespace

int buildCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  Wanted wanted;
  LaunchOptions &options = wanted.request.options;
  wanted.signatures = arguments.takeValues("--signature");
  wanted.targets = arguments.takeValues("--target");
  wanted.name = arguments.takeValue("--name").value_or("");
  wanted.folder = arguments.takeValue("-o").value_or(".");
  options.fpFusion = !arguments.takeFlag("--no-fp-fusion");
  options.numWarps = arguments.takeNumber("--num-warps", 1).value_or(options.numWarps);
  options.numStages = arguments.takeNumber("--num-stages", 1).value_or(options.numStages);
  options.lineTables = false;
  for (llvm::StringRef define : arguments.takeValues("--define")) {
    auto [name, value] = define.split('=');
    wanted.request.kernel.defines[name] = value.str();
  }
  const std::vector<std::string> rest = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("build", arguments.problem());
  if (rest.size() != 1)
    return reportUsage("build", rest.empty() ? "a kernel file is missing" : "one kernel file is expected");
  if (wanted.signatures.empty())
    return reportUsage("build", "--signature is missing");
  if (wanted.targets.empty())
    wanted.targets = {"cpu:x86-64"};
  Result<KernelFile> file = openKernel(rest.front());
  if (!file)
    return report(file.failure());
  wanted.request.kernel.file = file->file.get();
  wanted.request.kernel.kernel = file->kernel.name;
  if (wanted.name.empty())
    wanted.name = file->kernel.name;
  if (!llvm::all_of(wanted.name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) || llvm::isDigit(wanted.name[0]))
    return reportUsage("build", "--name '" + wanted.name + "' is no name in C");
  if (auto error = llvm::sys::fs::create_directories(wanted.folder))
    return report(launchFailure("cannot make the folder '" + wanted.folder + "': " + error.message()));

  const std::string origin = file->file->path().str() + ":" + file->kernel.name;
  const bool isForGpu = llvm::any_of(wanted.targets, [](llvm::StringRef one) { return one.starts_with("cuda"); });
  Result<void> built = isForGpu ? buildForGpu(wanted, origin) : buildForCpu(wanted, origin);
  if (!built)
    return report(built.failure());
  return kDone;
}

} // namespace tilewise::cli
