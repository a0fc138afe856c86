// The table of meaning, test/semantics/*.txt: every row runs on the engines of every machine, and
// docs/semantics*.md show the same rows.
//
// The format of a table file, line by line:
//     table NAME: TITLE                      begins a table; docs/semantics.md or docs/semantics-programs.md shows it between `<!-- table NAME -->` and `<!-- end -->`
//     case EXPRESSION | TYPES -> TYPE        inputs are called x, y, z; several statements are separated by `;`, the last is the result
//       VALUES -> VALUE ~ULPS | REMARK       one row; the bound and the remark may be missing
//       VALUES -> error: TEXT                the compile or the launch fails with this in its message
// A type is as in a signature ("fp16"). Rows of a case run as lanes of one block; with a shape
// ("i32[2x4]") every row is a kernel of its own and values are lists in brackets, row-major. In
// statements X, Y, Z are the pointers and i the lanes' numbers. With TILEWISE_UPDATE=1 in the
// environment the page is rewritten instead of compared.
#include "Coverage.h"
#include "TestRoot.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>

namespace tilewise::test {
namespace {

struct Shaped {
  const ElementType *type = nullptr;
  std::vector<int64_t> shape;
  std::string text;

  size_t elements() const {
    size_t count = 1;
    for (int64_t extent : shape)
      count *= size_t(extent);
    return count;
  }
};

struct Row {
  int line = 0;
  std::vector<std::string> inputs; ///< One text per input; a list in brackets for blocks.
  std::string expected, error, remark;
  double ulps = 0;
};

struct Case {
  int line = 0;
  std::string code;
  std::vector<Shaped> inputs;
  Shaped result;
  std::vector<Row> rows;

  bool hasShapes() const {
    bool shaped = !result.shape.empty();
    for (const Shaped &input : inputs)
      shaped |= !input.shape.empty();
    return shaped;
  }
};

struct Table {
  std::string name, title;
  std::vector<Case> cases;
};

void PrintTo(const Table &table, std::ostream *os) { *os << table.name; }

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Words separated by blanks; a list in brackets is one word.
std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(" \t", at);
    if (at == std::string::npos)
      break;
    size_t end = text[at] == '[' ? text.find(']', at) + 1 : text.find_first_of(" \t", at);
    end = std::min(end, text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

bool readShaped(const std::string &text, Shaped &shaped) {
  size_t bracket = text.find('[');
  shaped.type = findType(text.substr(0, bracket));
  shaped.text = text;
  if (bracket != std::string::npos) {
    std::string extents = text.substr(bracket + 1);
    std::replace(extents.begin(), extents.end(), 'x', ' ');
    std::istringstream stream(extents);
    for (int64_t extent; stream >> extent;)
      shaped.shape.push_back(extent);
  }
  return shaped.type != nullptr;
}

class Reader {
public:
  std::vector<Table> tables;
  std::vector<std::string> errors;

  void read(const std::string &file) {
    std::istringstream stream(readRootFile(file));
    std::string line;
    for (number_ = 1; std::getline(stream, line); ++number_) {
      if (trimmed(line).empty() || line[0] == '#')
        continue;
      if (!readLine(line))
        errors.push_back(file + ":" + std::to_string(number_) + ": not understood: " + line);
    }
  }

private:
  bool readLine(const std::string &line) {
    if (line.rfind("table ", 0) == 0) {
      size_t colon = line.find(": ");
      tables.push_back({line.substr(6, colon - 6), line.substr(colon + 2), {}});
      return colon != std::string::npos;
    }
    if (tables.empty())
      return false;
    if (line.rfind("case ", 0) == 0)
      return readCase(line.substr(5));
    return !tables.back().cases.empty() && readRow(line);
  }

  bool readCase(const std::string &text) {
    size_t bar = text.rfind(" | "), arrow = text.rfind(" -> ");
    if (bar == std::string::npos || arrow == std::string::npos || arrow < bar)
      return false;
    Case made;
    made.line = number_;
    made.code = trimmed(text.substr(0, bar));
    for (const std::string &word : wordsOf(arrow > bar + 3 ? text.substr(bar + 3, arrow - bar - 3) : ""))
      if (!readShaped(word, made.inputs.emplace_back()))
        return false;
    if (!readShaped(trimmed(text.substr(arrow + 4)), made.result))
      return false;
    tables.back().cases.push_back(std::move(made));
    return true;
  }

  bool readRow(std::string text) {
    Row row;
    row.line = number_;
    if (size_t bar = text.find(" | "); bar != std::string::npos) {
      row.remark = trimmed(text.substr(bar + 3));
      text = text.substr(0, bar);
    }
    size_t arrow = text.find("-> ");
    if (arrow == std::string::npos)
      return false;
    row.inputs = wordsOf(text.substr(0, arrow));
    std::string result = trimmed(text.substr(arrow + 3));
    if (result.rfind("error: ", 0) == 0) {
      row.error = result.substr(7);
    } else {
      if (size_t tilde = result.find(" ~"); tilde != std::string::npos) {
        row.ulps = std::stod(result.substr(tilde + 2));
        result = trimmed(result.substr(0, tilde));
      }
      row.expected = result;
    }
    Case &owner = tables.back().cases.back();
    if (row.inputs.size() != owner.inputs.size())
      return false;
    owner.rows.push_back(std::move(row));
    return true;
  }

  int number_ = 0;
};

/// Read before any test runs, since each table is one.
const Reader &allTables() {
  static const Reader all = [] {
    Reader reader;
    std::vector<std::string> files;
    for (const auto &entry : std::filesystem::directory_iterator(rootPath("test/semantics")))
      if (entry.path().extension() == ".txt")
        files.push_back("test/semantics/" + entry.path().filename().string());
    std::sort(files.begin(), files.end());
    for (const std::string &file : files)
      reader.read(file);
    return reader;
  }();
  return all;
}
const std::vector<Table> &tables() { return allTables().tables; }

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (int64_t extent : shape)
    text += (text.size() > 1 ? ", " : "") + std::to_string(extent);
  return text + "]";
}

/// The kernel of a case for `lanes` rows at once, or for one row with shapes.
std::string kernelOf(const Case &one, size_t lanes) {
  std::string text = "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n"
                     "@triton.jit\ndef add(a, b):\n    return a + b\n\n"
                     "@triton.jit\ndef second(a, b):\n    return b\n\n"
                     "@triton.jit\ndef meaning(";
  for (size_t n = 0; n < one.inputs.size(); ++n)
    text += std::string(1, "XYZW"[n]) + ", ";
  text += "OUT):\n    i = tl.arange(0, " + std::to_string(lanes) + ")\n";
  for (size_t n = 0; n < one.inputs.size(); ++n) {
    const Shaped &input = one.inputs[n];
    std::string pointer(1, "XYZW"[n]), load = "tl.load(" + pointer + " + i)";
    if (one.hasShapes())
      load = input.shape.empty() ? "tl.load(" + pointer + ")"
                                 : "tl.load(" + pointer + " + tl.arange(0, " + std::to_string(input.elements()) +
                                       ")).reshape(" + shapeText(input.shape) + ")";
    text += "    " + std::string(1, "xyzw"[n]) + " = " + asElement(*input.type, load) + "\n";
  }
  std::string code = one.code;
  for (size_t semicolon; (semicolon = code.find("; ")) != std::string::npos; code = code.substr(semicolon + 2))
    text += "    " + code.substr(0, semicolon) + "\n";
  text += "    r = tl.to_tensor(" + code + ")\n";
  text +=
      "    tl.static_assert(r.dtype == " + languageName(*one.result.type) + ", f\"the result is of type {r.dtype}\")\n";
  std::string stored = asStored(*one.result.type, "r");
  if (!one.hasShapes()) {
    text += "    tl.store(OUT + i, " + stored + ")\n";
  } else if (one.result.shape.empty()) {
    text += "    tl.store(OUT, " + stored + ")\n";
  } else {
    for (size_t d = 0; d < one.result.shape.size(); ++d)
      text += "    tl.static_assert(r.shape[" + std::to_string(d) + "] == " + std::to_string(one.result.shape[d]) +
              ", f\"the result's shape is {r.shape}\")\n";
    std::string count = std::to_string(one.result.elements());
    text += "    tl.store(OUT + tl.arange(0, " + count + "), " + stored + ".reshape([" + count + "]))\n";
  }
  return text;
}

std::vector<std::string> listOf(const std::string &text) {
  return text.empty() || text[0] != '[' ? std::vector<std::string>{text} : wordsOf(text.substr(1, text.size() - 2));
}

std::vector<uint64_t> bitsOf(const ElementType &type, const std::vector<std::string> &texts, int line) {
  std::vector<uint64_t> bits;
  for (const std::string &text : texts) {
    std::optional<uint64_t> value = parseElement(type, text);
    if (!value)
      ADD_FAILURE() << "line " << line << ": '" << text << "' is no " << type.name;
    bits.push_back(value.value_or(0));
  }
  return bits;
}

/// Runs a case's kernel on rows [begin, end); the error's text when it fails.
std::string run(const Case &one, const std::vector<const Row *> &rows, size_t lanes, const Device &device,
                std::vector<uint64_t> &result) {
  std::vector<Tensor> tensors;
  for (size_t n = 0; n < one.inputs.size(); ++n) {
    std::vector<uint64_t> bits;
    for (size_t lane = 0; lane < (one.hasShapes() ? 1 : lanes); ++lane) {
      const Row &row = *rows[std::min(lane, rows.size() - 1)];
      std::vector<uint64_t> some = bitsOf(*one.inputs[n].type, listOf(row.inputs[n]), row.line);
      bits.insert(bits.end(), some.begin(), some.end());
    }
    bits.resize(one.hasShapes() ? one.inputs[n].elements() : lanes);
    tensors.push_back(packElements(*one.inputs[n].type, bits, device));
  }
  size_t outputs = one.hasShapes() ? one.result.elements() : lanes;
  tensors.push_back(packElements(*one.result.type, std::vector<uint64_t>(outputs, 0), device));
  std::vector<tw_argument> arguments;
  for (const Tensor &tensor : tensors)
    arguments.push_back(tensor.argument());
  try {
    Kernel kernel = Kernel::fromSource(kernelOf(one, lanes), "meaning", "row.py");
    int64_t grid = 1;
    if (tw_kernel_launch(kernel.get(), device.get(), nullptr, &grid, 1, arguments.data(), arguments.size(), nullptr) !=
        TW_OK)
      return tw_last_error();
  } catch (const Error &error) {
    return error.what();
  }
  result = unpackElements(*one.result.type, tensors.back());
  return "";
}

void compare(const Case &one, const Row &row, const std::vector<uint64_t> &got) {
  std::vector<uint64_t> expected = bitsOf(*one.result.type, listOf(row.expected), row.line);
  ASSERT_EQ(got.size(), expected.size()) << "line " << row.line;
  for (size_t k = 0; k < got.size(); ++k)
    EXPECT_TRUE(sameElement(*one.result.type, got[k], expected[k], row.ulps))
        << "line " << row.line << ": " << one.code << " on " << testing::PrintToString(row.inputs) << ", element " << k
        << ": got " << printElement(*one.result.type, got[k]) << ", expected "
        << printElement(*one.result.type, expected[k]);
}

void check(const Case &one, const Device &device) {
  if (one.rows.empty()) {
    ADD_FAILURE() << "line " << one.line << ": a case without rows";
    return;
  }
  std::vector<const Row *> together;
  for (const Row &row : one.rows) {
    if (row.error.empty() && !one.hasShapes()) {
      together.push_back(&row);
      continue;
    }
    std::vector<uint64_t> got;
    std::string error = run(one, {&row}, 1, device, got);
    if (!row.error.empty())
      EXPECT_NE(error.find(row.error), std::string::npos) << "line " << row.line << ": " << error;
    else if (!error.empty())
      ADD_FAILURE() << "line " << row.line << ": " << error;
    else
      compare(one, row, got);
  }
  if (together.empty())
    return;
  size_t lanes = 1;
  while (lanes < together.size())
    lanes *= 2;
  std::vector<uint64_t> got;
  std::string error = run(one, together, lanes, device, got);
  ASSERT_EQ(error, "") << "line " << one.line << "\n" << kernelOf(one, lanes);
  for (size_t k = 0; k < together.size(); ++k)
    compare(one, *together[k], {got[k]});
}

TEST(Meaning, TheTablesAreUnderstood) {
  EXPECT_GT(tables().size(), 10u);
  for (const std::string &error : allTables().errors)
    ADD_FAILURE() << error;
}

/// `tl.name` stands in the text as a whole word.
bool mentions(const std::string &text, const std::string &name) {
  std::string word = "tl." + name;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    char after = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (!std::isalnum(static_cast<unsigned char>(after)) && after != '_')
      return true;
  }
  return false;
}

TEST(Meaning, EveryNameHasARow) {
  std::string everything;
  for (const Table &table : tables())
    for (const Case &one : table.cases)
      everything += one.code + "\n";
  size_t names = 0;
  for (const auto &[name, kind] : kindsOfNames()) {
    if (kind == "type" || kind == "module" || kind == "control" || kind == "own")
      continue;
    ++names;
    EXPECT_TRUE(mentions(everything, name)) << "no row shows tl." << name;
  }
  EXPECT_GT(names, 90u);
}

class MeaningOf : public testing::TestWithParam<std::tuple<Table, const char *>> {};

TEST_P(MeaningOf, EveryRowHolds) {
  for (const Case &one : std::get<0>(GetParam()).cases)
    check(one, Device(std::get<1>(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Tables, MeaningOf,
                         testing::Combine(testing::ValuesIn(tables()), testing::Values("reference", "cpu")),
                         [](const auto &info) { return std::get<0>(info.param).name + "_" + std::get<1>(info.param); });

/// A table as the page shows it.
std::string markdownOf(const Table &table) {
  std::string text = "| kernel text | types | inputs | result | |\n|---|---|---|---|---|\n";
  auto cell = [](std::string value) {
    for (size_t at = 0; (at = value.find('|', at)) != std::string::npos; at += 2)
      value.insert(at, "\\");
    return value;
  };
  for (const Case &one : table.cases) {
    std::string types;
    for (const Shaped &input : one.inputs)
      types += (types.empty() ? "" : ", ") + input.text;
    types += (types.empty() ? "→ " : " → ") + one.result.text;
    for (const Row &row : one.rows) {
      std::string inputs;
      for (const std::string &input : row.inputs)
        inputs += (inputs.empty() ? "" : ", ") + input;
      std::ostringstream bound;
      if (row.ulps != 0)
        bound << " ± " << row.ulps << " ulp";
      text += "| `" + cell(one.code) + "` | " + types + " | " + inputs + " | " +
              (row.error.empty() ? row.expected + bound.str() : "error: " + cell(row.error)) + " | " +
              cell(row.remark) + " |\n";
    }
  }
  return text;
}

TEST(Meaning, ThePagesShowTheTables) {
  size_t places = 0, shown = 0;
  for (const char *path : {"docs/semantics.md", "docs/semantics-programs.md"}) {
    std::string page = readRootFile(path), made = page;
    for (size_t at = 0; (at = page.find("<!-- table ", at)) != std::string::npos; ++at)
      ++places;
    for (const Table &table : tables()) {
      std::string begin = "<!-- table " + table.name + " -->\n";
      size_t at = made.find(begin), end = at == std::string::npos ? at : made.find("<!-- end -->", at);
      if (end == std::string::npos)
        continue;
      ++shown;
      made.replace(at + begin.size(), end - at - begin.size(), markdownOf(table));
    }
    if (std::getenv("TILEWISE_UPDATE"))
      std::ofstream(rootPath(path), std::ios::binary) << made;
    else
      EXPECT_TRUE(made == page) << path << " differs from test/semantics: run this test with TILEWISE_UPDATE=1";
  }
  EXPECT_EQ(shown, tables().size()) << "a table of test/semantics has no place in the pages";
  EXPECT_EQ(places, tables().size()) << "a table of the pages has no rows in test/semantics";
}

} // namespace
} // namespace tilewise::test
