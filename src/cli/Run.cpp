// tilewise run: a kernel on arrays from .npy files, through the public C interface.
#include "cli/ApiCalls.h"
#include "cli/CommandLine.h"
#include "cli/Npy.h"
#include "frontend/GridExpression.h"
#include "support/Knobs.h"
#include "support/Try.h"

#include "tilewise/tilewise.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <memory>
#include <unistd.h>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise run FILE[:KERNEL] --grid=G0[,G1[,G2]] [options] ARGUMENT...

Launches a kernel once. The grid's extents are numbers or expressions of the arguments, as in
--grid='cdiv(n, BLOCK)'. Each argument is for the next parameter, or as NAME=ARGUMENT for the
parameter of that name:

  x.npy                 an array, read from the file
  inout:x.npy           an array, read before the launch and written back after it
  out:z.npy:fp32[4,8]   a new array of zeros, written to the file after the launch
  42, -1.5, True, None  a number or a constant
  text:tl.float16       any other compile-time constant, as it would be written in the kernel

options:
  --device=DEVICE       reference, cpu (default), cuda or cuda:N
  --num-warps=N         warps of a GPU program (default 4)
  --num-stages=N        depth of software pipelining on a GPU (default 3)
  --debug               check tl.device_assert, assert and integer overflow
  --checked[=WHEN]      check accesses against the memory of the arguments: always, once (the default
                        without this option: in the first launch, not in those that --time adds),
                        warned (in kernels that -Wunmasked-access warns of) or never
  --define NAME=VALUE   give a module-level name a value; may be repeated
  --dump-dir=DIR        write every stage of the compile to files in DIR
  --time                launch it again and again, and print the time of the first of these launches, which
                        compiles, and the median of the rest

example:
  tilewise run kernels/vector_add.py --grid='cdiv(n, BLOCK)' x.npy y.npy out:z.npy:fp32[10000] 10000 BLOCK=1024
)";

namespace {

/// An array argument: its host copy, its tensor on the device, and the files it comes from and goes
/// to after the launch.
struct ArrayArgument {
  NpyArray array;
  Handle<tw_tensor> tensor;
  std::string readFrom, writeTo;
};

struct ParsedArguments {
  std::vector<std::unique_ptr<ArrayArgument>> arrays;
  /// Names and literals that tw_arguments point to.
  std::vector<std::unique_ptr<std::string>> texts;
  /// By the names of their parameters, for the grid.
  llvm::StringMap<std::string> numbers;
  std::vector<tw_argument> list;
  tw_device device;

  const char *keep(llvm::StringRef text) {
    texts.push_back(std::make_unique<std::string>(text.str()));
    return texts.back()->c_str();
  }
  Result<tw_argument> parse(llvm::StringRef text);
  Result<tw_argument> addArray(NpyArray array, std::string readFrom, std::string writeTo);
};

/// "z.npy:fp32[4,8]"
Result<NpyArray> parseNewArray(llvm::StringRef text, llvm::StringRef &path) {
  llvm::StringRef description;
  std::tie(path, description) = text.rsplit(':');
  auto [type, rest] = description.split('[');
  NpyArray array;
  array.type = type.str();
  bool wellFormed = !path.empty() && rest.consume_back("]");
  llvm::SmallVector<llvm::StringRef> extents;
  rest.split(extents, ',', -1, false);
  for (llvm::StringRef word : extents) {
    int64_t extent = 0;
    wellFormed &= !word.trim().getAsInteger(10, extent) && extent >= 0;
    array.shape.push_back(extent);
  }
  if (!wellFormed)
    return launchFailure("'out:" + text.str() + "' should name a file, a type and a shape, as out:z.npy:fp32[4,8]");
  if (npyElementSize(type) == 0)
    return launchFailure("'out:" + text.str() + "' has the unknown type '" + type.str() + "'; expected " + npyTypes());
  // As a float: the product may be beyond 64 bits.
  const auto memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  double bytes = npyElementSize(type);
  for (int64_t extent : array.shape)
    bytes *= double(extent);
  if (bytes > memory)
    return launchFailure("'out:" + text.str() + "' takes more memory than this machine has");
  array.bytes.resize(size_t(array.elements()) * npyElementSize(type));
  return array;
}

Result<tw_argument> ParsedArguments::addArray(NpyArray array, std::string readFrom, std::string writeTo) {
  auto argument = std::make_unique<ArrayArgument>();
  tw_dtype dtype = tw_dtype_parse(array.type.c_str());
  tw_tensor *tensor = nullptr;
  if (tw_status status = tw_tensor_create(device, dtype, array.shape.data(), array.shape.size(), &tensor))
    return lastFailure(status);
  argument->tensor.reset(tensor);
  if (tw_status status = tw_tensor_upload(tensor, array.bytes.data(), array.bytes.size()))
    return lastFailure(status);
  argument->array = std::move(array);
  argument->readFrom = std::move(readFrom);
  argument->writeTo = std::move(writeTo);
  tw_argument result = tw_pointer(tw_tensor_data(tensor), dtype);
  result.bytes = tw_tensor_bytes(tensor);
  arrays.push_back(std::move(argument));
  return result;
}

Result<tw_argument> ParsedArguments::parse(llvm::StringRef text) {
  llvm::StringRef rest = text;
  if (rest.consume_front("text:"))
    return tw_constant(keep(rest));
  if (rest.consume_front("out:")) {
    llvm::StringRef path;
    Result<NpyArray> array = parseNewArray(rest, path);
    if (!array)
      return array.takeFailure();
    return addArray(std::move(*array), "", path.str());
  }
  bool writeBack = rest.consume_front("inout:");
  if (writeBack || rest.ends_with(".npy")) {
    Result<NpyArray> array = readNpy(rest);
    if (!array)
      return array.takeFailure();
    return addArray(std::move(*array), rest.str(), writeBack ? rest.str() : "");
  }
  int64_t integer = 0;
  uint64_t large = 0;
  double real = 0;
  if (text == "True" || text == "False")
    return tw_bool(text == "True");
  if (text == "None")
    return tw_constant("None");
  if (!text.getAsInteger(0, integer))
    return tw_int(integer);
  if (!text.getAsInteger(0, large))
    return tw_uint(large);
  if (llvm::StringRef digits = text.ltrim("+-"); !digits.empty() && llvm::all_of(digits, llvm::isDigit))
    return launchFailure("the number " + text.str() + " needs more than 64 bits");
  if (!text.getAsDouble(real))
    return tw_float(real);
  const std::string wayOut = text.contains(".npy:") ? "; a new array is given as out:" + text.str()
                                                    : "; a constant's text is given as text:" + text.str();
  return launchFailure("'" + text.str() + "' is no .npy file, number or constant" + wayOut);
}

/// How the launch that writes the results is checked, and how those that are only timed are.
struct Checks {
  uint32_t result, timed;
};

/// Nothing for a word that is none. A launch that was in bounds is so again with the same
/// arguments: what is timed need not be checked.
std::optional<Checks> parseChecked(llvm::StringRef when) {
  return llvm::StringSwitch<std::optional<Checks>>(when)
      .Case("always", Checks{TW_CHECKED, TW_CHECKED})
      .Case("once", Checks{TW_CHECKED, 0})
      .Case("warned", Checks{TW_CHECKED_IF_WARNED, TW_CHECKED_IF_WARNED})
      .Case("never", Checks{0, 0})
      .Default(std::nullopt);
}

/// "1.234 ms", "56.7 us"
std::string timeText(double milliseconds) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (milliseconds < 1)
    out << llvm::format("%.1f us", milliseconds * 1000);
  else
    out << llvm::format("%.3f ms", milliseconds);
  return text;
}

Result<double> launchOnce(tw_kernel *kernel, const ParsedArguments &arguments, llvm::ArrayRef<int64_t> grid,
                          const tw_options &options) {
  auto start = std::chrono::steady_clock::now();
  if (tw_status status = tw_kernel_launch(kernel, arguments.device, nullptr, grid.data(), grid.size(),
                                          arguments.list.data(), arguments.list.size(), &options))
    return lastFailure(status);
  if (tw_status status = tw_device_synchronize(arguments.device))
    return lastFailure(status);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// Each word is for the next parameter, or for the one that it names.
Result<void> addArguments(tw_kernel *kernel, llvm::ArrayRef<std::string> words, ParsedArguments &arguments) {
  size_t position = 0;
  for (llvm::StringRef word : words) {
    auto [name, value] = splitArgument(word);
    TILEWISE_TRY(tw_argument argument, arguments.parse(value));
    arguments.list.push_back(name.empty() ? argument : tw_named(arguments.keep(name), argument));
    const char *parameter = name.empty() ? tw_kernel_parameter(kernel, position++).name : arguments.list.back().name;
    if (parameter && argument.kind >= TW_ARGUMENT_INT && argument.kind <= TW_ARGUMENT_BOOL)
      arguments.numbers[parameter] = value.str();
  }
  return {};
}

/// The values of parameters that the file gives them, for the grid.
void addDefaults(tw_kernel *kernel, ParsedArguments &arguments) {
  for (size_t i = 0; i < tw_kernel_parameter_count(kernel); ++i) {
    const tw_parameter parameter = tw_kernel_parameter(kernel, i);
    int64_t number = 0;
    if (!llvm::StringRef(parameter.default_value).getAsInteger(0, number))
      arguments.numbers.try_emplace(parameter.name, parameter.default_value);
  }
}

/// Whether what a grid could not be made of is a parameter.
bool namesParameter(llvm::StringRef problem, tw_kernel *kernel) {
  for (size_t i = 0; i < tw_kernel_parameter_count(kernel); ++i)
    if (problem.contains("the name '" + std::string(tw_kernel_parameter(kernel, i).name) + "' is not defined"))
      return true;
  return false;
}

/// That each parameter has a value.
Result<void> checkArguments(tw_kernel *kernel, const ParsedArguments &arguments) {
  char *signature = nullptr;
  if (tw_status status = tw_kernel_signature(kernel, arguments.list.data(), arguments.list.size(), &signature))
    return lastFailure(status);
  tw_free(signature);
  return {};
}

/// Launches until a fifth of a second has passed, at most a thousand times and at least three.
Result<std::vector<double>> launchMore(tw_kernel *kernel, const ParsedArguments &arguments,
                                       llvm::ArrayRef<int64_t> grid, const tw_options &options) {
  std::vector<double> times;
  for (double total = 0; times.size() < 3 || (total < 200 && times.size() < 1000);) {
    Result<double> next = launchOnce(kernel, arguments, grid, options);
    if (!next)
      return next.takeFailure();
    times.push_back(*next);
    total += *next;
  }
  llvm::sort(times);
  return times;
}

Result<void> printTimes(tw_kernel *kernel, const ParsedArguments &arguments, llvm::ArrayRef<int64_t> grid,
                        const tw_options &options) {
  TILEWISE_TRY(double first, launchOnce(kernel, arguments, grid, options));
  TILEWISE_TRY(std::vector<double> more, launchMore(kernel, arguments, grid, options));
  llvm::outs() << "first launch " << timeText(first) << ", then " << timeText(more[more.size() / 2])
               << ": the median of " << more.size() << ", the least " << timeText(more.front()) << '\n';
  return {};
}

/// Says so where the kernel wrote into an array that goes nowhere.
Result<void> writeResults(ParsedArguments &arguments) {
  for (auto &argument : arguments.arrays) {
    NpyArray &array = argument->array;
    const auto before = array.bytes;
    if (tw_status status = tw_tensor_download(argument->tensor.get(), array.bytes.data(), array.bytes.size()))
      return lastFailure(status);
    if (!argument->writeTo.empty()) {
      if (Result<void> written = writeNpy(argument->writeTo, array); !written)
        return written;
    } else if (array.bytes != before) {
      llvm::errs() << "note: the kernel wrote into '" << argument->readFrom
                   << "', and the file stays as it was; inout:" << argument->readFrom << " writes it back\n";
    }
  }
  return {};
}

} // namespace

int runCommand(Arguments &words) {
  if (words.takeFlag("--help")) {
    llvm::outs() << kHelp << warningsHelp();
    return kDone;
  }
  std::optional<std::string> gridText = words.takeValue("--grid");
  std::string deviceText = words.takeValue("--device").value_or("cpu");
  const Defines defines = words.takeDefines();
  tw_options options = {};
  options.struct_size = sizeof options;
  options.num_warps = words.takeNumber("--num-warps", 1).value_or(0);
  options.num_stages = words.takeNumber("--num-stages", 1).value_or(0);
  options.debug = words.takeFlag("--debug");
  const std::string checked = words.takeFlag("--checked") ? "always" : words.takeValue("--checked").value_or("once");
  const std::optional<Checks> checks = parseChecked(checked);
  bool time = words.takeFlag("--time");
  if (std::optional<std::string> dumpDir = words.takeValue("--dump-dir"))
    setenv("TILEWISE_DUMP_DIR", dumpDir->c_str(), /*overwrite=*/1);
  std::vector<std::string> warningFlags = words.takeWarnings();
  warningFlags.insert(warningFlags.begin(), knobs::warnings());
  if (tw_set_warnings(llvm::join(warningFlags, ",").c_str()) != TW_OK)
    return reportUsage("run", tw_last_error());
  logToStandardError();
  std::vector<std::string> rest = words.takeRest();
  if (!words.problem().empty())
    return reportUsage("run", words.problem());
  if (rest.empty())
    return reportUsage("run", "a kernel file is missing");
  if (!gridText)
    return reportUsage("run", "--grid is missing");
  if (!checks)
    return reportUsage("run", "--checked is always, once, warned or never, got '" + checked + "'");

  ParsedArguments arguments;
  if (tw_status status = tw_device_parse(deviceText.c_str(), &arguments.device))
    return report(lastFailure(status));
  Result<Handle<tw_kernel>> kernel = createKernel(rest[0], defines);
  if (!kernel)
    return report(kernel.failure());
  if (Result<void> added = addArguments(kernel->get(), llvm::ArrayRef(rest).drop_front(), arguments); !added)
    return report(added.failure());
  addDefaults(kernel->get(), arguments);
  Result<std::vector<int64_t>> grid = frontend::evaluateGrid(*gridText, arguments.numbers);
  if (!grid) {
    // A grid of a parameter that has no value: that it is missing, and why, says more than that a
    // name is not defined.
    Result<void> complete = checkArguments(kernel->get(), arguments);
    if (!complete && namesParameter(grid.failure().message, kernel->get()))
      return report(complete.failure());
    return reportUsage("run", "--grid: " + grid.failure().message);
  }

  options.checked = checks->result;
  if (Result<double> launched = launchOnce(kernel->get(), arguments, *grid, options); !launched)
    return report(launched.failure());
  if (Result<void> written = writeResults(arguments); !written)
    return report(written.failure());
  options.checked = checks->timed;
  if (!time)
    return kDone;
  Result<void> timed = printTimes(kernel->get(), arguments, *grid, options);
  return timed ? kDone : report(timed.failure());
}

} // namespace tilewise::cli
