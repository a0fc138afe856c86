// tilewise build: a kernel compiled ahead of time, as an object library with a C header.
#include "aot/GpuSource.h"
#include "aot/Header.h"
#include "aot/NamesInC.h"
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "driver/Compile.h"
#include "frontend/KernelNames.h"
#include "frontend/python/ModuleLoader.h"
#include "runtime/CudaAssembler.h"
#include "runtime/tune/Config.h"
#include "support/Try.h"
#include "target/PtxTools.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise build FILE[:KERNEL] --signature "..." [options]

Compiles a kernel ahead of time, for programs that need no Tilewise at run time. Writes NAME.h, a C header with a typed
launch function, and its implementation:

  for a CPU          libNAME.a, to be linked with the program
  for cuda:N         NAME.c, to be compiled with the program. It contains PTX, and machine code if ptxas is found, and
                     opens the CUDA driver itself. The PTX is also written beside it

options:
  --signature "..."  types, divisors and constants of the arguments, as for 'tilewise emit'. May be repeated: the launch
                     function uses the first signature that matches its arguments, so give the most specialised first
  --target=TARGET    cpu:x86-64 (default, runs on every 64-bit x86), cpu:x86-64-v3, cpu:x86-64-v4, cpu:NAME, cpu (this
                     processor), or cuda:CAPABILITY. May be repeated: the launch function uses the first target that the
                     processor can run, or the one that matches the GPU
  --config "..."     constants by name, num_warps and num_stages, as 'tilewise tune' reports them: "BLOCK=512,
                     num_warps=8". One for all signatures, or one for each, in their order
  --name=NAME        name of the launch function and of the files (default: the kernel's)
  -o DIR             folder for the files (default: .)
  --depfile=FILE     write which files were read, in make's form, for tools that build again what has changed
  --num-warps=N, --num-stages=N   warps and pipeline stages of a GPU program
  --no-fp-fusion     keep a * b + c as two roundings
  --define NAME=VALUE gives a module-level name a value; may be repeated

example:
  tilewise build kernels/softmax.py --signature "*fp32, *fp32, i32, i32, i32, 1024" --target=cpu:x86-64-v3
      --target=cpu:x86-64 -o build
)";

namespace {

struct Wanted {
  std::vector<std::string> signatures, targets, configs;
  std::vector<std::string> parameters; ///< The kernel's, in order.
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

/// Which files the outputs are made from.
Result<void> writeDepfile(const std::string &path, llvm::ArrayRef<std::string> outputs,
                          const std::set<std::string> &inputs) {
  auto escaped = [](llvm::StringRef name) {
    std::string text;
    for (char c : name)
      text += (c == ' ' || c == '#' || c == '\\' ? "\\" : c == '$' ? "$" : "") + std::string(1, c);
    return text;
  };
  std::string text;
  for (const std::string &output : outputs)
    text += (text.empty() ? "" : " ") + escaped(output);
  text += ":";
  for (const std::string &input : inputs)
    text += " \\\n  " + escaped(input);
  return writeFile(path, text + "\n");
}

/// "BLOCK=512, num_warps=8", in place of what the signature and the options say.
Result<void> applyConfig(const Wanted &wanted, const std::string &config, CompileRequest &request) {
  TILEWISE_TRY(const auto items, tune::Config::items(config));
  for (const auto &[name, value] : items) {
    uint32_t *option = name == "num_warps"    ? &request.options.numWarps
                       : name == "num_stages" ? &request.options.numStages
                                              : nullptr;
    if (option) {
      if (value.getAsInteger(10, *option) || *option == 0)
        return launchFailure("--config: " + name.str() + " is a number of at least 1, got '" + value.str() + "'");
      continue;
    }
    const auto found = llvm::find(wanted.parameters, name);
    if (found == wanted.parameters.end())
      return launchFailure("--config '" + config + "': expected NAME=VALUE of parameters of the kernel (" +
                           llvm::join(wanted.parameters, ", ") + "), num_warps or num_stages; got '" + name.str() +
                           "=" + value.str() + "'");
    const auto index = size_t(found - wanted.parameters.begin());
    auto &arguments = request.kernel.arguments;
    arguments.resize(std::max(arguments.size(), index + 1));
    arguments[index] = {value.str(), /*isConstant=*/true, 1};
  }
  for (auto [index, argument] : llvm::enumerate(request.kernel.arguments))
    if (argument.text.empty())
      return launchFailure("--config '" + config + "': neither it nor the signature has an entry for '" +
                           wanted.parameters[index] + "'");
  return {};
}

/// Signature number `number` for a target.
Result<Artifact> compileFor(const Wanted &wanted, size_t number, const std::string &target, const std::string &entry) {
  CompileRequest request = wanted.request;
  TILEWISE_TRY(request.target, Target::parse(target));
  TILEWISE_TRY(request.kernel.arguments, frontend::parseSignature(wanted.signatures[number]));
  if (!wanted.configs.empty())
    TILEWISE_CHECK(applyConfig(wanted, wanted.configs[wanted.configs.size() == 1 ? 0 : number], request));
  request.entry = entry;
  Diagnostics diagnostics;
  CompileObserver observer;
  observer.diagnostics = &diagnostics;
  Result<Artifact> artifact = compile(request, observer);
  if (artifact)
    for (const Diagnostic &diagnostic : diagnostics.all()) {
      std::string text;
      llvm::raw_string_ostream os(text);
      renderDiagnostic(diagnostic, os);
      tellOnce(text);
    }
  return artifact;
}

Result<void> buildForCpu(const Wanted &wanted, const std::string &origin) {
  aot::Build build{wanted.name, origin, {}, {}};
  for (llvm::StringRef target : wanted.targets) {
    TILEWISE_TRY(const Target parsed, Target::parse(target));
    if (parsed.engine != Engine::Cpu)
      return launchFailure("--target=" + target.str() + " leaves no code for a program: expected cpu, cpu:NAME or " +
                           "cuda:CAPABILITY");
    if (target == "cpu" && wanted.targets.size() > 1)
      return launchFailure("--target=cpu is the processor of the build, and is built alone: name its level, as in " +
                           std::string("cpu:x86-64-v3"));
    build.processors.push_back(target == "cpu" ? "that of the build" : target.split(':').second.str());
  }
  std::vector<llvm::NewArchiveMember> members;
  for (size_t number = 0; number < wanted.signatures.size(); ++number) {
    aot::Variant variant;
    for (auto [place, target] : llvm::enumerate(wanted.targets)) {
      const std::string entry = wanted.name + "_code_" + std::to_string(number) + "_" + std::to_string(place);
      TILEWISE_TRY(Artifact artifact, compileFor(wanted, number, target, entry));
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
  aot::GpuBuild build{wanted.name, origin, {}, {}};
  const std::string ptxas = findPtxas();
  if (ptxas.empty())
    llvm::errs() << "tilewise build: no ptxas was found (TILEWISE_PTXAS names one): the code is PTX alone, which the "
                    "driver assembles when it is loaded\n";
  for (const std::string &target : wanted.targets) {
    TILEWISE_TRY(const Target parsed, Target::parse(target));
    if (parsed.engine != Engine::Nvidia)
      return launchFailure("a build is for GPUs or for CPUs, and '" + target +
                           "' is another kind than the rest; make two builds with names of their own");
    build.capabilities.push_back(parsed.capability);
  }
  std::vector<std::pair<std::string, std::string>> texts;
  for (size_t number = 0; number < wanted.signatures.size(); ++number) {
    aot::GpuVariant variant;
    for (auto [place, target] : llvm::enumerate(wanted.targets)) {
      TILEWISE_TRY(Artifact artifact, compileFor(wanted, number, target, wanted.name));
      std::string assembled;
      if (!ptxas.empty()) {
        TILEWISE_TRY(assembled, cuda::assembleOrRecall(ptxas, artifact.code, build.capabilities[place]));
      }
      std::string file = wanted.name;
      if (wanted.signatures.size() > 1)
        file += "_" + std::to_string(number);
      if (wanted.targets.size() > 1)
        file += "_sm" + std::to_string(build.capabilities[place]);
      texts.emplace_back(file + ".ptx", artifact.code);
      variant.code.push_back(std::move(artifact));
      variant.assembled.push_back(std::move(assembled));
    }
    build.variants.push_back(std::move(variant));
  }
  TILEWISE_TRY(const aot::GpuFiles files, aot::writeGpuSource(build));
  for (const auto &[name, ptx] : texts)
    TILEWISE_CHECK(writeFile(wanted.folder + "/" + name, ptx));
  TILEWISE_CHECK(writeFile(wanted.folder + "/" + wanted.name + ".c", files.source));
  return writeFile(wanted.folder + "/" + wanted.name + ".h", files.header);
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
  wanted.configs = arguments.takeValues("--config");
  wanted.name = arguments.takeValue("--name").value_or("");
  wanted.folder = arguments.takeValue("-o").value_or(".");
  const std::string depfile = arguments.takeValue("--depfile").value_or("");
  options.fpFusion = !arguments.takeFlag("--no-fp-fusion");
  options.numWarps = arguments.takeNumber("--num-warps", 1).value_or(options.numWarps);
  options.numStages = arguments.takeNumber("--num-stages", 1).value_or(options.numStages);
  options.lineTables = false;
  // The C that is written launches by the driver alone.
  options.plainCopies = true;
  for (const auto &[name, value] : arguments.takeDefines())
    wanted.request.kernel.defines[name] = value;
  const std::vector<std::string> rest = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("build", arguments.problem());
  if (rest.size() != 1)
    return reportUsage("build", rest.empty() ? "a kernel file is missing" : "one kernel file is expected");
  if (wanted.signatures.empty())
    return reportUsage("build", "--signature is missing");
  if (wanted.configs.size() > 1 && wanted.configs.size() != wanted.signatures.size())
    return reportUsage("build", "one --config is for all signatures, several are one for each: got " +
                                    std::to_string(wanted.configs.size()) + " for " +
                                    std::to_string(wanted.signatures.size()));
  if (wanted.targets.empty())
    wanted.targets = {"cpu:x86-64"};
  for (auto at = wanted.targets.begin(); at != wanted.targets.end(); ++at)
    if (std::find(wanted.targets.begin(), at, *at) != at)
      return reportUsage("build", "--target=" + *at + " is given twice");
  Result<KernelFile> file = openKernel(rest.front());
  if (!file)
    return report(file.failure());
  for (llvm::StringRef name : wanted.request.kernel.defines.keys())
    if (Result<void> known = frontend::checkDefined(*file->file, name); !known)
      return report(known.failure());
  wanted.request.kernel.file = file->file.get();
  wanted.request.kernel.kernel = file->kernel.name;
  for (const frontend::ParameterInfo &parameter : file->kernel.parameters)
    wanted.parameters.push_back(parameter.name);
  if (wanted.name.empty() && !aot::isNameInC(file->kernel.name))
    return reportUsage("build", "the kernel's name '" + file->kernel.name +
                                    "' is no name for a function of C and C++ here; give another one by --name");
  if (wanted.name.empty())
    wanted.name = file->kernel.name;
  if (!aot::isNameInC(wanted.name))
    return reportUsage("build", "--name '" + wanted.name + "' is no name for a function of C and C++ here");
  if (auto error = llvm::sys::fs::create_directories(wanted.folder))
    return report(launchFailure("cannot make the folder '" + wanted.folder + "': " + error.message()));

  std::set<std::string> inputs = {file->file->path().str()};
  wanted.request.kernel.readImport = [&](const std::string &path) {
    std::optional<std::string> text = frontend::ModuleLoader::readFile(path);
    if (text)
      inputs.insert(path);
    return text;
  };
  const std::string origin = file->file->path().str() + ":" + file->kernel.name;
  const bool isForGpu = llvm::any_of(wanted.targets, [](llvm::StringRef one) { return one.starts_with("cuda"); });
  Result<void> built = isForGpu ? buildForGpu(wanted, origin) : buildForCpu(wanted, origin);
  if (built && !depfile.empty())
    built = writeDepfile(depfile,
                         {wanted.folder + "/" + wanted.name + ".h",
                          wanted.folder + (isForGpu ? "/" : "/lib") + wanted.name + (isForGpu ? ".c" : ".a")},
                         inputs);
  if (!built)
    return report(built.failure());
  return kDone;
}

} // namespace tilewise::cli
