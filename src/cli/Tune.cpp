// tilewise tune: the fastest config of a kernel on this machine, from its decorator, from the
// command line, or by exploring its block sizes. On the machines of a cluster: StartPython.cpp.
#include "cli/ApiCalls.h"
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "frontend/builtins/Builtins.h"
#include "frontend/python/FileEnvironment.h"
#include "runtime/tune/Results.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise tune FILE[:KERNEL] --grid=EXPRESSION[,...] [options] ARGUMENT...
       tilewise tune --merge=FILE... --save=FILE

Finds the fastest config of a kernel for these arguments on this machine, and keeps it for later processes. Each argument
is for the next parameter, or as NAME=ARGUMENT for the parameter of that name:

  fp32[512,512]      a tensor, filled with numbers from -1 to 1
  42, -1.5, True, None   a number or constant
  text:tl.float16    any other compile-time constant, as it would be written in the kernel

The grid is one to three expressions over the arguments and the config: 'cdiv(n, BLOCK)'. The configs are those of
--config, else those of the kernel's @triton.autotune. Without either they are searched: powers of two for each
tl.constexpr parameter that has neither an argument nor a default, and on a GPU warps and stages, starting in the middle
and moving towards faster configs.

options:
  --config "BLOCK=64, num_warps=8"   a config to try; may be repeated
  --key "M, N"       parameters whose values select a result (default: the decorator's, else all integers)
  --device=DEVICE    cpu (default), cuda or cuda:N
  --budget=SECONDS   time limit of the search (default 20)
  --save=FILE        add the result to a file, which TILEWISE_TUNING_FILE names for other processes
  --define NAME=VALUE give a module-level name a value; may be repeated
  --ray[=HOST:PORT]  tune on the machines of a Ray cluster, one of each kind of processor or GPU. The other machines of that
                     kind get the results and the compiled kernels into their caches; --save has the results of all kinds
  --merge=FILE       add the results of another tuning file to that of --save, and tune nothing; may be repeated

example:
  tilewise tune kernels/vector_add.py --grid='cdiv(n, BLOCK)' fp32[100000] fp32[100000] fp32[100000] n=100000
)";

namespace {

/// The launch that is tuned for: arguments by parameter's name, and the grid's expressions.
class TunedCall {
public:
  tw_device device = tw_cpu();
  Handle<tw_kernel> kernel;
  std::vector<tw_argument> list;
  std::vector<std::string> grid;

  Result<void> open(llvm::StringRef pathAndName, const Defines &defines) {
    TILEWISE_TRY(kernel, createKernel(pathAndName, defines));
    return {};
  }

  Result<void> add(llvm::StringRef word) {
    auto [name, value] = splitArgument(word);
    TILEWISE_TRY(tw_argument argument, parse(value));
    std::string parameter = name.str();
    if (name.empty()) {
      if (position_ >= tw_kernel_parameter_count(kernel.get()))
        return launchFailure("the kernel has " + std::to_string(position_) + " parameters, and '" + word.str() +
                             "' is one argument more");
      parameter = tw_kernel_parameter(kernel.get(), position_++).name;
    }
    given_.insert(parameter);
    if (argument.kind == TW_ARGUMENT_INT) {
      numbers_[parameter] = argument.value.i;
      if (!tw_kernel_parameter(kernel.get(), indexOf(parameter)).is_constexpr)
        wholeNumbers_.push_back(parameter);
    }
    list.push_back(tw_named(keep(parameter), argument));
    return {};
  }

  bool isGiven(const std::string &parameter) const { return given_.count(parameter) != 0; }
  /// The first parameter that only an argument can give a value.
  std::optional<std::string> firstWithoutArgument() const {
    for (size_t i = 0; i < tw_kernel_parameter_count(kernel.get()); ++i)
      if (const tw_parameter parameter = tw_kernel_parameter(kernel.get(), i);
          !parameter.is_constexpr && !*parameter.default_value && !isGiven(parameter.name))
        return parameter.name;
    return std::nullopt;
  }
  std::string allWholeNumbers() const { return llvm::join(wholeNumbers_, ", "); }

  /// The grid of a config; a failure is kept for the end.
  void gridOf(const tw_config *config, int64_t size[3]) {
    for (size_t i = 0; i < grid.size(); ++i) {
      Result<int64_t> value = evaluate(grid[i], config);
      if (!value && problem.empty())
        problem = value.failure().message;
      size[i] = value ? *value : -1; // Cannot be launched, and so is not kept.
    }
  }
  std::string problem;

private:
  const char *keep(const std::string &text) {
    texts_.push_back(std::make_unique<std::string>(text));
    return texts_.back()->c_str();
  }

  size_t indexOf(const std::string &parameter) const {
    size_t i = 0;
    for (; i < tw_kernel_parameter_count(kernel.get()); ++i)
      if (parameter == tw_kernel_parameter(kernel.get(), i).name)
        break;
    return i;
  }

  Result<tw_argument> parse(llvm::StringRef text) {
    if (text.consume_front("text:"))
      return tw_constant(keep(text.str()));
    if (text.ends_with("]"))
      return parseTensor(text);
    int64_t integer = 0;
    double real = 0;
    if (text == "True" || text == "False")
      return tw_bool(text == "True");
    if (text == "None")
      return tw_none();
    if (!text.getAsInteger(0, integer))
      return tw_int(integer);
    if (!text.getAsDouble(real))
      return tw_float(real);
    return launchFailure("'" + text.str() +
                         "' is no tensor as fp32[512,512], no number and no constant; a constant's " +
                         "text is given as text:" + text.str());
  }

  Result<tw_argument> parseTensor(llvm::StringRef text) {
    auto [type, rest] = text.drop_back().split('[');
    const tw_dtype dtype = tw_dtype_parse(type.str().c_str());
    std::vector<int64_t> shape;
    llvm::SmallVector<llvm::StringRef> words;
    rest.split(words, ',');
    bool isGood = dtype != TW_DTYPE_NONE;
    double bytes = isGood ? double(tw_dtype_size(dtype)) : 0;
    for (llvm::StringRef word : words) {
      int64_t extent = 0;
      isGood &= !word.trim().getAsInteger(10, extent) && extent >= 0;
      shape.push_back(extent);
      bytes *= double(extent);
    }
    if (!isGood)
      return launchFailure("'" + text.str() + "' should be a type and a shape, as fp32[512,512]");
    if (bytes > double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE)))
      return launchFailure("'" + text.str() + "' takes more memory than this machine has");
    tw_tensor *tensor = nullptr;
    TILEWISE_CHECK(check(tw_tensor_create(device, dtype, shape.data(), shape.size(), &tensor)));
    tensors_.emplace_back(tensor);
    TILEWISE_CHECK(fill(tensor, dtype));
    tw_argument argument = tw_pointer(tw_tensor_data(tensor), dtype);
    argument.bytes = tw_tensor_bytes(tensor);
    return argument;
  }

  /// Numbers of common size: zeros and denormals would take other times. Other types keep their
  /// zeros.
  static Result<void> fill(tw_tensor *tensor, tw_dtype dtype) {
    const size_t bytes = tw_tensor_bytes(tensor);
    std::vector<char> content(bytes);
    auto store = [&](auto number) {
      for (size_t at = 0, i = 0; at + sizeof number(0) <= bytes; at += sizeof number(0), ++i) {
        const auto value = number(double(i * 2654435761u % 2000) / 1000 - 1);
        std::memcpy(content.data() + at, &value, sizeof value);
      }
    };
    auto bits = [](double value) {
      const auto single = float(value);
      uint32_t word;
      std::memcpy(&word, &single, 4);
      return word;
    };
    if (dtype == TW_FLOAT32)
      store([](double value) { return float(value); });
    else if (dtype == TW_FLOAT64)
      store([](double value) { return value; });
    else if (dtype == TW_BFLOAT16)
      store([&](double value) { return uint16_t(bits(value) >> 16); });
    else if (dtype == TW_FLOAT16) // Sign, and a number from 1/2 to 1.
      store(
          [&](double value) { return uint16_t((bits(value) >> 16 & 0x8000) | 0x3800 | (bits(value) >> 13 & 0x3ff)); });
    return check(tw_tensor_upload(tensor, content.data(), bytes));
  }

  /// `cdiv(n, BLOCK)` with the arguments and the config's values as names.
  Result<int64_t> evaluate(const std::string &expression, const tw_config *config) {
    llvm::StringMap<frontend::Operand> names;
    for (const char *function : {"cdiv", "next_power_of_2"})
      if (auto found = frontend::moduleAttribute("triton", function))
        names[function] = *found;
    for (const auto &[name, number] : numbers_)
      names[name] = frontend::Operand::ofInt(number);
    for (size_t i = 0; i < tw_kernel_parameter_count(kernel.get()); ++i) {
      const char *name = tw_kernel_parameter(kernel.get(), i).name;
      if (const int64_t value = tw_config_number(config, name, INT64_MIN); value != INT64_MIN)
        names[name] = frontend::Operand::ofInt(value);
    }
    Result<frontend::Operand> value = frontend::evaluateLiteral(expression, nullptr, &names);
    std::optional<int64_t> number = value ? value->asInt64() : std::nullopt;
    if (number)
      return *number;
    if (value)
      return launchFailure("--grid '" + expression + "' is " + value->kindText() + ", expected an int");
    std::vector<std::string> known;
    for (const auto &entry : names)
      known.push_back(entry.first().str());
    llvm::sort(known);
    return launchFailure("--grid '" + expression + "': " + value.failure().message + "; it may use " +
                         llvm::join(known, ", "));
  }

  size_t position_ = 0;
  std::set<std::string> given_;
  std::map<std::string, int64_t> numbers_;
  std::vector<std::string> wholeNumbers_;
  std::vector<std::unique_ptr<std::string>> texts_;
  std::vector<Handle<tw_tensor>> tensors_;
};

struct Tuning {
  TunedCall call;
  std::optional<std::string> key;
  std::string saveTo;
  double budget = 20;
  std::map<std::string, double> seconds; ///< By config, of all that were tried.
  std::map<std::string, std::string> problems;

  /// The best of these configs; of the decorator's where the list is empty. `limit` is for all of
  /// them together, in seconds.
  Result<std::string> choose(llvm::ArrayRef<std::string> configs, std::optional<double> limit = std::nullopt) {
    tw_tuner *made = nullptr;
    TILEWISE_CHECK(check(tw_tuner_create(call.kernel.get(), &made)));
    Handle<tw_tuner> tuner(made);
    for (const std::string &config : configs)
      TILEWISE_CHECK(check(tw_tuner_add_config(made, config.c_str())));
    if (key || !configs.empty())
      TILEWISE_CHECK(check(tw_tuner_set_key(made, key.value_or(call.allWholeNumbers()).c_str())));
    // A noisy machine takes up to three times as long.
    if (limit)
      tw_tuner_set_seconds(made, std::min(0.1, *limit / (3 * double(configs.size()))));
    if (llvm::errs().is_displayed())
      tw_tuner_set_progress(
          made,
          [](void *, size_t done, size_t count) { llvm::errs() << "\rtiming " << done << " of " << count << ' '; },
          nullptr);
    char *text = nullptr;
    const tw_status status = tw_tuner_choose(
        made, call.device, nullptr,
        [](void *user, const tw_config *config, int64_t size[3]) {
          static_cast<TunedCall *>(user)->gridOf(config, size);
        },
        &call, call.list.data(), call.list.size(), nullptr, &text);
    if (llvm::errs().is_displayed())
      llvm::errs() << "\r                          \r";
    if (!call.problem.empty())
      return launchFailure(call.problem);
    TILEWISE_CHECK(check(status));
    std::string best = text;
    tw_free(text);
    for (size_t i = 0, count = tw_tuner_result_count(made); i < count; ++i) {
      const tw_tuned_config one = tw_tuner_result(made, i);
      seconds[one.config] = one.seconds;
      if (*one.problem)
        problems[one.config] = llvm::StringRef(one.problem).split('\n').first.str();
    }
    if (!saveTo.empty())
      TILEWISE_CHECK(check(tw_tuner_save(made, saveTo.c_str())));
    return best;
  }

  Result<std::string> explore();
};

/// Cuts at commas outside of brackets.
std::vector<std::string> splitGrid(llvm::StringRef text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (char c : text) {
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool isAutotuned(llvm::StringRef pathAndName) {
  Result<KernelFile> file = openKernel(pathAndName);
  return file && file->kernel.isAutotuned;
}

/// From the middle of the space on: again and again the neighbours of the fastest config whose
/// neighbours are not known yet, with twice or half of one number. So it does not end where every
/// single step is one to a slower config, as long as there is time and a config that is nearly as
/// fast.
Result<std::string> Tuning::explore() {
  constexpr double kNearly = 1.25; // Two steps that lead up and down again.
  struct Axis {
    std::string name;
    int64_t least, most, start;
  };
  std::vector<Axis> axes;
  for (size_t i = 0; i < tw_kernel_parameter_count(call.kernel.get()); ++i) {
    const tw_parameter parameter = tw_kernel_parameter(call.kernel.get(), i);
    if (parameter.is_constexpr && !*parameter.default_value && !call.isGiven(parameter.name))
      axes.push_back({parameter.name, 16, 4096, 64});
  }
  if (call.device.engine == TW_ENGINE_CUDA) {
    axes.push_back({"num_warps", 1, 16, 4});
    axes.push_back({"num_stages", 1, 8, 2});
  }
  if (axes.empty())
    return launchFailure(
        "the kernel has nothing to explore: no tl.constexpr parameter is without argument and default; " +
        std::string("give configs with --config"));
  auto textOf = [&](llvm::ArrayRef<int64_t> point) {
    std::string text;
    for (auto [axis, value] : llvm::zip(axes, point))
      text += (text.empty() ? "" : ", ") + axis.name + "=" + std::to_string(value);
    return text;
  };
  // As the tuner writes it.
  auto toldAs = [&](llvm::ArrayRef<int64_t> point) {
    std::string text;
    int64_t warps = 4, stages = 3;
    for (auto [axis, value] : llvm::zip(axes, point))
      if (axis.name == "num_warps")
        warps = value;
      else if (axis.name == "num_stages")
        stages = value;
      else
        text += axis.name + ": " + std::to_string(value) + ", ";
    return text + "num_warps: " + std::to_string(warps) + ", num_stages: " + std::to_string(stages);
  };
  std::vector<int64_t> at;
  for (const Axis &axis : axes)
    at.push_back(axis.start);
  const auto start = std::chrono::steady_clock::now();
  std::set<std::vector<int64_t>> tried = {at}, left;
  std::vector<int64_t> fastest = at;
  std::string best;
  while (true) {
    std::vector<std::vector<int64_t>> points = {fastest};
    for (size_t i = 0; i < axes.size(); ++i)
      for (int64_t value : {at[i] * 2, at[i] / 2}) {
        std::vector<int64_t> next = at;
        next[i] = value;
        if (value >= axes[i].least && value <= axes[i].most && tried.insert(next).second)
          points.push_back(std::move(next));
      }
    left.insert(points.begin() + 1, points.end());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (!best.empty() && taken.count() > budget)
      return best;
    if (points.size() > 1 || best.empty()) {
      std::vector<std::string> configs;
      for (const auto &point : points)
        configs.push_back(textOf(point));
      TILEWISE_TRY(best, choose(configs, std::max(0.0, budget - taken.count())));
      for (const auto &point : points)
        if (toldAs(point) == best)
          fastest = point;
    }
    auto secondsOf = [&](llvm::ArrayRef<int64_t> point) { return seconds[toldAs(point)]; };
    const auto next = std::min_element(left.begin(), left.end(),
                                       [&](const auto &a, const auto &b) { return secondsOf(a) < secondsOf(b); });
    if (next == left.end() || std::isinf(secondsOf(*next)) || secondsOf(*next) > secondsOf(fastest) * kNearly)
      return best;
    at = *next;
    left.erase(next);
  }
}

} // namespace

static void printTimes(const Tuning &tuning, const std::string &best) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto &[config, seconds] : tuning.seconds)
    sorted.emplace_back(seconds, config);
  llvm::sort(sorted);
  for (const auto &[seconds, config] : sorted) {
    llvm::outs() << (config == best ? "* " : "  ");
    if (std::isinf(seconds)) {
      auto problem = tuning.problems.find(config);
      // With TILEWISE_TUNE=never there is neither a time nor a problem.
      if (problem == tuning.problems.end())
        llvm::outs() << llvm::left_justify("not timed", 14) << config << '\n';
      else
        llvm::outs() << llvm::left_justify("failed", 14) << config << ": " << problem->second << '\n';
    } else {
      llvm::outs() << llvm::format("%10.2f us  ", seconds * 1e6) << config << '\n';
    }
  }
  llvm::outs() << "best: " << best << '\n';
}

/// Adds tuning files to one.
static int mergeFiles(const std::vector<std::string> &files, const std::string &into) {
  for (const std::string &path : files) {
    Result<tune::ResultsFile> file = tune::ResultsFile::read(path);
    if (!file)
      return report(file.failure());
    if (Result<void> written = file->write(into); !written)
      return report(written.failure());
  }
  return kDone;
}

int tuneCommand(Arguments &words) {
  if (words.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  if (words.has("--ray"))
    return tuneOnCluster(words);
  Tuning tuning;
  const std::vector<std::string> merged = words.takeValues("--merge");
  const std::optional<std::string> grid = words.takeValue("--grid");
  const std::string device = words.takeValue("--device").value_or("cpu");
  const std::vector<std::string> configs = words.takeValues("--config");
  const Defines defines = words.takeDefines();
  tuning.key = words.takeValue("--key");
  tuning.saveTo = words.takeValue("--save").value_or("");
  tuning.budget = words.takeNumber("--budget", 1).value_or(20);
  const std::vector<std::string> rest = words.takeRest();
  if (!words.problem().empty())
    return reportUsage("tune", words.problem());
  if (!merged.empty()) {
    if (tuning.saveTo.empty() || !rest.empty() || grid)
      return reportUsage("tune",
                         "--merge takes tuning files, and --save the one that they are added to; nothing is tuned");
    return mergeFiles(merged, tuning.saveTo);
  }
  if (rest.empty())
    return reportUsage("tune", "a kernel file is missing");
  if (!grid)
    return reportUsage("tune", "--grid is missing");
  tuning.call.grid = splitGrid(*grid);
  if (tuning.call.grid.empty() || tuning.call.grid.size() > 3)
    return reportUsage("tune", "--grid needs one to three expressions, as --grid='cdiv(n, BLOCK)'");
  logToStandardError();
  if (tw_status status = tw_device_parse(device.c_str(), &tuning.call.device))
    return report(lastFailure(status));
  if (Result<void> opened = tuning.call.open(rest[0], defines); !opened)
    return report(opened.failure());
  for (const std::string &word : llvm::ArrayRef(rest).drop_front())
    if (Result<void> added = tuning.call.add(word); !added)
      return report(added.failure());

  const bool hasConfigs = !configs.empty() || isAutotuned(rest[0]);
  Result<std::string> best = hasConfigs ? tuning.choose(configs) : tuning.explore();
  if (!best) {
    const int exitCode = report(best.failure());
    if (const auto missing = tuning.call.firstWithoutArgument())
      llvm::errs() << "give an argument for each parameter, in order or by name: " << *missing << "=fp32[512,512], "
                   << *missing << "=100; see 'tilewise tune --help'\n";
    return exitCode;
  }
  printTimes(tuning, *best);
  return kDone;
}

} // namespace tilewise::cli
