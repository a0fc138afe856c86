// Runs the coverage table on the engines of every machine and prints it: name by type, every cell
// `ok` or the error that it states.
#include "Coverage.h"
#include "TestRoot.h"
#include "tilewise/host.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>
#include <sstream>

namespace tilewise::test {

Number numberOf(const ElementType &type, uint64_t bits) {
  Number number;
  number.isFloat = type.isFloat;
  if (type.isFloat)
    number.d = decode(type, bits);
  else
    number.i = type.isSigned ? __int128(wrap(type, __int128(bits))) : __int128(bits);
  return number;
}

uint64_t bitsOfNumber(const ElementType &type, Number number) {
  if (type.isFloat)
    return encode(type, roundTo(type, number.isFloat ? number.d : double(number.i)));
  if (type.isBool())
    return number.isFloat ? number.d != 0 : uint64_t(number.i) & 1;
  uint64_t mask = type.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1;
  if (!number.isFloat)
    return uint64_t(number.i) & mask;
  if (std::isnan(number.d))
    return 0;
  double least = type.isSigned ? -std::ldexp(1.0, type.bits - 1) : 0;
  double beyond = std::ldexp(1.0, type.bits - (type.isSigned ? 1 : 0));
  if (number.d <= least)
    return uint64_t(__int128(least)) & mask;
  return uint64_t(number.d >= beyond ? __int128(beyond) - 1 : __int128(number.d)) & mask;
}

Bits sampleOf(const ElementType &type, unsigned which) {
  static const double floats[3][kLanes] = {
      {0, 1, -1, 0.5, 2, -3, 4, 1.5}, {1, 2, -0.5, 4, -2, 3, 1, 0.25}, {2, 1, 1, -4, 0.5, -1, 3, 2}};
  static const int ints[3][kLanes] = {
      {0, 1, -1, 5, 100, -100, 127, 7}, {3, 1, 2, 7, 5, 1, 4, 6}, {1, 2, 1, 3, 2, 5, 1, 2}};
  static const int bools[3][kLanes] = {{0, 1, 1, 0, 0, 1, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 1, 0, 1, 1, 0, 1}};
  Bits bits;
  for (size_t k = 0; k < kLanes; ++k) {
    Number number;
    number.isFloat = type.isFloat;
    number.d = floats[which][k];
    number.i = type.isBool() ? bools[which][k] : ints[which][k];
    bits.push_back(bitsOfNumber(type, number));
  }
  return bits;
}

const ElementType &widened(const ElementType &type) {
  if (type.isFloat || type.bits >= 32)
    return type;
  return *findType(type.isSigned ? "i32" : "u32");
}

std::map<std::string, std::string> kindsOfNames() {
  std::map<std::string, std::string> kinds;
  auto take = [](void *user, const char *name) { (*static_cast<decltype(kinds) *>(user))[name] = "types"; };
  tw_language_names("triton.language", take, &kinds);
  std::istringstream list(readRootFile("test/semantics/names.list"));
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string name, kind;
    if (!line.empty() && line[0] != '#' && words >> name >> kind)
      kinds[name] = kind;
  }
  return kinds;
}

std::string textOf(const Probe &probe) {
  std::string text = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n" +
                     probe.function + "\n@triton.jit\ndef cell(";
  for (size_t n = 0; n < probe.inputs.size(); ++n)
    text += std::string(n ? ", " : "") + "ABCD"[n];
  for (size_t n = 0; n < probe.outputs.size(); ++n)
    text += std::string(probe.inputs.empty() && n == 0 ? "" : ", ") + "OPQR"[n];
  return text + "):\n" + probe.body;
}

namespace {

/// Empty when the cell is as stated.
std::string check(const Probe &probe, const Device &device) {
  std::vector<Tensor> tensors;
  std::vector<tw_argument> arguments;
  for (const Column &input : probe.inputs)
    tensors.push_back(packElements(*input.type, input.elements, device));
  for (const Column &output : probe.outputs)
    tensors.push_back(packElements(*output.type, Bits(output.elements.size(), 0), device));
  for (const Tensor &tensor : tensors)
    arguments.push_back(tensor.argument());
  std::string error;
  try {
    Kernel kernel = Kernel::fromSource(textOf(probe), "cell", "cell.py");
    int64_t grid = 1;
    if (tw_status status = tw_kernel_launch(kernel.get(), device.get(), nullptr, &grid, 1, arguments.data(),
                                            arguments.size(), nullptr))
      error = status == TW_ERROR_KERNEL ? tw_last_error() : std::string("not the kernel's: ") + tw_last_error();
  } catch (const Error &thrown) {
    error = thrown.what();
  }
  if (!probe.error.empty()) {
    if (error.empty())
      return "no error, expected one with '" + probe.error + "'";
    return error.find(probe.error) != std::string::npos ? ""
                                                        : "expected an error with '" + probe.error + "', got: " + error;
  }
  if (!error.empty())
    return error;
  for (size_t n = 0; n < probe.outputs.size(); ++n) {
    const Column &output = probe.outputs[n];
    Bits got = unpackElements(*output.type, tensors[probe.inputs.size() + n]);
    for (size_t k = 0; k < got.size(); ++k)
      if (!sameElement(*output.type, got[k], output.elements[k], output.ulps))
        return "output " + std::to_string(n) + ", element " + std::to_string(k) + " is " +
               printElement(*output.type, got[k]) + ", expected " + printElement(*output.type, output.elements[k]);
  }
  return "";
}

void runRows(const std::string &engine, const std::vector<CoverageRow> &rows) {
  const Device device(engine);
  std::string table = engine;
  table.resize(24, ' ');
  for (const ElementType &type : elementTypes())
    table += std::string(" ") + type.name;
  size_t cells = 0, errors = 0;
  for (const CoverageRow &row : rows) {
    std::string line = row.name;
    line.resize(std::max<size_t>(24, line.size()), ' ');
    for (const ElementType &type : elementTypes()) {
      Probe probe = row.probe(type);
      std::string wrong = check(probe, device);
      EXPECT_EQ(wrong, "") << row.name << " x " << type.name << " on " << engine << "\n" << textOf(probe);
      std::string cell = !wrong.empty() ? "WRONG" : probe.error.empty() ? "ok" : "err";
      errors += cell == "err";
      ++cells;
      cell.resize(std::max(std::string(type.name).size(), cell.size()), ' ');
      line += " " + cell;
    }
    table += "\n" + line;
  }
  std::printf("%s\n%zu names by %zu types: %zu cells, %zu of them a stated error\n", table.c_str(), rows.size(),
              elementTypes().size(), cells, errors);
}

/// Names of kind `types` are rows, and rows of `tl.` names are such names.
TEST(Coverage, EveryNameHasItsRow) {
  std::set<std::string> rows;
  for (const std::vector<CoverageRow> &part : {elementwiseRows(), blockRows()})
    for (const CoverageRow &row : part)
      if (row.name.rfind("tl.", 0) == 0)
        rows.insert(row.name.substr(3, row.name.find(' ') - 3));
  std::map<std::string, std::string> kinds = kindsOfNames();
  EXPECT_GE(kinds.size(), 144u);
  for (const auto &[name, kind] : kinds)
    if (kind == "types")
      EXPECT_TRUE(rows.count(name)) << "tl." << name << " has no row";
  for (const std::string &row : rows)
    EXPECT_EQ(kinds[row], "types") << "tl." << row << " has a row";
}

class CoverageOn : public testing::TestWithParam<const char *> {};

TEST_P(CoverageOn, Elementwise) { runRows(GetParam(), elementwiseRows()); }
TEST_P(CoverageOn, Blocks) { runRows(GetParam(), blockRows()); }

INSTANTIATE_TEST_SUITE_P(Engines, CoverageOn, testing::Values("reference", "cpu"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace tilewise::test
